// SPDX-License-Identifier: Apache-2.0
import type { StoreHistory } from '../../storage/storage.ts'
import { ServerError } from '../errors/server-error.ts'

/** The header in which clients name the history that they know, and answers the store's own. */
export const HISTORY_HEADER = 'Percolite-History'

/** What a request holds that belongs to a history: the names of parameters and members. */
const BELONGINGS = [
  ...(['since', 'asOf', 'cursor', 'transaction', 'minTimestamp'] as const),
  ...(['Percolite-Min-Timestamp', 'Idempotency-Key'] as const),
]

/**
 * Refuses a request about another history that holds something which belongs to that one. A request
 * without such a thing is one about the store as it is. Throws StorageError `history_replaced`.
 */
export function requireHistory(
  history: StoreHistory,
  named: unknown,
  request: Readonly<Record<string, unknown>>,
): void {
  if (named === undefined || named === history.id) return
  if (BELONGINGS.some((name) => request[name] !== undefined)) history.requireId(String(named))
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
