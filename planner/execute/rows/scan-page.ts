// SPDX-License-Identifier: Apache-2.0
import type { StoredRows } from '../../../storage/tables/tables.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { RangeScanPlan, RowProjection } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { newRows, resultOf } from './collected-rows.ts'
import type { ExecutionContext, RowWriter, StatementResult } from './execution-context.ts'

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
  /** The part of a walk's window that continues after the page before. */
  readonly window: { readonly after?: Uint8Array }
  readonly #mark: PageMark | undefined
  readonly #projection: RowProjection
  readonly #bytesMax: number
  readonly #examinedMax: number
  readonly #rows: RowWriter
  #examined = 0

  /** `limit` is that of the statement. Throws PlanError invalid_request. */
  constructor(projection: RowProjection, context: ExecutionContext, limit: number) {
    const { page } = context
    this.#projection = projection
    this.#mark = markOf(context)
    this.window = this.#mark === undefined ? {} : { after: this.#mark.key }
    this.left = Math.max(0, limit - (this.#mark?.rowsGiven ?? 0))
    this.rowsMax = Math.min(this.left, page?.rows ?? this.left)
    this.#rows = newRows(projection.columns, context)
    this.#bytesMax = page?.bytes ?? Number.POSITIVE_INFINITY
    this.#examinedMax =
      page === undefined ? Number.POSITIVE_INFINITY : PLANNER_LIMITS.pageExaminedRowsMax
  }

  get rowCount(): number {
    return this.#rows.rowCount
  }

  isFull(): boolean {
    return (
      this.#rows.rowCount >= this.rowsMax ||
      this.#rows.bytes >= this.#bytesMax ||
      this.#examined >= this.#examinedMax
    )
  }

  /** Counts a row that was read, kept or not. */
  examine(): void {
    this.#examined += 1
  }

  add(scope: Scope): void {
    this.#rows.write(this.#projection.project(scope))
  }

  /** Whether rows of the plan's table are written as they are stored, by `takeStored`. */
  takesStored({ table }: RangeScanPlan): boolean {
    const { places } = this.#projection
    return places !== undefined && this.#rows.takesStored?.(table, places) === true
  }

  /** Takes some of these rows, from `from` on; returns how many. To be called while it is not full. */
  takeStored(rows: StoredRows, from: number): number {
    const left = Math.min(this.rowsMax - this.#rows.rowCount, this.#examinedMax - this.#examined)
    const taken = this.#rows.takeStored?.(rows, { from, rowsMax: left, bytesMax: this.#bytesMax })
    this.#examined += taken as number
    return taken as number
  }

  result(): StatementResult {
    return { ...resultOf(this.#projection.columns, this.#rows), rowsAffected: 0 }
  }

  /** The same when there is more: the next page continues after this key. */
  resultUpTo(key: Uint8Array): StatementResult {
    const rowsGiven = (this.#mark?.rowsGiven ?? 0) + this.rowCount
    return { ...this.result(), resumeAfter: encodePageMark({ rowsGiven, key }) }
  }
}

/**
 * Where a page of a SCAN ended: how many rows all pages so far gave, for the LIMIT, and the
 * key of the last row read, kept or not. Opaque to everyone else:
 *
 *     u64be rows given · key: a row key, or that of an index entry
 */
type PageMark = { readonly rowsGiven: number; readonly key: Uint8Array }

function encodePageMark({ rowsGiven, key }: PageMark): Uint8Array {
  const mark = new Uint8Array(8 + key.length)
  new DataView(mark.buffer).setBigUint64(0, BigInt(rowsGiven))
  mark.set(key, 8)
  return mark
}

/** Undefined for bytes that are no page mark. */
function decodePageMark(mark: Uint8Array): PageMark | undefined {
  if (mark.length <= 8) return undefined
  const view = new DataView(mark.buffer, mark.byteOffset, mark.byteLength)
  const rowsGiven = Number(view.getBigUint64(0))
  return Number.isSafeInteger(rowsGiven) ? { rowsGiven, key: mark.subarray(8) } : undefined
}
