// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import { AnswerBytes, type IntegerForm, type StatementResult } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { rowToJson } from '../answers/query-answer.ts'

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

/**
 * What the statements of a script came to. Of their rows only the first are kept, and columns as long as there is room,
 * so that it is bounded, and an answer or an error is written in one turn.
 */
export class ScriptResults {
  readonly list: ScriptResult[] = []
  readonly #integers: IntegerForm
  #bytes = 0

  constructor(integers: IntegerForm) {
    this.#integers = integers
  }

  /** Of the rows and columns that are kept, about. */
  get bytes(): number {
    return this.#bytes
  }

  add(
    index: number,
    { kind, position }: Statement,
    result: StatementResult,
    commitTimestamp: Timestamp | null,
  ): void {
    const { rowsAffected, unmet } = result
    const { columns, rows, hasMore } = this.#kept(result)
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

  #kept({ columns, rows, resumeAfter }: StatementResult): Kept {
    const { scriptRowsMax, scriptRowBytesMax } = SERVER_LIMITS
    const answerBytes = new AnswerBytes(columns)
    const isKept = (bytes: number) => {
      if (this.#bytes + bytes > scriptRowBytesMax) return false
      this.#bytes += bytes
      return true
    }
    if (!isKept(answerBytes.ofColumns)) return { columns: [], rows: [], hasMore: true }
    const kept: SqlValue[][] = []
    for (const row of rows.slice(0, scriptRowsMax)) {
      if (!isKept(answerBytes.of(row))) break
      kept.push(row)
    }
    return { columns, rows: kept, hasMore: kept.length < rows.length || resumeAfter !== undefined }
  }
}

type Kept = {
  readonly columns: StatementResult['columns']
  readonly rows: SqlValue[][]
  /** Rows were left out, or the columns with them. */
  readonly hasMore: boolean
}
