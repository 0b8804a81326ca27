// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Family, type Timestamp } from '../../storage/cells/cell.ts'

// Where a row is in etcd, whose keys are one ordered space:
//
//     <prefix>h<row>                                             the head of the row: its revision is the row's
//     <prefix>c<row> <family> <qualifier> <inverted timestamp>   a cell, in the order of the contract
//
// Row keys and qualifiers are any bytes, so each 00 in them is 00 FF and 00 01 ends them: a key sorts after each of its
// prefixes, and no row is in the range of another.

const ESCAPED_ZERO = Buffer.from([0x00, 0xff])
const END = Buffer.from([0x00, 0x01])
/** Above the end of a row key or of a qualifier, and of what follows it: the end of a row's cells, or of a column's. */
const AFTER_END = Buffer.from([0x00, 0x02])

export type Column = { readonly family: Family; readonly qualifier: string }

/** The keys of one store; several can share an etcd by their prefixes. */
export class EtcdLayout {
  readonly #heads: Buffer
  readonly #cells: Buffer

  constructor(prefix: string) {
    this.#heads = Buffer.from(`${prefix}h`)
    this.#cells = Buffer.from(`${prefix}c`)
  }

  head(row: Uint8Array): Buffer {
    return Buffer.concat([this.#heads, escaped(row)])
  }

  /** All cells of a row: [start, end). */
  cellsOf(row: Uint8Array): { readonly key: Buffer; readonly rangeEnd: Buffer } {
    const start = Buffer.concat([this.#cells, escaped(row)])
    return {
      key: Buffer.concat([start, END]),
      rangeEnd: Buffer.concat([start, AFTER_END]),
    }
  }

  cell(row: Uint8Array, { family, qualifier, timestamp }: Omit<Cell, 'value'>): Buffer {
    const inverted = Buffer.alloc(8)
    inverted.writeBigUInt64BE(BigInt(Number.MAX_SAFE_INTEGER - timestamp))
    const column = [Uint8Array.of(FAMILIES.indexOf(family)), escaped(Buffer.from(qualifier)), END]
    return Buffer.concat([this.#cells, escaped(row), END, ...column, inverted])
  }

  /** All cells of a column: [start, end). */
  column(
    row: Uint8Array,
    { family, qualifier }: Column,
  ): { readonly key: Buffer; readonly rangeEnd: Buffer } {
    const name = [Uint8Array.of(FAMILIES.indexOf(family)), escaped(Buffer.from(qualifier))]
    const start = Buffer.concat([this.#cells, escaped(row), END, ...name])
    return { key: Buffer.concat([start, END]), rangeEnd: Buffer.concat([start, AFTER_END]) }
  }

  /** The first key that a cell of this row or of a later one can have. */
  cellsFrom(row: Uint8Array): Buffer {
    return Buffer.concat([this.#cells, escaped(row)])
  }

  /** Behind the last cell of the store. */
  get cellsEnd(): Buffer {
    const end = Buffer.from(this.#cells)
    end[end.length - 1] = (end[end.length - 1] as number) + 1
    return end
  }

  /** The row and the address of a cell. Throws for a key of something else. */
  read(key: Buffer): { readonly row: Buffer; readonly address: Omit<Cell, 'value'> } {
    const { bytes: row, next } = unescaped(key, this.#cells.length)
    const family = FAMILIES[key[next] ?? -1] as Family
    const { bytes: qualifier, next: at } = unescaped(key, next + 1)
    const timestamp: Timestamp = Number.MAX_SAFE_INTEGER - Number(key.readBigUInt64BE(at))
    return { row, address: { family, qualifier: qualifier.toString(), timestamp } }
  }
}

function escaped(bytes: Uint8Array): Buffer {
  const whole = Buffer.from(bytes)
  if (!whole.includes(0)) return whole
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = whole.indexOf(0); at >= 0; at = whole.indexOf(0, from)) {
    parts.push(whole.subarray(from, at), ESCAPED_ZERO)
    from = at + 1
  }
  return Buffer.concat([...parts, whole.subarray(from)])
}

/** The bytes from `start` up to their end, and the offset behind it. */
function unescaped(key: Buffer, start: number): { readonly bytes: Buffer; readonly next: number } {
  const parts: Uint8Array[] = []
  let from = start
  for (let at = key.indexOf(0, from); at >= 0; at = key.indexOf(0, from)) {
    if (key[at + 1] === END[1]) {
      parts.push(key.subarray(from, at))
      return { bytes: Buffer.concat(parts), next: at + END.length }
    }
    parts.push(key.subarray(from, at + 1))
    from = at + ESCAPED_ZERO.length
  }
  throw new Error(`${key.toString('hex')} is not the key of a cell.`)
}
