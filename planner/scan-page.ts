// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../storage/storage.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type { Scope } from './compiled-expression.ts'
import type { ExecutionContext, StatementResult } from './execution-context.ts'
import { decodePageMark, type PageMark } from './page-mark.ts'
import type { RowProjection } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'

/** Where the page before ended; undefined for the first. Throws PlanError invalid_request. */
export function markOf({ page }: ExecutionContext): PageMark | undefined {
  if (page?.after === undefined) return undefined
  const mark = decodePageMark(page.after)
  if (mark !== undefined) return mark
  throw new PlanError('invalid_request', 'The place to continue the SCAN from is none.')
}

/** The rows of one page, and whether more would be too many. */
export class ScanPage {
  /** How many rows it takes; infinite without LIMIT and pages. */
  readonly rowsMax: number
  readonly #projection: RowProjection
  readonly #bytesMax: number
  readonly #examinedMax: number
  readonly #answerBytes: AnswerBytes
  readonly #rows: SqlValue[][] = []
  #bytes = 0
  #examined = 0

  /** `left` is what the LIMIT leaves of it. */
  constructor(projection: RowProjection, { page }: ExecutionContext, left: number) {
    this.#projection = projection
    this.rowsMax = Math.min(left, page?.rows ?? left)
    this.#answerBytes = new AnswerBytes(projection.columns)
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

  /** Counts a row that was read, kept or not. */
  examine(): void {
    this.#examined += 1
  }

  add(scope: Scope): void {
    const row = this.#projection.project(scope)
    this.#rows.push(row)
    this.#bytes += this.#answerBytes.of(row)
  }

  result(resumeAfter?: Uint8Array): StatementResult {
    const { columns } = this.#projection
    const result = { columns, rows: this.#rows, rowsAffected: 0 }
    return resumeAfter === undefined ? result : { ...result, resumeAfter }
  }
}
