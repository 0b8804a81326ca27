// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Frame, SocketClient } from '../../server/socket-client.ts'
import type { TokenClient } from '../../server/token-server.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, randomSubscription, type Statement } from './statements.ts'
import { bodyOf, type TwoServers } from './two-servers.ts'

/** How long a change may take to arrive; it takes some milliseconds. */
const ARRIVES_MS_MAX = 5_000

/** What one socket has been told of the rows of one subscription. */
class Told {
  readonly socket: SocketClient
  readonly id: string
  readonly rows = new Map<string, string>()
  ended: Frame | undefined
  /** Which rows its position is of, where a rule hides some. */
  view: string | undefined

  constructor(socket: SocketClient, id: string) {
    this.socket = socket
    this.id = id
  }

  /** Takes in the frames that have arrived. No row is taken away that was not told of. */
  async take(): Promise<void> {
    while (this.socket.unread.some(({ id }) => id === this.id)) {
      const frame = await this.socket.about(this.id)
      if (frame.type === 'error') this.ended = frame
      if (frame.type === 'subscribed') this.view = frame.view
      for (const { key, row } of frame.rows ?? []) this.#put(key, row)
      for (const { op, key, row } of frame.changes ?? []) {
        if (row !== undefined) this.#put(key, row)
        else if (!this.rows.delete(JSON.stringify(key))) {
          assert.fail(`${op} of a row that was never told of: ${JSON.stringify(key)}`)
        }
      }
    }
  }

  /** Ends it where it has not ended, and begins it again with all rows. */
  async restart(statement: Statement): Promise<void> {
    const { socket, id } = this
    if (this.ended === undefined) await this.leave()
    await this.take()
    this.ended = undefined
    this.rows.clear()
    socket.send({ type: 'subscribe', id, ...bodyOf(statement), snapshot: true })
  }

  async leave(): Promise<void> {
    this.socket.send({ type: 'unsubscribe', id: this.id })
    await this.socket.next(({ id, type }) => id === this.id && type === 'unsubscribed')
  }

  #put(key: unknown, row: unknown): void {
    this.rows.set(JSON.stringify(key), JSON.stringify(row))
  }

  /** Whether these are the rows, in any order. */
  has(rows: readonly string[]): boolean {
    return String([...this.rows.values()].sort()) === String(rows)
  }

  get sorted(): readonly string[] {
    return [...this.rows].map(([key, row]) => `${key} ${row}`).sort()
  }
}

/** Of the first principal on both servers, and of the second one. */
export type Sockets = readonly [one: SocketClient, alone: SocketClient, second: SocketClient]

/** One subscription, of the first principal on both servers and, in the same words, of the second one. */
export class Subscribers {
  readonly table: RuledTable
  readonly statement: Statement
  readonly #listener: readonly [Told, Told, Told]
  /** Where the first two are to go on from, once they have left. */
  #since: readonly number[] | undefined

  private constructor(
    table: RuledTable,
    statement: Statement,
    listener: readonly [Told, Told, Told],
  ) {
    this.table = table
    this.statement = statement
    this.#listener = listener
  }

  static begin(
    sockets: Sockets,
    {
      table,
      about,
      id,
    }: { readonly table: RuledTable; readonly about: About; readonly id: string },
  ): Subscribers {
    const statement = randomSubscription(about)
    for (const socket of sockets) {
      socket.send({ type: 'subscribe', id, ...bodyOf(statement), snapshot: true })
    }
    const [one, alone, second] = sockets
    const told = [new Told(one, id), new Told(alone, id), new Told(second, id)] as const
    return new Subscribers(table, statement, told)
  }

  /** Waits until all have been told of the rows of a scan of theirs. False where they have ended. */
  async agree({ alone, b }: TwoServers): Promise<boolean> {
    this.#return()
    const { sql, ...more } = bodyOf(this.statement)
    const scanned = async (client: TokenClient) => {
      const { body } = await client.query(sql, more)
      return body.results?.[0]?.rows.map((row: unknown) => JSON.stringify(row)).sort()
    }
    const [one, other, second] = this.#listener
    const [wanted, wantedOfSecond] = [await scanned(alone), await scanned(b.client)]
    const until = performance.now() + ARRIVES_MS_MAX
    for (;;) {
      for (const each of this.#listener) await each.take()
      if (one.ended?.code === 'resume_too_old') {
        // Its rule or its claims were others when it left; of the rows that are its own alone nothing has changed.
        await Promise.all([one.restart(this.statement), other.restart(this.statement)])
        continue
      }
      if (one.ended !== undefined || other.ended !== undefined || wanted === undefined) break
      const isSame = String(one.sorted) === String(other.sorted) && one.has(wanted)
      const hasSecond = second.ended !== undefined || second.has(wantedOfSecond ?? [])
      if (isSame && hasSecond) return true
      if (performance.now() > until) {
        assert.deepEqual(one.sorted, other.sorted, `told of ${sql}`)
        assert.ok(one.has(wanted), `told of ${sql}: ${one.sorted}, and there are ${wanted}`)
        assert.fail(`the second is told of ${sql}: ${second.sorted}, not ${wantedOfSecond}`)
      }
      await soon()
    }
    await this.#bothEnd(until)
    return false
  }

  /** The first two end it, to come back at the next look with what they have missed. */
  async leave(servers: TwoServers): Promise<void> {
    if (this.#since !== undefined || !(await this.agree(servers))) return
    const stamps: number[] = []
    for (const [at, side] of [servers.full, servers.own].entries()) {
      stamps.push((await side.admin.query('SHOW TABLES')).body.readTimestamp)
      await (this.#listener[at] as Told).leave()
    }
    this.#since = stamps
  }

  #return(): void {
    for (const [at, since] of (this.#since ?? []).entries()) {
      const { socket, id, view } = this.#listener[at] as Told
      socket.send({
        type: 'subscribe',
        id,
        ...bodyOf(this.statement),
        since,
        ...(view && { view }),
      })
    }
    this.#since = undefined
  }

  /** The rights on the table are others: it ends, by itself, with one of these codes. */
  async endsWith(codes: readonly string[]): Promise<void> {
    if (this.#since !== undefined) return
    const [one] = this.#listener
    const until = performance.now() + ARRIVES_MS_MAX
    while (one.ended === undefined && performance.now() < until) {
      await one.take()
      await soon()
    }
    const { sql } = this.statement
    assert.ok(codes.includes(one.ended?.code), `${sql} ends with ${one.ended?.code}, not ${codes}`)
  }

  stop(): void {
    for (const { socket, id } of this.#listener) socket.send({ type: 'unsubscribe', id })
  }

  /** A row of which the statement cannot be computed ends both. */
  async #bothEnd(until: number): Promise<void> {
    const [one, other] = this.#listener
    while (one.ended === undefined || other.ended === undefined) {
      if (performance.now() > until) {
        const { sql } = this.statement
        assert.fail(`one has ended: ${one.ended?.code}, ${other.ended?.code}: ${sql}`)
      }
      await one.take()
      await other.take()
      await soon()
    }
    assert.equal(one.ended.code, other.ended.code, this.statement.sql)
  }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 2))
