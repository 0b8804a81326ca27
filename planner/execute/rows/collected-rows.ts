// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../../storage/storage.ts'
import type { ExecutionContext, RowWriter, StatementResult } from './execution-context.ts'

/** So many rows are handed to the writer together; an answer that is shorter never meets it. */
const ROWS_AT_ONCE = 100

/** Rows of more bytes than this are held instead: to write them takes several turns, and there is no pause here. */
const BYTES_AT_ONCE_MAX = 512 * 1024

/**
 * The rows of an answer as they are found. Those of a long one are written while the next are sought, where the
 * context says by whom: thousands of rows that live until the last one is found would be copied by the garbage
 * collector again and again, and everybody waits for that.
 */
export class CollectedRows {
  readonly #columns: StatementResult['columns']
  readonly #newWriter: ExecutionContext['newRowWriter']
  #writer: RowWriter | undefined
  #heldBytes = 0
  #bytes = 0
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

  /** What the rows have come to, about. */
  get bytes(): number {
    return this.#bytes
  }

  add(row: SqlValue[], bytes: number): void {
    this.#rows.push(row)
    this.#bytes += bytes
    this.#heldBytes += bytes
    if (this.#newWriter === undefined || this.#rows.length < ROWS_AT_ONCE) return
    if (this.#heldBytes > BYTES_AT_ONCE_MAX) return
    this.#writer ??= this.#newWriter(this.#columns)
    this.#writer.write(this.#rows)
    this.#rows = []
    this.#heldBytes = 0
  }

  get result(): Pick<StatementResult, 'columns' | 'rows' | 'written' | 'bytes'> {
    const found = { columns: this.#columns, rows: this.#rows, bytes: this.#bytes }
    return this.#writer === undefined ? found : { ...found, written: this.#writer }
  }
}

/** Of a whole answer. */
export function rowCountOf({ rows, written }: StatementResult): number {
  return rows.length + (written?.rowCount ?? 0)
}
