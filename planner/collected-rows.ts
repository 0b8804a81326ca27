// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../storage/storage.ts'
import type { ExecutionContext, RowWriter, StatementResult } from './execution-context.ts'

/** So many rows are handed to the writer together; an answer that is shorter never meets it. */
const ROWS_AT_ONCE = 100

/**
 * The rows of an answer as they are found. Those of a long one are written while the next are sought, where the
 * context says by whom: thousands of rows that live until the last one is found would be copied by the garbage
 * collector again and again, and everybody waits for that.
 */
export class CollectedRows {
  readonly #columns: StatementResult['columns']
  readonly #newWriter: ExecutionContext['newRowWriter']
  #writer: RowWriter | undefined
  #rows: SqlValue[][] = []

  constructor(
    columns: StatementResult['columns'],
    { newRowWriter }: Pick<ExecutionContext, 'newRowWriter'>,
  ) {
    this.#columns = columns
    this.#newWriter = newRowWriter
  }

  get count(): number {
    return this.#rows.length + (this.#writer?.rowCount ?? 0)
  }

  add(row: SqlValue[]): void {
    this.#rows.push(row)
    if (this.#newWriter === undefined || this.#rows.length < ROWS_AT_ONCE) return
    this.#writer ??= this.#newWriter(this.#columns)
    this.#writer.write(this.#rows)
    this.#rows = []
  }

  get result(): Pick<StatementResult, 'columns' | 'rows' | 'written'> {
    const found = { columns: this.#columns, rows: this.#rows }
    return this.#writer === undefined ? found : { ...found, written: this.#writer }
  }
}

/** Of a whole answer. */
export function rowCountOf({ rows, written }: StatementResult): number {
  return rows.length + (written?.rowCount ?? 0)
}
