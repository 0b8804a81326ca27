// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../errors.ts'
import { DamagedRecord } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { Decimal, type DecimalSize, powerOfTen } from '../../values/decimal.ts'
import type { SqlType, SqlValue } from '../../values/sql-type.ts'
import { requireValue } from '../../values/sql-value.ts'

/**
 * One value inside a row key. The bytes sort as the values do, differ when the values differ, and none is a prefix of
 * another, so components can be concatenated without a separator.
 *
 *     NULL               05
 *     INTEGER 1          10 80 00 00 00 00 00 00 01       sign bit flipped, so −1 sorts below 0
 *     REAL 1.0           10 BF F0 00 00 00 00 00 00       sign flipped; a negative one wholly inverted
 *     DECIMAL(18, 2) 1.5 10 80 00 00 00 00 00 00 96       the units, sign bit flipped; 16 bytes of more than 18 digits
 *     BOOLEAN TRUE       10 01
 *     TEXT 'a', U+0000   10 61 00 FF 00 00                00 becomes 00 FF, and 00 00 ends it
 *
 * DESC inverts every byte. All vectors stand in `docs/storage-format.md`.
 */
const NULL_TAG = 0x05
const VALUE_TAG = 0x10
const SIGN_BIT = 2n ** 63n
const LONG_SIGN_BIT = 2n ** 127n

export function encodeKeyComponent(
  type: SqlType,
  value: SqlValue,
  descending: boolean,
  size?: DecimalSize,
): Uint8Array {
  requireValue(type, value)
  const component = { type, value, descending, size }
  const bytes = Buffer.allocUnsafe(keyComponentBytes(component, value))
  writeKeyComponent(bytes, 0, component)
  return bytes
}

/** Exactly as many bytes as {@link writeKeyComponent} writes for the value. */
export function keyComponentBytes(part: KeyComponentType, value: SqlValue): number {
  if (value === null) return 1
  const { type } = part
  switch (type) {
    case 'DECIMAL':
      return 1 + decimalBytes(part.size) + (keyUnits(value as Decimal, part).isKept ? 0 : 1)
    case 'INTEGER':
    case 'TIMESTAMP':
    case 'DATE':
    case 'REAL':
      return 1 + 8
    case 'BOOLEAN':
      return 1 + 1
    case 'TEXT':
      return 1 + textBytes(value as string) + 2
    case 'BYTES':
      return 1 + (value as Uint8Array).length + zerosOfBytes(value as Uint8Array) + 2
    case 'JSON':
      throw new StorageError('type_mismatch', 'JSON cannot be part of a key.', { type })
  }
}

export type KeyComponentType = {
  readonly type: SqlType
  readonly descending: boolean
  /** Of a DECIMAL. */
  readonly size?: DecimalSize | undefined
}

export type KeyComponent = KeyComponentType & {
  /** Checked before, by `requireValue`. */
  readonly value: SqlValue
}

/** Writes the component at `offset`, if there is enough space; returns the offset after it. */
export function writeKeyComponent(target: Buffer, offset: number, component: KeyComponent): number {
  const end = writeAscending(target, offset, component)
  if (component.descending) invert(target, offset, end)
  return end
}

/**
 * The key as a bound, or as one to look for. No row has a key of more than `rowKeyBytesMax`, so one
 * byte more of such a key has the same place among all keys there can be, and equals none of them:
 * a comparison with a long text need not fail, and the store is not given long keys.
 */
export function keyBound(key: Uint8Array): Uint8Array {
  const max = STORAGE_LIMITS.rowKeyBytesMax + 1
  return key.length <= max ? key : key.subarray(0, max)
}

/** The component at `offset`: its value and the offset after it. Rule T1. */
export function readKeyComponent(
  key: Buffer,
  offset: number,
  part: KeyComponentType,
): { readonly value: SqlValue; readonly end: number } {
  if (!part.descending) return readAscending(key, offset, part)
  const rest = Buffer.from(key.subarray(offset))
  invert(rest, 0, rest.length)
  const { value, end } = readAscending(rest, 0, part)
  return { value, end: offset + end }
}

/**
 * The bytes of an ascending TEXT from `offset` to the end of the key, each as a character: whether they are UTF-8 is
 * not looked at. Undefined where there is U+0000 in it, or anything else.
 */
export function readLastText(key: Buffer, offset: number): string | undefined {
  const end = key.length - 2
  if (key[offset] !== VALUE_TAG || key.indexOf(0, offset) !== end || key[end + 1] !== 0) return
  return key.toString('latin1', offset + 1, end)
}

function writeAscending(target: Buffer, offset: number, component: KeyComponent): number {
  const { type, value } = component
  if (value === null) return target.writeUInt8(NULL_TAG, offset)
  const start = target.writeUInt8(VALUE_TAG, offset)
  switch (type) {
    case 'INTEGER':
    case 'TIMESTAMP':
    case 'DATE':
      return target.writeBigUInt64BE((value as bigint) + SIGN_BIT, start)
    case 'DECIMAL':
      return writeDecimal(target, start, component)
    case 'REAL':
      return writeReal(target, start, value as number)
    case 'BOOLEAN':
      return target.writeUInt8(value === true ? 1 : 0, start)
    case 'TEXT':
      return writeTerminator(target, writeText(target, start, value as string))
    case 'BYTES':
      return writeTerminator(target, writeEscaped(target, start, value as Uint8Array))
    case 'JSON':
      throw new StorageError('type_mismatch', 'JSON cannot be part of a key.', { type })
  }
}

/** A DECIMAL of a key has a size. */
function decimalBytes(size: DecimalSize | undefined): number {
  return (size?.precision ?? 0) > 18 ? 16 : 8
}

/**
 * The number in units of the column; where that cannot have it, the last one of the column before it in the order of
 * the key. What is too large for the column is as large as none there, which 8 and 16 bytes have room for.
 */
function keyUnits(
  { units, scale }: Decimal,
  { size, descending }: KeyComponentType,
): { readonly units: bigint; readonly isKept: boolean } {
  if (size === undefined) throw new StorageError('type_mismatch', 'A DECIMAL of a key has a size.')
  const divisor = powerOfTen(Math.max(0, scale - size.scale))
  const whole = scale > size.scale ? units / divisor : units * powerOfTen(size.scale - scale)
  const rest = scale > size.scale ? units % divisor : 0n
  const step = descending ? (rest > 0n ? 1n : 0n) : rest < 0n ? -1n : 0n
  const limit = powerOfTen(size.precision)
  const kept = whole + step
  if (kept >= limit) return { units: limit, isKept: rest === 0n }
  return { units: kept > -limit ? kept : -limit, isKept: rest === 0n }
}

/**
 * A number that the column cannot have is a bound only. A byte behind those of the one before it, which no component
 * begins with, puts it behind all keys that begin with that.
 */
function writeDecimal(target: Buffer, start: number, component: KeyComponent): number {
  const { value, size, descending } = component
  const { units, isKept } = keyUnits(value as Decimal, component)
  let end = start
  if (decimalBytes(size) === 8) end = target.writeBigUInt64BE(units + SIGN_BIT, end)
  else {
    const long = units + LONG_SIGN_BIT
    end = target.writeBigUInt64BE(long >> 64n, end)
    end = target.writeBigUInt64BE(BigInt.asUintN(64, long), end)
  }
  return isKept ? end : target.writeUInt8(descending ? 0 : 0xff, end)
}

function readDecimal(key: Buffer, start: number, size: DecimalSize | undefined): Decimal {
  const high = key.readBigUInt64BE(start)
  const units =
    decimalBytes(size) === 8
      ? high - SIGN_BIT
      : (high << 64n) + key.readBigUInt64BE(start + 8) - LONG_SIGN_BIT
  const limit = powerOfTen(size?.precision ?? 0)
  if (size === undefined || units >= limit || units <= -limit) {
    throw damagedKey(key, start, 'not a DECIMAL of its column')
  }
  return new Decimal(units, size.scale)
}

function writeReal(target: Buffer, start: number, value: number): number {
  const end = target.writeDoubleBE(value + 0, start) // Adding 0 makes 0 of −0.
  const first = target[start] as number
  if (first >= 0x80) invert(target, start, end)
  else target[start] = first | 0x80
  return end
}

function textBytes(text: string): number {
  return isPlain(text) ? text.length : Buffer.byteLength(text) + zerosOfText(text)
}

function writeText(target: Buffer, start: number, text: string): number {
  if (isPlain(text)) {
    for (let at = 0; at < text.length; at += 1) target[start + at] = text.charCodeAt(at)
    return start + text.length
  }
  if (text.includes('\0')) return writeEscaped(target, start, Buffer.from(text))
  return start + target.write(text, start)
}

const PLAIN_UNITS_MAX = 64

/**
 * Whether it is short, and of ASCII without U+0000, as most keys are: to look at each unit, and to write it,
 * takes less than the calls of Node that all others need.
 */
function isPlain(text: string): boolean {
  if (text.length > PLAIN_UNITS_MAX) return false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 0 || unit > 0x7f) return false
  }
  return true
}

function writeEscaped(target: Buffer, start: number, bytes: Uint8Array): number {
  let end = start
  for (const byte of bytes) {
    target[end++] = byte
    if (byte === 0) target[end++] = 0xff
  }
  return end
}

function writeTerminator(target: Buffer, offset: number): number {
  return target.writeUInt16BE(0, offset)
}

function readAscending(
  key: Buffer,
  offset: number,
  { type, size }: KeyComponentType,
): { readonly value: SqlValue; readonly end: number } {
  const tag = key[offset]
  if (tag === NULL_TAG) return { value: null, end: offset + 1 }
  if (tag !== VALUE_TAG) throw damagedKey(key, offset, 'neither NULL nor a value begins here')
  const start = offset + 1
  switch (type) {
    case 'INTEGER':
    case 'TIMESTAMP':
    case 'DATE':
      requireBytes(key, start, 8)
      return { value: key.readBigUInt64BE(start) - SIGN_BIT, end: start + 8 }
    case 'DECIMAL': {
      const bytes = decimalBytes(size)
      requireBytes(key, start, bytes)
      return { value: readDecimal(key, start, size), end: start + bytes }
    }
    case 'REAL':
      requireBytes(key, start, 8)
      return { value: readReal(key, start), end: start + 8 }
    case 'BOOLEAN':
      requireBytes(key, start, 1)
      if ((key[start] as number) > 1) throw damagedKey(key, start, 'not a BOOLEAN')
      return { value: key[start] === 1, end: start + 1 }
    case 'TEXT': {
      const { bytes, end } = readEscaped(key, start)
      const value = bytes.toString('utf8')
      // Decoding replaces damage by U+FFFD, and only then the bytes come out different.
      if (value.includes('\ufffd') && !Buffer.from(value).equals(bytes)) {
        throw damagedKey(key, start, 'not UTF-8')
      }
      return { value, end }
    }
    case 'BYTES': {
      const { bytes, end } = readEscaped(key, start)
      return { value: Uint8Array.from(bytes), end }
    }
    case 'JSON':
      throw damagedKey(key, start, 'JSON cannot be part of a key')
  }
}

function readReal(key: Buffer, start: number): number {
  const bytes = Buffer.from(key.subarray(start, start + 8))
  const first = bytes[0] as number
  if (first >= 0x80) bytes[0] = first & 0x7f
  else invert(bytes, 0, 8)
  const value = bytes.readDoubleBE(0)
  if (!Number.isFinite(value) || Object.is(value, -0)) throw damagedKey(key, start, 'not a REAL')
  return value
}

function readEscaped(key: Buffer, start: number): { readonly bytes: Buffer; readonly end: number } {
  let zero = key.indexOf(0, start)
  if (zero !== -1 && key[zero + 1] === 0) return { bytes: key.subarray(start, zero), end: zero + 2 }
  const pieces: Buffer[] = []
  let from = start
  while (zero !== -1 && key[zero + 1] === 0xff) {
    pieces.push(key.subarray(from, zero + 1))
    from = zero + 2
    zero = key.indexOf(0, from)
  }
  if (zero === -1 || key[zero + 1] !== 0) throw damagedKey(key, start, 'it has no end')
  pieces.push(key.subarray(from, zero))
  return { bytes: Buffer.concat(pieces), end: zero + 2 }
}

function requireBytes(key: Buffer, start: number, count: number): void {
  if (key.length < start + count) throw damagedKey(key, start, 'it is cut short')
}

/** A key that no encoder of this version wrote: damaged data, or read by a wrong definition. */
export function damagedKey(key: Uint8Array, offset: number, problem: string): DamagedRecord {
  return new DamagedRecord('T1', { problem, offset, key: Buffer.from(key).toString('hex') })
}

function invert(bytes: Buffer, start: number, end: number): void {
  for (let index = start; index < end; index += 1) bytes[index] = ~(bytes[index] as number)
}

function zerosOfText(text: string): number {
  let count = 0
  for (let at = text.indexOf('\0'); at !== -1; at = text.indexOf('\0', at + 1)) count += 1
  return count
}

function zerosOfBytes(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, at + 1)) count += 1
  return count
}
