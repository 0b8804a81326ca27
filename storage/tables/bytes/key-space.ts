// SPDX-License-Identifier: Apache-2.0
import { bufferOf } from '../../cells/row-key.ts'

/**
 * What a row key of tables and indexes begins with: one byte for the space, and the id of the table or
 * the index as u32be.
 */
export const KEY_SPACE_BYTES = 1 + 4

/** The bytes that all keys of this table or index start with, and no other key. */
export function keySpace(space: number, id: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(KEY_SPACE_BYTES)
  writeKeySpace(bytes, space, id)
  return bytes
}

/** Writes the same at the beginning of a key; returns the offset of the values. */
export function writeKeySpace(target: Buffer, space: number, id: number): number {
  target[0] = space
  return target.writeUInt32BE(id, 1)
}

/** The id that a row key of this space has; undefined for keys of other spaces. */
export function idInKeySpace(rowKey: Uint8Array, space: number): number | undefined {
  if (rowKey[0] !== space || rowKey.length < KEY_SPACE_BYTES) return undefined
  return bufferOf(rowKey).readUInt32BE(1)
}
