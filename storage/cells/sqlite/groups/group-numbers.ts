// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { Database, Statement } from 'better-sqlite3'
import type { StreamPosition } from '../../store-replication.ts'
import type { Done, SqliteTransactions } from './transactions.ts'

/** Random, in hexadecimal digits. */
export const STREAM_BYTES = 16

/** Older ones are forgotten: who follows from there copies the store again. */
const STREAMS_MAX = 100

/** A stream, and the numbers of its first and last group. */
export type Stream = { readonly stream: string; readonly first: number; readonly last: number }

/**
 * The numbers of the groups, in the thread that writes: each is in the transaction of its group, so the file itself
 * says which groups it has (S1). Nothing is numbered until a standby has asked for groups.
 *
 * Within a stream every number is a group that was applied as a whole. Where that is not so, because a group failed or
 * was applied batch by batch, a stream of its own is begun here, which the main thread has not named: it finds out by
 * the answer, and so does the next process by the file.
 */
export class GroupNumbers {
  readonly #transactions: SqliteTransactions
  readonly #insert: Statement<unknown[]>
  readonly #raise: Statement<unknown[]>
  readonly #prune: Statement<unknown[]>
  #position: StreamPosition | undefined
  /** The stream of the main thread that was left: it goes on nowhere, even where its next number fits. */
  #left: string | undefined

  constructor(database: Database, transactions: SqliteTransactions) {
    this.#transactions = transactions
    this.#insert = database.prepare('INSERT INTO stream (id, first, last) VALUES (?, ?, ?)')
    this.#raise = database.prepare('UPDATE stream SET last = ? WHERE id = ?')
    this.#prune = database.prepare(
      'DELETE FROM stream WHERE first < (SELECT min(first) FROM (SELECT first FROM stream ORDER BY first DESC LIMIT ?))',
    )
    const last = streamsOf(database).at(-1)
    if (last !== undefined) this.#position = { stream: last.stream, number: last.last }
  }

  /** Of the last group that is durable; undefined while nothing is numbered. */
  get position(): StreamPosition | undefined {
    return this.#position
  }

  /** Begins to number, at a position that has no group yet. */
  begin(position: StreamPosition): Done<null> {
    const begun = this.#transactions.inOne(() => {
      this.#begin(position.stream, position.number + 1, position.number)
      return null
    })
    if (begun.done) this.#position = position
    return begun
  }

  /** Runs the work of a group in a transaction that has its number too. */
  inOne<T>(wanted: StreamPosition | undefined, work: () => T): Done<T> {
    if (this.#position === undefined || wanted === undefined) return this.#transactions.inOne(work)
    const { position, isFirst } = this.#numberOf(wanted, this.#position)
    const done = this.#transactions.inOne(() => {
      const answer = work()
      if (isFirst) this.#begin(position.stream, position.number, position.number)
      else this.#raise.run(position.number, position.stream)
      return answer
    })
    if (done.done) this.#position = position
    return done
  }

  /** The stream ends here, as its group is applied batch by batch: its record is not what the store has (S2). */
  leave({ stream }: StreamPosition): void {
    this.#left = stream
  }

  /** Notes a group of another store, in the transaction that applies it. Throws RangeError where it is not the next. */
  follow({ stream, number }: StreamPosition, last: StreamPosition | undefined): void {
    if (last !== undefined && number !== last.number + 1) {
      throw new RangeError(`group ${number} does not follow group ${last.number}`)
    }
    if (this.#raise.run(number, stream).changes === 0) this.#begin(stream, number, number)
  }

  /** What `follow` noted is durable. */
  followed(position: StreamPosition): void {
    this.#position = position
  }

  #numberOf(wanted: StreamPosition, last: StreamPosition) {
    const isNext = wanted.number === last.number + 1 && wanted.stream !== this.#left
    if (isNext) return { position: wanted, isFirst: wanted.stream !== last.stream }
    this.#left = wanted.stream
    const stream = streamAfter(wanted)
    return { position: { stream, number: last.number + 1 }, isFirst: stream !== last.stream }
  }

  #begin(stream: string, first: number, last: number): void {
    this.#insert.run(stream, first, last)
    this.#prune.run(STREAMS_MAX)
  }
}

/** A stream that nobody else begins. */
function streamAfter({ stream, number }: StreamPosition): string {
  const hash = createHash('sha256').update(`${stream} ${number} is not the next`)
  return hash.digest('hex').slice(0, 2 * STREAM_BYTES)
}

/** In their order. */
export function streamsOf(database: Database): Stream[] {
  const inOrder = 'SELECT id AS stream, first, last FROM stream ORDER BY first, last'
  return database.prepare<[], Stream>(inOrder).all()
}
