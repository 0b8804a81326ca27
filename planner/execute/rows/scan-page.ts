// SPDX-License-Identifier: Apache-2.0

import type { StoredRows } from '../../../storage/storage.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { RangeScanPlan, RowProjection } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { CollectedRows } from './collected-rows.ts'
import type { ExecutionContext, StatementResult, TakeStored } from './execution-context.ts'
import { decodePageMark, encodePageMark, type PageMark } from './page-mark.ts'

/** Where the page before ended; undefined for the first. */
function markOf({ page }: ExecutionContext): PageMark | undefined {
  if (page?.after === undefined) return undefined
  const mark = decodePageMark(page.after)
  if (mark !== undefined) return mark
  throw noSuchPosition()
}

/** For an answer that is one page. Throws PlanError invalid_request where it is asked to go on from another. */
export function requireFirstPage(context: ExecutionContext): void {
  if (context.page?.after !== undefined) throw noSuchPosition()
}

function noSuchPosition(): PlanError {
  return new PlanError('invalid_request', 'The position to continue the SCAN from is none.')
}

/** The rows of one page, and whether more would be too many. */
export class ScanPage {
  /** What the LIMIT leaves of it, after the pages before. */
  readonly left: number
  /** How many rows it takes; infinite without LIMIT and pages. */
  readonly rowsMax: number
  readonly #mark: PageMark | undefined
  readonly #projection: RowProjection
  readonly #bytesMax: number
  readonly #examinedMax: number
  readonly #rows: CollectedRows
  #examined = 0

  /** `limit` is that of the statement. Throws PlanError invalid_request. */
  constructor(projection: RowProjection, context: ExecutionContext, limit: number) {
    const { page } = context
    this.#projection = projection
    this.#mark = markOf(context)
    this.left = Math.max(0, limit - (this.#mark?.rowsGiven ?? 0))
    this.rowsMax = Math.min(this.left, page?.rows ?? this.left)
    this.#rows = new CollectedRows(projection.columns, context)
    this.#bytesMax = page?.bytes ?? Number.POSITIVE_INFINITY
    this.#examinedMax =
      page === undefined ? Number.POSITIVE_INFINITY : PLANNER_LIMITS.pageExaminedRowsMax
  }

  /** The part of a walk's window that continues after the page before. */
  get window(): { readonly after?: Uint8Array } {
    return this.#mark === undefined ? {} : { after: this.#mark.key }
  }

  get rowCount(): number {
    return this.#rows.count
  }

  isFull(): boolean {
    return (
      this.#rows.count >= this.rowsMax ||
      this.#rows.bytes >= this.#bytesMax ||
      this.#examined >= this.#examinedMax
    )
  }

  /** Counts a row that was read, kept or not. */
  examine(): void {
    this.#examined += 1
  }

  add(scope: Scope): void {
    this.#rows.add(this.#projection.project(scope))
  }

  /** How rows of the plan's table are written as they are stored; undefined where they have to become values. */
  storedRows({ table }: RangeScanPlan): TakeStored | undefined {
    const { places } = this.#projection
    return places && this.#rows.storedRows(table, places)
  }

  /** Takes some of these rows, from `from` on; returns how many. To be called while it is not full. */
  takeStored(take: TakeStored, rows: StoredRows, from: number): number {
    const rowsLeft = Math.min(this.rowsMax - this.#rows.count, this.#examinedMax - this.#examined)
    const taken = take(rows, { from, count: rowsLeft, bytesMax: this.#bytesMax })
    this.#examined += taken
    return taken
  }

  result(): StatementResult {
    return { ...this.#rows.result, rowsAffected: 0 }
  }

  /** The same when there is more: the next page continues after this key. */
  resultUpTo(key: Uint8Array): StatementResult {
    const rowsGiven = (this.#mark?.rowsGiven ?? 0) + this.rowCount
    return { ...this.result(), resumeAfter: encodePageMark({ rowsGiven, key }) }
  }
}
