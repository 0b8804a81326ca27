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
  // By code point. JavaScript compares halves of surrogate pairs, which stand before U+E000 to U+FFFF.
  if (typeof a === 'string' && typeof b === 'string') {
    return compareSequences(a, b, (text, position) => codePointRank(text.charCodeAt(position)))
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return compareSequences(a, b, (bytes, position) => bytes[position] as number)
  }
  return a < b ? -1 : a > b ? 1 : 0
}

/** Half a pair stands for a code point beyond all that are one unit. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareSequences<T extends { readonly length: number }>(
  a: T,
  b: T,
  rankAt: (value: T, position: number) => number,
): number {
  const length = Math.min(a.length, b.length)
  for (let position = 0; position < length; position += 1) {
    const order = rankAt(a, position) - rankAt(b, position)
    if (order !== 0) return order
  }
  return a.length - b.length
}
