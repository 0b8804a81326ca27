// SPDX-License-Identifier: Apache-2.0
import { canonicalJson, type SqlType, type SqlValue } from '../storage/storage.ts'

/** Equal exactly when the values (of one type) are; NULL is equal to itself here, and usable in a Set. */
export function identityOf(type: SqlType, value: SqlValue): SqlValue {
  if (value === null) return null
  if (type === 'JSON') return canonicalJson(value as string)
  if (type !== 'BYTES') return value
  const bytes = value as Uint8Array
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
