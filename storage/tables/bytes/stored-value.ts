// SPDX-License-Identifier: Apache-2.0
import type { Decimal } from '../../values/decimal.ts'
import type { SqlType, SqlValue } from '../../values/sql-type.ts'

/**
 * A value inside a row value: a number, its kind, says how it is written, so that a reader can step over a column it
 * does not know and sees when bytes do not belong to the column's type. Numbers are big-endian, signed where they can
 * be; an INTEGER, and the days of a DATE, take the smallest kind they fit. Of a DECIMAL the
 * units are written, in as few bytes as they fit: the column says the scale.
 */
export const KIND = {
  null: 0,
  false: 1,
  true: 2,
  integer8: 3,
  integer16: 4,
  integer32: 5,
  integer64: 6,
  real: 7,
  text: 8,
  bytes: 9,
  timestamp: 10,
  json: 11,
  decimal: 12,
} as const

export function kindOf(type: SqlType, value: SqlValue): number {
  if (value === null) return KIND.null
  switch (type) {
    case 'TEXT':
      return KIND.text
    case 'INTEGER':
    case 'DATE':
      return kindOfInteger(value as bigint)
    case 'DECIMAL':
      return KIND.decimal
    case 'REAL':
      return KIND.real
    case 'BOOLEAN':
      return value === true ? KIND.true : KIND.false
    case 'BYTES':
      return KIND.bytes
    case 'TIMESTAMP':
      return KIND.timestamp
    case 'JSON':
      return KIND.json
  }
}

function kindOfInteger(value: bigint): number {
  if (value >= -0x80n && value < 0x80n) return KIND.integer8
  if (value >= -0x8000n && value < 0x8000n) return KIND.integer16
  if (value >= -0x8000_0000n && value < 0x8000_0000n) return KIND.integer32
  return KIND.integer64
}

/** The bytes that the value takes after its kind, without the length of TEXT, BYTES, JSON and DECIMAL. */
export function bodyBytes(kind: number, value: SqlValue): number {
  switch (kind) {
    case KIND.text:
    case KIND.json:
      return Buffer.byteLength(value as string)
    case KIND.bytes:
      return (value as Uint8Array).length
    case KIND.decimal:
      return unitsBytes((value as Decimal).units)
    default:
      return fixedBodyBytes(kind)
  }
}

/** The same of a kind that has no length. */
export function fixedBodyBytes(kind: number): number {
  switch (kind) {
    case KIND.integer8:
      return 1
    case KIND.integer16:
      return 2
    case KIND.integer32:
      return 4
    case KIND.integer64:
    case KIND.real:
    case KIND.timestamp:
      return 8
    default:
      return 0
  }
}

/** Whether the body is preceded by its length. */
export function hasLength(kind: number): boolean {
  return kind === KIND.text || kind === KIND.bytes || kind === KIND.json || kind === KIND.decimal
}

/** Of a signed whole number. */
export function unitsBytes(units: bigint): number {
  let bytes = 1
  for (let rest = units < 0n ? ~units : units; rest >= 0x80n; rest >>= 8n) bytes += 1
  return bytes
}

/** Writes the body at `offset`, if there is space; returns the offset after it. */
export function writeBody(target: Buffer, offset: number, kind: number, value: SqlValue): number {
  switch (kind) {
    case KIND.integer8:
      return target.writeInt8(Number(value), offset)
    case KIND.integer16:
      return target.writeInt16BE(Number(value), offset)
    case KIND.integer32:
      return target.writeInt32BE(Number(value), offset)
    case KIND.integer64:
    case KIND.timestamp:
      return target.writeBigInt64BE(value as bigint, offset)
    case KIND.real:
      return target.writeDoubleBE((value as number) + 0, offset) // Adding 0 makes 0 of −0.
    case KIND.text:
    case KIND.json:
      return offset + target.write(value as string, offset)
    case KIND.bytes:
      target.set(value as Uint8Array, offset)
      return offset + (value as Uint8Array).length
    case KIND.decimal:
      return writeUnits(target, offset, (value as Decimal).units)
    default:
      return offset
  }
}

function writeUnits(target: Buffer, start: number, units: bigint): number {
  const bytes = unitsBytes(units)
  if (bytes <= 6) return target.writeIntBE(Number(units), start, bytes)
  let rest = units
  for (let at = start + bytes - 1; at >= start; at -= 1) {
    target[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return start + bytes
}

/** Whether a column of this type can hold a value written in this kind. */
export function isKindOf(type: SqlType, kind: number): boolean {
  switch (type) {
    case 'TEXT':
      return kind === KIND.text || kind === KIND.null
    case 'INTEGER':
    case 'DATE':
      return (kind >= KIND.integer8 && kind <= KIND.integer64) || kind === KIND.null
    case 'DECIMAL':
      return kind === KIND.decimal || kind === KIND.null
    case 'REAL':
      return kind === KIND.real || kind === KIND.null
    case 'BOOLEAN':
      return kind === KIND.false || kind === KIND.true || kind === KIND.null
    case 'BYTES':
      return kind === KIND.bytes || kind === KIND.null
    case 'TIMESTAMP':
      return kind === KIND.timestamp || kind === KIND.null
    case 'JSON':
      return kind === KIND.json || kind === KIND.null
  }
}
