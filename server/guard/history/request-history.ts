// SPDX-License-Identifier: Apache-2.0
import type { StoreHistory } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'

/** The header in which clients name the history that they know, and answers the store's own. */
export const HISTORY_HEADER = 'Percolite-History'

/** What a request holds that belongs to a history: the names of parameters and members. */
const BELONGINGS = [
  ...(['since', 'asOf', 'cursor', 'transaction', 'minTimestamp'] as const),
  ...(['Percolite-Min-Timestamp', 'Idempotency-Key'] as const),
]

/** Those that are a stamp, or begin with one. */
const STAMPED: ReadonlySet<string> = new Set(
  BELONGINGS.filter((name) => name !== 'cursor' && name !== 'Idempotency-Key'),
)
const STAMP = /^\d{1,16}(?![^.])/

/**
 * Refuses a request about another history that holds something which belongs to that one. A request
 * without such a thing is one about the store as it is. Throws StorageError `history_replaced`.
 */
export function requireHistory(
  history: StoreHistory,
  named: unknown,
  request: Readonly<Record<string, unknown>>,
): void {
  if (named === undefined || named === history.name || named === history.id) return
  const given = BELONGINGS.filter((name) => request[name] !== undefined)
  if (given.length === 0) return
  history.requireName(String(named))
  for (const name of given) {
    // A transaction id begins with the stamp of its snapshot. What names a time is judged where it is read.
    const [stamp] = STAMP.exec(String(request[name])) ?? []
    if (stamp !== undefined && STAMPED.has(name)) history.require(Number(stamp), String(named))
  }
}

/**
 * The history that a client says its stamps are of, in the header, the body or both, as an option. Throws
 * ServerError `invalid_request` where it names two.
 */
export function namedHistory(header: unknown, member?: unknown): { readonly history?: string } {
  if (header !== undefined && member !== undefined && header !== member) {
    const detail = `${HISTORY_HEADER} and "history" of the body name two histories.`
    throw new ServerError('invalid_request', detail)
  }
  const named = header ?? member
  return named === undefined ? {} : { history: String(named) }
}
