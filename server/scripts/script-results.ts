// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import { AnswerBytes, type IntegerForm, type StatementResult } from '../../planner/planner.ts'
import type { SqlValue, Timestamp } from '../../storage/storage.ts'
import { rowToJson } from '../answers/query-answer.ts'
import { SERVER_LIMITS } from '../limits.ts'

/** `ScriptResult` of `openapi.yaml`. */
export type ScriptResult = {
  readonly statement: number
  readonly kind: string
  readonly line: number
  readonly column: number
  readonly columns: StatementResult['columns']
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly rowsAffected: number
  readonly moreRows?: true
  readonly unmet?: StatementResult['unmet']
  readonly commitTimestamp?: Timestamp
}

/** What the statements of a script came to. Of their rows only the first are kept, so that it is bounded. */
export class ScriptResults {
  readonly list: ScriptResult[] = []
  readonly #integers: IntegerForm
  #rowBytes = 0
  #columnBytes = 0

  constructor(integers: IntegerForm) {
    this.#integers = integers
  }

  /** Of rows that are kept, and of the columns of all statements, about. */
  get bytes(): number {
    return this.#rowBytes + this.#columnBytes
  }

  add(
    index: number,
    { kind, position }: Statement,
    result: StatementResult,
    commitTimestamp: Timestamp | null,
  ): void {
    const { columns, rowsAffected, unmet, resumeAfter } = result
    const rows = this.#kept(result)
    const hasMore = rows.length < result.rows.length || resumeAfter !== undefined
    this.list.push({
      statement: index,
      kind,
      line: position.line,
      column: position.column,
      columns,
      rows: rows.map((row) => rowToJson(columns, row, this.#integers)),
      rowsAffected,
      ...(hasMore ? { moreRows: true } : {}),
      ...(unmet === undefined ? {} : { unmet }),
      ...(commitTimestamp === null ? {} : { commitTimestamp }),
    })
  }

  #kept({ columns, rows }: StatementResult): SqlValue[][] {
    const { scriptRowsMax, scriptRowBytesMax } = SERVER_LIMITS
    const answerBytes = new AnswerBytes(columns)
    const kept: SqlValue[][] = []
    this.#columnBytes += answerBytes.ofColumns
    for (const row of rows.slice(0, scriptRowsMax)) {
      const bytes = answerBytes.of(row)
      if (this.#rowBytes + bytes > scriptRowBytesMax) break
      this.#rowBytes += bytes
      kept.push(row)
    }
    return kept
  }
}
