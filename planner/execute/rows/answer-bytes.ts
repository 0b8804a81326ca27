// SPDX-License-Identifier: Apache-2.0
import { Decimal, type SqlType, type SqlValue } from '../../../storage/values/values.ts'

/** Bytes that an object and each of its fields occupy in addition to their names and values, about. */
const ROW_BYTES = 32
const FIELD_BYTES = 16

type Column = { readonly name: string; readonly type: SqlType }

/**
 * About how many bytes the rows of one answer occupy as JSON objects, in memory or in the answer. Their names count
 * as well: they stand in every row, and a statement can make them as long as it likes.
 */
export class AnswerBytes {
  readonly #columns: readonly Column[]
  readonly #perRow: number

  constructor(columns: readonly Column[]) {
    let perRow = ROW_BYTES
    for (let index = 0; index < columns.length; index += 1) {
      perRow += stringBytes((columns[index] as Column).name) + FIELD_BYTES
    }
    this.#columns = columns
    this.#perRow = perRow
  }

  /** Their names and types, which the answer of each statement has once, be it without rows. */
  get ofColumns(): number {
    return this.#columns.length === 0 ? 0 : this.#perRow
  }

  of(row: readonly SqlValue[]): number {
    let bytes = this.#perRow
    for (let index = 0; index < row.length; index += 1) {
      const value = row[index] as SqlValue
      if (typeof value === 'string') {
        // JSON is written as it is stored.
        const isJson = this.#columns[index]?.type === 'JSON'
        bytes += isJson ? Buffer.byteLength(value) : stringBytes(value)
      } else if (value instanceof Uint8Array) {
        bytes += Math.ceil(value.length / 3) * 4
      } else if (value instanceof Decimal) {
        // A byte of a number has two digits and a half.
        bytes += value.length * 3
      }
    }
    return bytes
  }
}

/** What takes more than one byte in a string of JSON. */
const NOT_PLAIN = /[^ !#-[\]-\x7f]/

/** How many bytes more than one each character of ASCII takes in a string of JSON. */
const ESCAPE_BYTES = Uint8Array.from({ length: 128 }, (_, unit) => {
  return JSON.stringify(String.fromCharCode(unit)).length - '"a"'.length
})

/**
 * Bytes of the text as a string of JSON in UTF-8, without its quotes. A control character takes six: texts of them
 * would otherwise let a client hold six times its share.
 */
function stringBytes(text: string): number {
  if (!NOT_PLAIN.test(text)) return text.length
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += ESCAPE_BYTES[unit] as number
    // Each half of a pair of surrogates stands for two of its four bytes.
    else bytes += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2
  }
  return bytes
}
