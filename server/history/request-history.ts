// SPDX-License-Identifier: Apache-2.0
import type { StoreHistory } from '../../storage/storage.ts'

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

/** The name of another history than the store's; undefined where the client names none, or this one. */
export function foreignHistory(
  history: StoreHistory,
  named: unknown,
): { readonly history?: string } {
  return named === undefined || named === history.id ? {} : { history: String(named) }
}
