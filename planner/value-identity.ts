// SPDX-License-Identifier: Apache-2.0
import { canonicalJson, type SqlType, type SqlValue } from '../storage/storage.ts'

/** Equal exactly when the values (of one type, not NULL) are, and usable in a Set. */
export function identityOf(type: SqlType, value: SqlValue): SqlValue {
  if (type === 'JSON') return canonicalJson(value as string)
  if (type !== 'BYTES') return value
  const bytes = value as Uint8Array
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
