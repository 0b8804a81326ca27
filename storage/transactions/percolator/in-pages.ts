// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '../../turns/turns.ts'

/** Making the steps of a row takes some microseconds, so a page of them delays no other work. */
const PAGE_ROWS = 256

/**
 * Calls `send` for each row: a page of rows in one turn of the event loop, and the next page when all calls of the page
 * have resolved. Resolves when all rows have. Rejects with the first refusal of a page, when no call is under way any
 * more; then the pages after it have not been sent.
 */
export async function inPages<Row>(
  rows: readonly Row[],
  send: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    if (at > 0) await nextTurn()
    const answers = await Promise.allSettled(rows.slice(at, at + PAGE_ROWS).map(send))
    const refusal = answers.find((answer) => answer.status === 'rejected')
    if (refusal !== undefined) throw refusal.reason
  }
}
