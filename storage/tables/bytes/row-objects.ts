// SPDX-License-Identifier: Apache-2.0
import { bufferOf } from '../../cells/row-key.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import {
  type ColumnDefinition,
  type PrimaryKeyPart,
  primaryKeyParts,
  type TableDefinition,
} from '../table-definition.ts'
import { readLastText } from './key-component.ts'
import { decodePrimaryKey } from './key-encoding.ts'
import { KEY_SPACE_BYTES } from './key-space.ts'
import { FORMAT, isKeyColumn } from './row-codec.ts'
import { decimalOf } from './row-value-reader.ts'
import { KINDS } from './stored-fields.ts'
import { fixedBodyBytes, hasLength, isKindOf, KIND } from './stored-value.ts'

/** A column of an answer: its name there, and what JSON.stringify takes of values; absent where it takes them. */
export type ObjectField = {
  readonly name: string
  /** Its position in the table. */
  readonly place: number
  readonly toJson?: ((value: Exclude<SqlValue, null>) => unknown) | undefined
}

type Slot = {
  readonly column: ColumnDefinition
  /** Whether a value of each kind can be there; none of a column of the key. */
  readonly kinds: readonly boolean[]
  /** Absent where the column is not answered. */
  readonly field: ObjectField | undefined
}

/** Longer values are the business of who writes them in pieces. */
const RECORD_BYTES_MAX = 64 * 1024

/**
 * Makes of rows, as they are stored, the objects that JSON.stringify writes, without making values of them. Texts, and
 * names, are the bytes of their UTF-8, each as a character: so none has to be decoded, what JSON escapes is the same,
 * and the whole text of many rows, as latin1, is their JSON in UTF-8, or is not well-formed where one of theirs is not.
 */
export class RowObjects {
  readonly #table: TableDefinition
  readonly #template: Readonly<Record<string, unknown>>
  /** By the id of a column. */
  readonly #slots: ReadonlyArray<Slot | undefined>
  readonly #keyFields: ReadonlyArray<ObjectField | undefined>
  /** The name of a key that is one ascending text. */
  readonly #textKey: string | undefined
  #at = 0

  /** The table has one family; names and places are different, and no name is a number. */
  constructor(table: TableDefinition, fields: readonly ObjectField[]) {
    this.#table = table
    const named = fields.map((field) => ({ ...field, name: bytesAsText(field.name) }))
    const fieldAt = (place: number) => named.find((field) => field.place === place)
    const slots: Array<Slot | undefined> = new Array(table.nextColumnId).fill(undefined)
    for (const [place, column] of table.columns.entries()) {
      const isKey = isKeyColumn(table, column.id)
      const kinds = KIND_NUMBERS.map((kind) => !isKey && isKindOf(column.type, kind))
      slots[column.id] = { column, kinds, field: isKey ? undefined : fieldAt(place) }
    }
    const members = named.map(({ name, place, toJson }) => {
      const { valueBefore = null } = table.columns[place] as ColumnDefinition
      const json = valueBefore === null ? null : jsonOf(valueBefore, toJson)
      return `${JSON.stringify(name)}:${JSON.stringify(json)}`
    })
    const parts = primaryKeyParts(table)
    this.#slots = slots
    this.#template = JSON.parse(`{${members}}`)
    this.#keyFields = parts.map(({ position }) => fieldAt(position))
    const [{ type, descending } = {} as PrimaryKeyPart] = parts
    const isText = parts.length === 1 && type === 'TEXT' && !descending
    this.#textKey = isText ? this.#keyFields[0]?.name : undefined
  }

  /**
   * Undefined for a long row, and where anything is not as it is to be: `storedRow` tells what. Throws violations of
   * T1.
   */
  of(key: Uint8Array, record: Uint8Array): Record<string, unknown> | undefined {
    if (record.length > RECORD_BYTES_MAX || record[0] !== FORMAT) return undefined
    const object: Record<string, unknown> = { ...this.#template }
    const keyName = this.#textKey
    const text = keyName === undefined ? undefined : readLastText(bufferOf(key), KEY_SPACE_BYTES)
    if (keyName === undefined || text === undefined) this.#addKey(object, key)
    else object[keyName] = text
    return this.#addFields(object, bufferOf(record)) ? object : undefined
  }

  #addKey(object: Record<string, unknown>, key: Uint8Array): void {
    const values = decodePrimaryKey(this.#table, key)
    for (let at = 0; at < values.length; at += 1) {
      const field = this.#keyFields[at]
      if (field !== undefined) {
        object[field.name] = jsonOf(values[at] as Exclude<SqlValue, null>, field.toJson)
      }
    }
  }

  /** False where the record is not one of these columns. */
  #addFields(object: Record<string, unknown>, record: Buffer): boolean {
    let idBefore = 0
    for (this.#at = 1; this.#at < record.length; ) {
      const tag = this.#varuint(record)
      const kind = tag % KINDS
      const id = (tag - kind) / KINDS
      if (!(id > idBefore && id < this.#slots.length) || kind > KIND.decimal) return false
      idBefore = id
      const length = BODY_BYTES[kind] ?? this.#varuint(record)
      const start = this.#at
      this.#at += length
      if (!(this.#at <= record.length)) return false
      // Without a slot it was dropped after the row was written.
      const slot = this.#slots[id]
      if (slot === undefined) continue
      if (slot.kinds[kind] !== true) return false
      const { field } = slot
      if (field === undefined) continue
      if (kind === KIND.text) {
        object[field.name] = record.toString('latin1', start, this.#at)
        continue
      }
      const value =
        kind === KIND.decimal
          ? decimalOf(record, start, length, slot.column.size)
          : plainValue(kind, record, start, length)
      if (value === undefined) return false
      object[field.name] =
        value === null || field.toJson === undefined ? value : field.toJson(value as bigint)
    }
    return true
  }

  /** NaN where it is none of the short ones that records have. */
  #varuint(record: Buffer): number {
    let byte = record[this.#at++] as number
    let value = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = record[this.#at++] as number
      if (!(byte > 0) || shift > 21) return Number.NaN
      value |= (byte & 0x7f) << shift
    }
    return value
  }
}

const KIND_NUMBERS: readonly number[] = Object.values(KIND)

/** By kind; undefined of those whose length is in the record. */
const BODY_BYTES = KIND_NUMBERS.map((kind) => (hasLength(kind) ? undefined : fixedBodyBytes(kind)))

/** As JSON.stringify takes it. An INTEGER of 32 bits is a number already. Undefined for what no encoder has written. */
function plainValue(
  kind: number,
  record: Buffer,
  start: number,
  length: number,
): SqlValue | undefined {
  switch (kind) {
    case KIND.null:
      return null
    case KIND.false:
      return false
    case KIND.true:
      return true
    case KIND.integer8:
    case KIND.integer16:
    case KIND.integer32:
      return record.readIntBE(start, length)
    case KIND.integer64:
    case KIND.timestamp:
      return record.readBigInt64BE(start)
    case KIND.bytes:
      return record.subarray(start, start + length)
    case KIND.real: {
      const value = record.readDoubleBE(start)
      return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
    }
    default:
      return undefined
  }
}

function jsonOf(value: Exclude<SqlValue, null>, toJson: ObjectField['toJson']): unknown {
  const json = toJson === undefined ? value : toJson(value)
  return typeof json === 'string' ? bytesAsText(json) : json
}

function bytesAsText(text: string): string {
  return Buffer.from(text).toString('latin1')
}
