// SPDX-License-Identifier: Apache-2.0
import type { SqlValue, StoredRow } from '../storage/storage.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type { Scope } from './compiled-expression.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { decodePageMark, encodePageMark, type PageMark } from './page-mark.ts'
import type { RangeScanPlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'
import { rowLimit } from './row-limit.ts'
import { rowsOf } from './row-source.ts'

/**
 * The rows of a SCAN, or a page of them. A page ends after its rows or bytes, and also after
 * `pageExaminedRowsMax` rows read, so that a filter that keeps none still lets the caller go on.
 */
export async function executeScan(
  plan: RangeScanPlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const mark = markOf(context)
  const left = Math.max(0, rowLimit(plan.limit, scope) - (mark?.rowsGiven ?? 0))
  const page = new Page(plan, context, Math.min(left, context.page?.rows ?? left))
  if (left === 0) return page.result()
  const turns = new TurnTaking(context)
  let last: StoredRow | undefined
  // One row beyond the page tells whether there is another page.
  for await (const stored of rowsOf(
    plan,
    scope,
    context,
    windowOf(plan, Math.min(left, page.rowsMax + 1), mark),
  )) {
    if (last !== undefined && page.isFull()) {
      const rowsGiven = (mark?.rowsGiven ?? 0) + page.rowCount
      return page.result(encodePageMark({ rowsGiven, key: last.key }))
    }
    page.read(scope, stored)
    counts.read += 1
    last = stored
    if (page.rowCount === left) break
    if (turns.isDue()) await turns.pause()
  }
  return page.result()
}

/** Only a SCAN whose rows are all kept can tell the store how many it will need. */
function windowOf(
  plan: RangeScanPlan,
  rowsWanted: number,
  mark: PageMark | undefined,
): { readonly after?: Uint8Array; readonly limit?: number } {
  const bounded = plan.filter === undefined && Number.isFinite(rowsWanted)
  return {
    ...(mark === undefined ? {} : { after: mark.key }),
    ...(bounded ? { limit: rowsWanted } : {}),
  }
}

function markOf({ page }: ExecutionContext): PageMark | undefined {
  if (page?.after === undefined) return undefined
  const mark = decodePageMark(page.after)
  if (mark !== undefined) return mark
  throw new PlanError('invalid_request', 'The place to continue the SCAN from is none.')
}

class Page {
  /** How many rows it takes; infinite without LIMIT and pages. */
  readonly rowsMax: number
  readonly #plan: RangeScanPlan
  readonly #bytesMax: number
  readonly #examinedMax: number
  readonly #answerBytes: AnswerBytes
  readonly #rows: SqlValue[][] = []
  #bytes = 0
  #examined = 0

  constructor(plan: RangeScanPlan, { page }: ExecutionContext, rowsMax: number) {
    this.#plan = plan
    this.rowsMax = rowsMax
    this.#answerBytes = new AnswerBytes(plan.projection.columns)
    this.#bytesMax = page?.bytes ?? Number.POSITIVE_INFINITY
    this.#examinedMax =
      page === undefined ? Number.POSITIVE_INFINITY : PLANNER_LIMITS.pageExaminedRowsMax
  }

  get rowCount(): number {
    return this.#rows.length
  }

  isFull(): boolean {
    return (
      this.#rows.length >= this.rowsMax ||
      this.#bytes >= this.#bytesMax ||
      this.#examined >= this.#examinedMax
    )
  }

  read(scope: Scope, stored: StoredRow): void {
    this.#examined += 1
    const inRow = { ...scope, row: stored.row }
    const { filter, projection } = this.#plan
    if (filter !== undefined && filter.condition.evaluate(inRow) !== true) return
    const row = projection.project(inRow)
    this.#rows.push(row)
    this.#bytes += this.#answerBytes.of(row)
  }

  result(resumeAfter?: Uint8Array): StatementResult {
    const { columns } = this.#plan.projection
    const result = { columns, rows: this.#rows, rowsAffected: 0 }
    return resumeAfter === undefined ? result : { ...result, resumeAfter }
  }
}
