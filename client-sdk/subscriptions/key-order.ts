// SPDX-License-Identifier: Apache-2.0
import type { KeyValue } from '../key-path.ts'
import type { KeyColumn } from '../wire.ts'
import type { RowKey } from './subscription-event.ts'

/** The order of rows along their primary key, as the server keeps them; 0 for the same row. */
export function compareKeys(columns: readonly KeyColumn[], a: RowKey, b: RowKey): number {
  for (const [position, { descending }] of columns.entries()) {
    const order = compareValues(a[position] as KeyValue, b[position] as KeyValue)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** Both are of the type of one column. */
function compareValues(a: KeyValue, b: KeyValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code point. JavaScript compares halves of surrogate pairs, which stand before U+E000 to U+FFFF. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let position = 0; position < length; position += 1) {
    const unit = a.charCodeAt(position)
    const other = b.charCodeAt(position)
    if (unit !== other) return codePointRank(unit) - codePointRank(other)
  }
  return a.length - b.length
}

/** Half a pair stands for a code point beyond all that are one unit. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let position = 0; position < length; position += 1) {
    const order = (a[position] as number) - (b[position] as number)
    if (order !== 0) return order
  }
  return a.length - b.length
}
