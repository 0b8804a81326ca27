// SPDX-License-Identifier: Apache-2.0
import type { RowWriter } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/storage.ts'
import { type ResultForm, rowsText } from './result-form.ts'

/** Rows of a result that is not whole yet, as JSON with commas between them. */
export class WrittenRows implements RowWriter {
  readonly parts: Uint8Array[] = []
  rowCount = 0
  bytes = 0
  readonly #form: ResultForm

  constructor(form: ResultForm) {
    this.#form = form
  }

  write(rows: readonly SqlValue[][]): void {
    const separator = this.rowCount === 0 ? '' : ','
    const part = Buffer.from(separator + rowsText(this.#form, rows))
    this.parts.push(part)
    this.rowCount += rows.length
    this.bytes += part.length
  }
}
