// SPDX-License-Identifier: Apache-2.0
import { AnswerBytes, type RowWriter } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/storage.ts'
import { type Columns, isLongRow, type ResultForm, rowPieces, rowText } from './result-form.ts'

/** Characters that are held as one text; with more they are bytes, which V8's collector does not copy. */
const TEXT_CHARACTERS_MAX = 256 * 1024

/**
 * The rows of one result as JSON with commas between them, written as they are found: their values would live until
 * the last one is found, and their bytes would have to be guessed. A row with long values is held, and written in
 * pieces at the end, since there is no pause here.
 */
export class WrittenRows implements RowWriter {
  readonly #columns: Columns
  readonly #form: ResultForm
  /** What comes before the text. */
  readonly #parts: Array<Uint8Array | readonly SqlValue[]> = []
  #text = ''
  rowCount = 0
  bytes = 0

  constructor(columns: Columns, form: ResultForm) {
    this.#columns = columns
    this.#form = form
  }

  get columnBytes(): number {
    return this.#form.columns.length
  }

  write(row: readonly SqlValue[]): void {
    if (this.rowCount > 0) this.#text += ','
    this.rowCount += 1
    if (isLongRow(row)) {
      this.#endText()
      this.#parts.push(row)
      this.bytes += new AnswerBytes(this.#columns).of(row)
      return
    }
    const text = rowText(this.#form, row)
    this.#text += text
    this.bytes += Buffer.byteLength(text) + 1
    if (this.#text.length > TEXT_CHARACTERS_MAX) this.#endText()
  }

  /** All of them, where they are few and short; else undefined. */
  get text(): string | undefined {
    return this.#parts.length === 0 ? this.#text : undefined
  }

  *pieces(): Generator<string | Uint8Array, void, undefined> {
    for (const part of this.#parts) {
      if (part instanceof Uint8Array) yield part
      else yield* rowPieces(this.#form, part)
    }
    yield this.#text
  }

  #endText(): void {
    if (this.#text !== '') this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
