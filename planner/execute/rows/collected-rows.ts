// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../../storage/values/values.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type { ExecutionContext, RowWriter, StatementResult } from './execution-context.ts'

type Columns = StatementResult['columns']

/** Takes the rows of an answer as they are found: a writer where the context makes them, else they are held. */
export function newRows(
  columns: Columns,
  { newRowWriter }: Pick<ExecutionContext, 'newRowWriter'>,
): RowWriter {
  return newRowWriter?.(columns) ?? new HeldRows(columns)
}

/** The result of the rows that `newRows` has made. */
export function resultOf(
  columns: Columns,
  rows: RowWriter,
): Pick<StatementResult, 'columns' | 'rows' | 'written' | 'bytes'> {
  return rows instanceof HeldRows
    ? { columns, rows: rows.rows, bytes: rows.bytes }
    : { columns, rows: [], written: rows }
}

class HeldRows implements RowWriter {
  readonly rows: SqlValue[][] = []
  bytes = 0
  readonly #answerBytes: AnswerBytes

  constructor(columns: Columns) {
    this.#answerBytes = new AnswerBytes(columns)
  }

  get rowCount(): number {
    return this.rows.length
  }

  get columnBytes(): number {
    return this.#answerBytes.ofColumns
  }

  write(row: SqlValue[]): void {
    this.rows.push(row)
    this.bytes += this.#answerBytes.of(row)
  }
}

/** Of a whole answer. */
export function rowCountOf({ rows, written }: StatementResult): number {
  return written?.rowCount ?? rows.length
}
