// SPDX-License-Identifier: Apache-2.0
import { awaited, doWork, type Work } from '../../storage/storage.ts'
import { StoredRows } from '../../storage/tables/tables.ts'
import type { RangeScanPlan } from '../plan/plan.ts'
import { joinedWalk } from './lookups/joined-walk.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { rowLimit } from './rows/ranked.ts'
import { ScanPage } from './rows/scan-page.ts'
import { keepsRanges, storedByRanges } from './rows/walk.ts'
import type { Walking } from './rows/walk-step.ts'

/**
 * The rows of a SCAN, or a page of them. A page ends after its rows or bytes, and also after
 * `pageExaminedRowsMax` rows read, so that a filter that keeps none still lets the caller go on.
 */
export const executeScan: Execute<RangeScanPlan> = (plan, context) => {
  return doWork(scanned(plan, context))
}

function* scanned(plan: RangeScanPlan, context: ExecutionContext): Work<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const page = new ScanPage(plan.projection, context, rowLimit(plan.limit, scope))
  if (page.left === 0) return page.result()
  // One row beyond the page tells whether there is another page.
  const rowsWanted = Math.min(page.left, page.rowsMax + 1)
  const window = {
    ...page.window,
    ...(Number.isFinite(rowsWanted) ? { rowsWanted } : {}),
  }
  const walking = { plan, scope, context, window }
  const isStored = plan.lookups === undefined && keepsRanges(plan) && page.takesStored(plan)
  return yield* isStored ? pageOfStored(walking, page) : pageOfRows(walking, page)
}

type Scanning = Walking & { readonly plan: RangeScanPlan }

function* pageOfRows(walking: Scanning, page: ScanPage): Work<StatementResult> {
  const { scope, context } = walking
  const turns = new TurnTaking(context)
  let last: Uint8Array | undefined
  for (const next of joinedWalk(walking)) {
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

/** The same of rows that need not become values: many of them are written at once. */
function* pageOfStored(walking: Scanning, page: ScanPage): Work<StatementResult> {
  const { plan, scope, context } = walking
  const turns = new TurnTaking(context)
  let last: Uint8Array | undefined
  for (const next of storedByRanges(walking)) {
    const rows = next instanceof Promise ? yield* awaited(next) : next
    if (!(rows instanceof StoredRows)) continue
    for (let at = 0; at < rows.length; ) {
      if (last !== undefined && page.isFull()) return page.resultUpTo(last)
      scope.work.beginRow(plan.position)
      const taken = page.takeStored(rows, at)
      scope.work.spend(taken * plan.projection.units)
      at += taken
      last = rows.keyAt(at - 1)
      if (page.rowCount === page.left) return page.result()
      if (turns.isDue(taken)) yield turns.pause()
    }
  }
  return page.result()
}
