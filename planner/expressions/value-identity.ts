// SPDX-License-Identifier: Apache-2.0
import { bufferOf } from '../../storage/storage.ts'
import { canonicalJson, type SqlType, type SqlValue } from '../../storage/values/values.ts'

const SMALLEST = BigInt(Number.MIN_SAFE_INTEGER)
const GREATEST = BigInt(Number.MAX_SAFE_INTEGER)

/** Equal exactly when the values (of one type) are; NULL is equal to itself here, and usable in a Set. */
export function identityOf(type: SqlType, value: SqlValue): SqlValue {
  if (value === null) return null
  // A table of hashes finds a number several times as fast, and no two values share one.
  if (typeof value === 'bigint') {
    return value >= SMALLEST && value <= GREATEST ? Number(value) : value
  }
  if (type === 'JSON') return canonicalJson(value as string)
  if (type !== 'BYTES') return value
  return identityOfBytes(value as Uint8Array)
}

/** One character for each byte. */
export function identityOfBytes(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1')
}
