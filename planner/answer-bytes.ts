// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../storage/storage.ts'

/** What an object and each of its fields occupy beside their names and values, about. */
const ROW_BYTES = 32
const FIELD_BYTES = 16

/**
 * About how many bytes a row occupies as a JSON object, in memory or in an answer. Its names count
 * as well: they stand in every row, and a statement can make them as long as it likes.
 */
export class AnswerBytes {
  readonly #perRow: number

  constructor(columns: ReadonlyArray<{ readonly name: string }>) {
    let perRow = ROW_BYTES
    for (let index = 0; index < columns.length; index += 1) {
      perRow += (columns[index] as { name: string }).name.length + FIELD_BYTES
    }
    this.#perRow = perRow
  }

  of(row: readonly SqlValue[]): number {
    let bytes = this.#perRow
    for (const value of row) {
      if (typeof value === 'string') bytes += value.length
      else if (value instanceof Uint8Array) bytes += Math.ceil(value.length / 3) * 4
    }
    return bytes
  }
}
