// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { RowProjection } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { newRows, resultOf } from './collected-rows.ts'
import type {
  AnswerBytesBudget,
  ExecutionContext,
  RowWriter,
  StatementResult,
} from './execution-context.ts'

/**
 * The rows of a statement that is answered whole: of a GET, or of a RETURNING, if there is one. A few
 * rows can be of any size, so the answer is measured as it grows.
 */
export class AnswerRows {
  readonly #projection: RowProjection | undefined
  readonly #position: Position
  readonly #budget: AnswerBytesBudget
  readonly #rows: RowWriter | undefined

  constructor(
    projection: RowProjection | undefined,
    position: Position,
    context: Pick<ExecutionContext, 'answerBytes' | 'newRowWriter'>,
  ) {
    this.#projection = projection
    this.#position = position
    this.#budget = context.answerBytes ?? UNBOUNDED
    this.#rows = projection && newRows(projection.columns, context)
  }

  /** Throws PlanError limit_exceeded when the answer would become too large. */
  add(scope: Scope): void {
    if (this.#projection === undefined || this.#rows === undefined) return
    this.#rows.write(this.#projection.project(scope))
    const { used, max } = this.#budget
    const actual = used + this.#rows.bytes
    if (actual <= max) return
    throw new PlanError('limit_exceeded', `The answer would have more than ${max} bytes.`, {
      position: this.#position,
      hint: 'Ask for fewer rows in one request, or for fewer columns.',
      fields: { limit: 'answerBytesMax', limitValue: max, actual },
    })
  }

  result(rowsAffected = 0): StatementResult {
    const columns = this.#projection?.columns ?? []
    return { ...(this.#rows ? resultOf(columns, this.#rows) : { columns, rows: [] }), rowsAffected }
  }
}

const UNBOUNDED: AnswerBytesBudget = { used: 0, max: Number.POSITIVE_INFINITY }
