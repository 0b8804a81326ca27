// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '../../turns/turns.ts'

/** Making the steps of a row takes some microseconds, so a page of them delays no other work. */
const PAGE_ROWS = 256

/**
 * Calls `send` for the rows: a page of them in one turn of the event loop, and the next page when the call has
 * resolved. Rejects as the call of a page does; then the pages after it have not been sent.
 */
export async function inPages<Row>(
  rows: readonly Row[],
  send: (page: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    if (at > 0) await nextTurn()
    await send(rows.slice(at, at + PAGE_ROWS))
  }
}
