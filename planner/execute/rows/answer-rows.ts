// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { RowProjection } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { AnswerBytes } from './answer-bytes.ts'
import { CollectedRows } from './collected-rows.ts'
import type { ExecutionContext, StatementResult } from './execution-context.ts'

/**
 * The rows of a statement that is answered whole: of a GET, or of a RETURNING, if there is one. A few
 * rows can be of any size, so the answer is measured as it grows.
 */
export class AnswerRows {
  readonly #projection: RowProjection | undefined
  readonly #position: Position
  readonly #budget: ExecutionContext['answerBytes']
  readonly #answerBytes: AnswerBytes | undefined
  readonly #rows: CollectedRows
  #bytes: number

  constructor(
    projection: RowProjection | undefined,
    position: Position,
    context: Pick<ExecutionContext, 'answerBytes' | 'newRowWriter'>,
  ) {
    const { answerBytes } = context
    this.#projection = projection
    this.#position = position
    this.#budget = answerBytes
    this.#bytes = answerBytes?.used ?? 0
    this.#answerBytes = projection && new AnswerBytes(projection.columns)
    this.#rows = new CollectedRows(projection?.columns ?? [], context)
  }

  /** Throws PlanError limit_exceeded when the answer would become too large. */
  add(scope: Scope): void {
    if (this.#projection === undefined || this.#answerBytes === undefined) return
    const row = this.#projection.project(scope)
    const bytes = this.#answerBytes.of(row)
    this.#rows.add(row, bytes)
    this.#bytes += bytes
    const max = this.#budget?.max ?? Number.POSITIVE_INFINITY
    if (this.#bytes <= max) return
    throw new PlanError('limit_exceeded', `The answer would have more than ${max} bytes.`, {
      position: this.#position,
      hint: 'Ask for fewer rows in one request, or for fewer columns.',
      fields: { limit: 'answerBytesMax', limitValue: max, actual: this.#bytes },
    })
  }

  result(rowsAffected = 0): StatementResult {
    return { ...this.#rows.result, rowsAffected }
  }
}
