// SPDX-License-Identifier: Apache-2.0
import type { SqlValue, TableDefinition } from '../../../storage/storage.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type {
  ExecutionContext,
  RowWriter,
  StatementResult,
  TakeStored,
} from './execution-context.ts'

/** The rows of an answer as they are found: handed to a writer where the context has one, else held. */
export class CollectedRows {
  readonly #columns: StatementResult['columns']
  readonly #target: RowWriter | HeldRows

  constructor(
    columns: StatementResult['columns'],
    { newRowWriter }: Pick<ExecutionContext, 'newRowWriter'>,
  ) {
    this.#columns = columns
    this.#target = newRowWriter?.(columns) ?? new HeldRows(columns)
  }

  get count(): number {
    return this.#target.rowCount
  }

  /** What the rows have come to, about. */
  get bytes(): number {
    return this.#target.bytes
  }

  add(row: SqlValue[]): void {
    this.#target.write(row)
  }

  /** As that of a `RowWriter`. */
  storedRows(table: TableDefinition, places: readonly number[]): TakeStored | undefined {
    const target = this.#target
    return target instanceof HeldRows ? undefined : target.storedRows?.(table, places)
  }

  get result(): Pick<StatementResult, 'columns' | 'rows' | 'written' | 'bytes'> {
    const columns = this.#columns
    const target = this.#target
    return target instanceof HeldRows
      ? { columns, rows: target.rows, bytes: target.bytes }
      : { columns, rows: [], written: target }
  }
}

class HeldRows {
  readonly rows: SqlValue[][] = []
  bytes = 0
  readonly #answerBytes: AnswerBytes

  constructor(columns: StatementResult['columns']) {
    this.#answerBytes = new AnswerBytes(columns)
  }

  get rowCount(): number {
    return this.rows.length
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
