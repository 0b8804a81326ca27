// SPDX-License-Identifier: Apache-2.0
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { encodePageMark } from './page-mark.ts'
import type { RangeScanPlan } from './plan.ts'
import { rowLimit } from './row-limit.ts'
import { markOf, ScanPage } from './scan-page.ts'
import { walk } from './walk.ts'

/**
 * The rows of a SCAN, or a page of them. A page ends after its rows or bytes, and also after
 * `pageExaminedRowsMax` rows read, so that a filter that keeps none still lets the caller go on.
 */
export async function executeScan(
  plan: RangeScanPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const mark = markOf(context)
  const left = Math.max(0, rowLimit(plan.limit, scope) - (mark?.rowsGiven ?? 0))
  const page = new ScanPage(plan.projection, context, left)
  if (left === 0) return page.result()
  const turns = new TurnTaking(context)
  // One row beyond the page tells whether there is another page.
  const rowsWanted = Math.min(left, page.rowsMax + 1)
  const window = {
    ...(mark === undefined ? {} : { after: mark.key }),
    ...(Number.isFinite(rowsWanted) ? { rowsWanted } : {}),
  }
  let last: Uint8Array | undefined
  for await (const { mark: key, row } of walk({ plan, scope, context, window })) {
    if (last !== undefined && page.isFull()) {
      const rowsGiven = (mark?.rowsGiven ?? 0) + page.rowCount
      return page.result(encodePageMark({ rowsGiven, key: last }))
    }
    page.examine()
    if (row !== null) page.add({ ...scope, row })
    last = key
    if (page.rowCount === left) break
    if (turns.isDue()) await turns.pause()
  }
  return page.result()
}
