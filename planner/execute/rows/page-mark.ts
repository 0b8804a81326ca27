// SPDX-License-Identifier: Apache-2.0

/**
 * Where a page of a SCAN ended: how many rows all pages so far gave, for the LIMIT, and the
 * key of the last row read, kept or not. Opaque to everyone else:
 *
 *     u64be rows given · key: a row key, or that of an index entry
 */
export type PageMark = { readonly rowsGiven: number; readonly key: Uint8Array }

export function encodePageMark({ rowsGiven, key }: PageMark): Uint8Array {
  const mark = new Uint8Array(8 + key.length)
  new DataView(mark.buffer).setBigUint64(0, BigInt(rowsGiven))
  mark.set(key, 8)
  return mark
}

/** Undefined for bytes that are no page mark. */
export function decodePageMark(mark: Uint8Array): PageMark | undefined {
  if (mark.length <= 8) return undefined
  const view = new DataView(mark.buffer, mark.byteOffset, mark.byteLength)
  const rowsGiven = Number(view.getBigUint64(0))
  return Number.isSafeInteger(rowsGiven) ? { rowsGiven, key: mark.subarray(8) } : undefined
}
