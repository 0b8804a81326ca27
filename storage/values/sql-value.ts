// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { compareDecimals, Decimal, type DecimalSize, sizedDecimal, typeText } from './decimal.ts'
import { canonicalJson } from './json/canonical-json.ts'
import type { SqlType, SqlValue } from './sql-type.ts'

export const INTEGER_MIN = -(2n ** 63n)
export const INTEGER_MAX = 2n ** 63n - 1n

export function isIntegerInRange(value: bigint): boolean {
  return value >= INTEGER_MIN && value <= INTEGER_MAX
}

/**
 * Refuses a value that a column of this type cannot hold; NULL passes. The text of a JSON value is
 * not parsed again.
 *
 * Errors: `type_mismatch` for another JavaScript type or a string with a lone surrogate,
 * `out_of_range` for more than 64 bits, for a REAL that is not finite, and for a DECIMAL that is not of the size given.
 */
export function requireValue(
  type: SqlType,
  value: SqlValue,
  columnName?: string,
  size?: DecimalSize,
): void {
  if (value === null) return
  const refusal = refusalOf(type, value, size)
  if (refusal === null) return
  const position = columnName === undefined ? `A ${type}` : `Column "${columnName}", ${type},`
  const fields = columnName === undefined ? { type } : { type, column: columnName }
  throw new StorageError(refusal.code, `${position} ${refusal.reason}.`, fields)
}

type Refusal = { readonly code: 'type_mismatch' | 'out_of_range'; readonly reason: string }

function refusalOf(
  type: SqlType,
  value: Exclude<SqlValue, null>,
  size: DecimalSize | undefined,
): Refusal | null {
  if (!hasShapeOf(type, value)) {
    return { code: 'type_mismatch', reason: `cannot be a ${shapeOf(value)}` }
  }
  if (typeof value === 'bigint' && !isIntegerInRange(value)) {
    return { code: 'out_of_range', reason: `has 64 bits, and ${value} needs more` }
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { code: 'out_of_range', reason: `must be finite, not ${value}` }
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    return { code: 'type_mismatch', reason: 'must be well-formed Unicode, without lone surrogates' }
  }
  if (value instanceof Decimal && size !== undefined && sizedDecimal(value, size) !== value) {
    return { code: 'out_of_range', reason: `is ${typeText(type, size)}, and ${value} is none` }
  }
  return null
}

/**
 * The order of the dialect: negative, zero or positive. It is the order of the encoded keys: NULL
 * first, TEXT by code point, BYTES unsigned, FALSE before TRUE, −0 as 0. JSON has no order of its
 * own; here equal documents give 0 and others the order of their canonical texts.
 */
export function compareValues(type: SqlType, a: SqlValue, b: SqlValue): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  switch (type) {
    case 'TEXT':
      return compareText(a as string, b as string)
    case 'BYTES':
      return Buffer.compare(a as Uint8Array, b as Uint8Array)
    case 'JSON':
      return a === b ? 0 : compareText(canonicalJson(a as string), canonicalJson(b as string))
    case 'DECIMAL':
      return compareDecimals(a as Decimal, b as Decimal)
    case 'INTEGER':
    case 'REAL':
    case 'BOOLEAN':
    case 'TIMESTAMP':
    case 'DATE':
      return a < b ? -1 : a > b ? 1 : 0
  }
}

/** By code point, which is the order of the UTF-8 bytes; `<` on strings orders by UTF-16 unit instead. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

/**
 * Surrogates (D800–DFFF) stand for code points above FFFF, so they rank above E000–FFFF. Where two
 * texts first differ inside a pair, comparing the units still compares the code points.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

function hasShapeOf(type: SqlType, value: SqlValue): boolean {
  switch (type) {
    case 'TEXT':
    case 'JSON':
      return typeof value === 'string'
    case 'INTEGER':
    case 'TIMESTAMP':
    case 'DATE':
      return typeof value === 'bigint'
    case 'DECIMAL':
      return value instanceof Decimal
    case 'REAL':
      return typeof value === 'number'
    case 'BOOLEAN':
      return typeof value === 'boolean'
    case 'BYTES':
      return value instanceof Uint8Array
  }
}

function shapeOf(value: SqlValue): string {
  if (value instanceof Uint8Array) return 'byte string'
  if (value instanceof Decimal) return 'DECIMAL'
  return typeof value === 'bigint' ? 'whole number' : typeof value
}
