// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import { bufferOf } from '../../cells/row-key.ts'
import { DamagedRecord } from '../../invariant.ts'
import { Decimal, type DecimalSize, sizedDecimal } from '../../values/decimal.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { fixedBodyBytes, hasLength, KIND, unitsBytes } from './stored-value.ts'

/** An unsigned number of 32 bits in groups of seven bits, lowest first; the top bit says "more". */
export function varuintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1
  return bytes
}

export function writeVaruint(target: Buffer, offset: number, value: number): number {
  let end = offset
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[end++] = (rest & 0x7f) | 0x80
  target[end++] = rest
  return end
}

/** Walks over the bytes of a row value. Bytes that no encoder wrote are a violation of T2. */
export class RowValueReader {
  readonly #bytes: Buffer
  readonly #table: string
  #offset: number

  /** Begins at `offset`. */
  constructor(value: Uint8Array, table: string, offset = 0) {
    this.#bytes = bufferOf(value)
    this.#offset = offset
    this.#table = table
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length
  }

  #readByte(): number {
    return this.#bytes[this.#take(1)] as number
  }

  readVaruint(): number {
    const first = this.#bytes[this.#take(1)] as number
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let factor = 0x80; ; factor *= 0x80) {
      const byte = this.#readByte()
      value += (byte & 0x7f) * factor
      if (value > 0xffff_ffff || (byte === 0 && factor > 1)) throw this.damaged('not a number')
      if (byte < 0x80) return value
    }
  }

  /** The value of this kind that begins here, a DECIMAL of this size. BYTES are a view into the row value. */
  readBody(kind: number, size?: DecimalSize): SqlValue {
    switch (kind) {
      case KIND.null:
        return null
      case KIND.false:
        return false
      case KIND.true:
        return true
      case KIND.integer8:
        return BigInt(this.#bytes.readInt8(this.#take(1)))
      case KIND.integer16:
        return BigInt(this.#bytes.readInt16BE(this.#take(2)))
      case KIND.integer32:
        return BigInt(this.#bytes.readInt32BE(this.#take(4)))
      case KIND.integer64:
      case KIND.timestamp:
        return this.#bytes.readBigInt64BE(this.#take(8))
      case KIND.real:
        return this.#readReal()
      case KIND.text:
      case KIND.json:
        return this.#readText()
      case KIND.bytes:
        return this.#readBytes()
      case KIND.decimal:
        return this.#readDecimal(size)
      default:
        throw this.damaged(`there is no kind ${kind}`)
    }
  }

  /** Steps over the value of this kind that begins here: decoding a text that is not needed would cost more. */
  skipBody(kind: number): void {
    if (kind > KIND.decimal) throw this.damaged(`there is no kind ${kind}`)
    this.#take(hasLength(kind) ? this.readVaruint() : fixedBodyBytes(kind))
  }

  damaged(problem: string): DamagedRecord {
    return new DamagedRecord('T2', {
      problem,
      table: this.#table,
      offset: this.#offset,
      length: this.#bytes.length,
      begin: this.#bytes.toString('hex', 0, 64),
    })
  }

  #readReal(): number {
    const value = this.#bytes.readDoubleBE(this.#take(8))
    if (!Number.isFinite(value) || Object.is(value, -0)) throw this.damaged('not a REAL')
    return value
  }

  #readText(): string {
    const length = this.readVaruint()
    const start = this.#take(length)
    const text = this.#bytes.toString('utf8', start, start + length)
    // Decoding replaces damage by U+FFFD, and only then the bytes come out different.
    if (text.includes('\ufffd')) {
      const original = this.#bytes.subarray(start, start + length)
      if (!Buffer.from(text).equals(original)) throw this.damaged('not UTF-8')
    }
    return text
  }

  #readBytes(): Uint8Array {
    const length = this.readVaruint()
    const start = this.#take(length)
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, length)
  }

  #readDecimal(size: DecimalSize | undefined): Decimal {
    const length = this.readVaruint()
    const start = this.#take(length)
    const value = decimalOf(this.#bytes, start, length, size)
    if (value === undefined) throw this.damaged('not a DECIMAL of its column')
    return value
  }

  /** Steps over `count` bytes and returns the offset where they begin. */
  #take(count: number): number {
    const start = this.#offset
    if (start + count > this.#bytes.length) throw this.damaged('it is cut short')
    this.#offset = start + count
    return start
  }
}

/** The DECIMAL of so many bytes in a column of this size; undefined for what no encoder has written. */
export function decimalOf(
  bytes: Buffer,
  start: number,
  length: number,
  size: DecimalSize | undefined,
): Decimal | undefined {
  if (size === undefined || length < 1 || length > DECIMAL_BYTES_MAX) return undefined
  const units =
    length <= 6
      ? BigInt(bytes.readIntBE(start, length))
      : BigInt.asIntN(length * 8, BigInt(`0x${bytes.toString('hex', start, start + length)}`))
  const value = new Decimal(units, size.scale)
  return unitsBytes(units) === length && sizedDecimal(value, size) === value ? value : undefined
}

/** Of 38 digits. */
const DECIMAL_BYTES_MAX = 16
