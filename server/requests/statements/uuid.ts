// SPDX-License-Identifier: Apache-2.0
import type { Randomness } from '../../../storage/storage.ts'

/** A version 7 UUID (RFC 9562): 48 bits of milliseconds since 1970, then random bits. */
export function uuidV7(wallMs: number, randomness: Randomness): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.floor(wallMs), 0, 6)
  bytes.set(randomness.bytes(10), 6)
  bytes.writeUInt8(((bytes[6] as number) & 0x0f) | 0x70, 6)
  bytes.writeUInt8(((bytes[8] as number) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-')
}
