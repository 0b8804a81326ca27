// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer'
import { AnswerBytes, type RowWriter, type StoredPart } from '../../../planner/planner.ts'
import type { RowObjects, StoredRows, TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import {
  type Columns,
  isLongRow,
  newShape,
  type ResultForm,
  rowPieces,
  rowText,
} from './result-form.ts'
import { PIECE_CHARACTERS } from './text-pieces.ts'

/** Characters that are held as one text; with more they are bytes, which V8's collector does not copy. */
const TEXT_CHARACTERS_MAX = 256 * 1024

/** Rows as they are stored that are written by one JSON.stringify. */
const STORED_AT_ONCE = 32

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
  #places: readonly number[] = []
  #storedAtOnce = STORED_AT_ONCE
  readonly columnBytes: number
  rowCount = 0
  bytes = 0

  constructor(columns: Columns, form: ResultForm) {
    this.#columns = columns
    this.#form = form
    this.columnBytes = form.columns.length
  }

  write(row: readonly SqlValue[]): void {
    if (!isLongRow(row)) {
      const text = rowText(this.#form, row)
      this.#add(text, 1, Buffer.byteLength(text) + 1)
      return
    }
    this.#add('', 1, new AnswerBytes(this.#columns).of(row))
    this.#endText()
    this.#parts.push(row)
  }

  takesStored(table: TableDefinition, places: readonly number[]): boolean {
    const form = this.#form
    form.shape ??= newShape(form, table, places) ?? null
    this.#places = places
    return form.shape !== null
  }

  takeStored(rows: StoredRows, part: StoredPart): number {
    const { from, rowsMax, bytesMax } = part
    const end = Math.min(rows.length, from + Math.min(rowsMax, this.#storedAtOnce))
    const objects = rows.objects(this.#form.shape as RowObjects, from, end, PIECE_CHARACTERS)
    const binary = objects.length === 0 ? '' : JSON.stringify(objects)
    const text = textOfBytes(binary)
    if (text === undefined || objects.length === 0) {
      // It is long, or damaged, or not plain.
      const { row } = rows.at(from)
      this.write(this.#places.map((place) => row[place] as SqlValue))
      return 1
    }
    // Each row with its comma: one of the two brackets stands for that of the last one.
    const bytes = binary.length - 1
    if (objects.length > 1 && this.bytes + bytes >= bytesMax) {
      // The last row of the page is one of these.
      this.#storedAtOnce = objects.length >> 1
      return this.takeStored(rows, part)
    }
    this.#add(text.slice(1, -1), objects.length, bytes)
    return objects.length
  }

  #add(text: string, rowCount: number, bytes: number): void {
    this.#text += this.rowCount > 0 ? `,${text}` : text
    this.rowCount += rowCount
    this.bytes += bytes
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

/** The text of which these are the bytes, each as a character; undefined where they are not UTF-8. */
function textOfBytes(binary: string): string | undefined {
  if (Buffer.byteLength(binary) === binary.length) return binary
  const bytes = Buffer.from(binary, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
