// SPDX-License-Identifier: Apache-2.0

import { awaited, doWork, type MaybePromise, type Work } from '../../storage/storage.ts'
import type { RangeScanPlan } from '../plan/plan.ts'
import { joinedWalk } from './lookups/joined-walk.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { rowLimit } from './rows/row-limit.ts'
import { ScanPage } from './rows/scan-page.ts'

/**
 * The rows of a SCAN, or a page of them. A page ends after its rows or bytes, and also after
 * `pageExaminedRowsMax` rows read, so that a filter that keeps none still lets the caller go on.
 */
export function executeScan(
  plan: RangeScanPlan,
  context: ExecutionContext,
): MaybePromise<StatementResult> {
  return doWork(scanned(plan, context))
}

function* scanned(plan: RangeScanPlan, context: ExecutionContext): Work<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const page = new ScanPage(plan.projection, context, rowLimit(plan.limit, scope))
  if (page.left === 0) return page.result()
  const turns = new TurnTaking(context)
  // One row beyond the page tells whether there is another page.
  const rowsWanted = Math.min(page.left, page.rowsMax + 1)
  const window = {
    ...page.window,
    ...(Number.isFinite(rowsWanted) ? { rowsWanted } : {}),
  }
  let last: Uint8Array | undefined
  for (const next of joinedWalk({ plan, scope, context, window })) {
    const steps = next instanceof Promise ? yield* awaited(next) : next
    for (const { mark: key, row } of steps) {
      if (last !== undefined && page.isFull()) return page.resultUpTo(last)
      page.examine()
      if (row !== null) page.add({ ...scope, row })
      last = key
      if (page.rowCount === page.left) return page.result()
      if (turns.isDue()) yield turns.pause()
    }
  }
  return page.result()
}
