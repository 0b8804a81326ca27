// SPDX-License-Identifier: Apache-2.0
import type { Collection, TransactionWithMutations } from '@tanstack/db'
import { PercoliteError } from '../errors.ts'
import type { Statement } from '../requests/statements.ts'
import type { Mutation } from './mutation-statement.ts'
import { type Sender, sendOnce } from './send-once.ts'

/** `collection.utils`. */
export type PercoliteUtils = {
  /** Resolves when the rows are as of the stamp of a commit: for handlers that write by themselves. */
  reached(commitTimestamp: number): Promise<void>
  /** What `writeTransaction` sends. Throws TypeError where the collection has no table. */
  statementOf(mutation: Mutation): Required<Statement>
  readonly db: Sender
  readonly waitMs: number
}

/** What a handler of a collection is given, and a `mutationFn`. */
export type Written = {
  // biome-ignore lint/suspicious/noExplicitAny: of collections of any rows.
  readonly transaction: Pick<TransactionWithMutations<any>, 'mutations' | 'state'>
}

/** When the last write of each database has been answered. */
const answered = new WeakMap<Sender, Promise<unknown>>()

/**
 * Sends all mutations of a transaction as one of the server, after those that were made before, and resolves when the
 * rows of each collection are as of its commit. It is the handler of every collection that has a table, and the
 * `mutationFn` of a transaction over several of them. Rejects with what the server refuses, and then nothing is
 * written, unless the error is `committed`.
 */
export async function writeTransaction({ transaction }: Written): Promise<void> {
  const { mutations } = transaction
  const collections = new Set(mutations.map(({ collection }) => collection))
  const [{ db, waitMs }, ...others] = [...collections].map(utilsOf) as [
    PercoliteUtils,
    ...PercoliteUtils[],
  ]
  if (others.some((other) => other.db !== db)) {
    throw new TypeError('The collections of one transaction are of one database.')
  }
  const statements = mutations.map((one) => utilsOf(one.collection).statementOf(one))
  const sent = await inTurn(db, async () => {
    // It was rolled back meanwhile.
    if (transaction.state === 'failed') return undefined
    return await sendOnce(db, statements, waitMs)
  })
  if (sent === undefined) return
  const { commitTimestamp, rowsAffected } = sent
  if (commitTimestamp !== undefined) {
    await Promise.all([...collections].map((one) => utilsOf(one).reached(commitTimestamp)))
  }
  // Another client has deleted it, as the rows show by now.
  const missed = mutations.find(({ type }, at) => type === 'update' && rowsAffected?.[at] === 0)
  if (missed !== undefined) throw rowGone(missed.key, commitTimestamp)
}

/** Requests that are sent together may be run in any order, and the later edit of a row is to stay. */
async function inTurn<T>(db: Sender, work: () => Promise<T>): Promise<T> {
  const before = answered.get(db) ?? Promise.resolve()
  const own = before.then(work, work)
  answered.set(db, own)
  return await own
}

// biome-ignore lint/suspicious/noExplicitAny: likewise.
function utilsOf(collection: Collection<any, any, any, any, any>): PercoliteUtils {
  const { utils } = collection
  if (typeof utils.statementOf === 'function') return utils as PercoliteUtils
  throw new TypeError(`The collection ${collection.id} is none of percoliteCollection().`)
}

function rowGone(key: unknown, commitTimestamp: number | undefined): PercoliteError {
  const others = commitTimestamp === undefined ? {} : { committed: true, commitTimestamp }
  return new PercoliteError({
    code: 'row_not_found',
    message: `The row ${JSON.stringify(key)} cannot be changed, because it is not there any more.`,
    fields: others,
  })
}
