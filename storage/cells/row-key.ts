// SPDX-License-Identifier: Apache-2.0

/** Row keys are byte strings, ordered as unsigned bytes; a key sorts after each of its prefixes. */
export function compareRowKeys(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/**
 * The smallest key that is larger than every key starting with `prefix`, for use as the exclusive end of a range;
 * `undefined` (an open end) if there is none, as for FF FF … FF.
 */
export function endOfPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1
  if (length === 0) return undefined
  const end = Uint8Array.from(prefix.subarray(0, length))
  end[length - 1] = (end[length - 1] as number) + 1
  return end
}

export function hasPrefix(key: Uint8Array, prefix: Uint8Array): boolean {
  return compareRowKeys(key.subarray(0, prefix.length), prefix) === 0
}

/** The smallest key that is larger than `key` itself. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

/** A row key as a string with one character per byte: equal exactly when the keys are, and in the same order. */
export function keyString(key: Uint8Array): string {
  return bufferOf(key).toString('latin1')
}

/** The same bytes in memory, with the methods of a Buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The key of a system row: the byte 00, then an ASCII path such as `oracle` or `live/<incarnation>`. */
export function systemRowKey(path: string): Uint8Array {
  return Buffer.concat([Uint8Array.of(0x00), Buffer.from(path, 'latin1')])
}

/** The row of the timestamp oracle. No batch changes it together with another row, or unconditionally. */
export const ORACLE_ROW = systemRowKey('oracle')
