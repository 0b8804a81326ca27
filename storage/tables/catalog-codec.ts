// SPDX-License-Identifier: Apache-2.0
import { systemRowKey } from '../cell-store/row-key.ts'
import { InvariantViolation } from '../invariant.ts'
import { SQL_TYPES, type SqlType, type SqlValue } from './sql-type.ts'
import { requireValue } from './sql-value.ts'
import type { ColumnDefault, ColumnDefinition, TableDefinition } from './table-definition.ts'

/**
 * The rows that describe the tables: ordinary transactional rows in the space of the system, each
 * one cell of column '0' with a JSON text. Bytes that are none of ours are a violation of T3.
 *
 *     catalog/table/7        {"format":1,"id":7,"name":"account","columns":[…],"primaryKey":[…]}
 *     catalog/name/account   {"format":1,"table":7}       one table for one name
 *     catalog/version        {"format":1}                 written by every change of the catalog
 *     catalog/next-id        {"format":1,"next":8}        no id is given out twice
 */
const FORMAT = 1
const COLUMN_ID_MAX = 2 ** 24 - 1
export const TABLE_ID_MAX = 2 ** 32 - 1

export const CATALOG_VERSION_KEY = systemRowKey('catalog/version')
export const CATALOG_NEXT_ID_KEY = systemRowKey('catalog/next-id')
/** The row keys of all tables start with this. */
export const CATALOG_TABLE_PREFIX = systemRowKey('catalog/table/')

export function catalogTableKey(tableId: number): Uint8Array {
  return systemRowKey(`catalog/table/${tableId}`)
}

/** Names may hold any character and paths are ASCII, so the name is percent-encoded as UTF-8. */
export function catalogNameKey(name: string): Uint8Array {
  return systemRowKey(`catalog/name/${encodeURIComponent(name)}`)
}

export const encodeCatalogVersion = (): Uint8Array => encodeJson({})
export const encodeCatalogName = (table: number): Uint8Array => encodeJson({ table })
export const encodeNextId = (next: number): Uint8Array => encodeJson({ next })

/** The id of the table that has the name. */
export function decodeCatalogName(value: Uint8Array): number {
  return requireId(decodeJson(value).table, TABLE_ID_MAX)
}

export function decodeCatalogVersion(value: Uint8Array): void {
  decodeJson(value)
}

export function decodeNextId(value: Uint8Array): number {
  const { next } = decodeJson(value)
  return requireId(next, TABLE_ID_MAX + 1)
}

export function encodeTable(table: TableDefinition): Uint8Array {
  return encodeJson({
    id: table.id,
    name: table.name,
    columns: table.columns.map((column) => ({
      id: column.id,
      name: column.name,
      type: column.type,
      notNull: column.notNull,
      ...(column.default && { default: jsonOfDefault(column.default) }),
    })),
    primaryKey: table.primaryKey.map(({ columnId, descending }) => ({
      column: columnId,
      descending,
    })),
  })
}

/** Throws a violation of T3 for anything that {@link encodeTable} does not write. */
export function decodeTable(value: Uint8Array): TableDefinition {
  const json = decodeJson(value)
  const columns = requireList(json.columns).map(columnOfJson)
  const columnIds = new Set(columns.map((column) => column.id))
  columns.forEach((column, index) => {
    const before = columns[index - 1]
    if (before !== undefined && before.id >= column.id) throw damaged('column ids do not ascend')
  })
  const primaryKey = requireList(json.primaryKey).map((part) => {
    const { column, descending } = requireObject(part)
    const columnId = requireId(column, COLUMN_ID_MAX)
    if (!columnIds.has(columnId)) throw damaged('the primary key has no such column')
    return { columnId, descending: requireBoolean(descending) }
  })
  if (primaryKey.length === 0) throw damaged('there is no primary key')
  return {
    id: requireId(json.id, TABLE_ID_MAX),
    name: requireText(json.name),
    columns,
    primaryKey,
  }
}

type JsonObject = { readonly [member: string]: unknown }

function columnOfJson(json: unknown): ColumnDefinition {
  const { id, name, type, notNull, default: given } = requireObject(json)
  if (!SQL_TYPES.some((known) => known === type)) throw damaged('there is no such type')
  const column = {
    id: requireId(id, COLUMN_ID_MAX),
    name: requireText(name),
    type: type as SqlType,
    notNull: requireBoolean(notNull),
  }
  return given === undefined ? column : { ...column, default: defaultOfJson(column.type, given) }
}

function jsonOfDefault(given: ColumnDefault): JsonObject {
  if (given.kind !== 'literal') return { kind: given.kind }
  const { value } = given
  if (typeof value === 'bigint') return { kind: 'literal', value: value.toString() }
  if (value instanceof Uint8Array) {
    return { kind: 'literal', value: Buffer.from(value).toString('base64') }
  }
  return { kind: 'literal', value }
}

function defaultOfJson(type: SqlType, json: unknown): ColumnDefault {
  const { kind, value } = requireObject(json)
  if (kind === 'now' || kind === 'uuid') return { kind }
  if (kind !== 'literal') throw damaged('there is no such kind of default')
  return { kind, value: valueOfJson(type, value) }
}

function valueOfJson(type: SqlType, json: unknown): SqlValue {
  let value = json as SqlValue
  if (typeof json === 'string' && (type === 'INTEGER' || type === 'TIMESTAMP')) {
    if (!/^-?\d{1,19}$/.test(json)) throw damaged('a default is no whole number')
    value = BigInt(json)
  }
  if (typeof json === 'string' && type === 'BYTES') {
    value = Uint8Array.from(Buffer.from(json, 'base64'))
  }
  try {
    requireValue(type, value)
  } catch (error) {
    throw damaged(`a default does not fit its column: ${(error as Error).message}`)
  }
  return value
}

function encodeJson(members: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...members }))
}

function decodeJson(value: Uint8Array): JsonObject {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))
  } catch {
    throw damaged('it is not JSON')
  }
  const members = requireObject(json)
  if (members.format !== FORMAT) throw damaged(`there is no format ${members.format}`)
  return members
}

function damaged(problem: string): InvariantViolation {
  return new InvariantViolation('T3', { problem })
}

function requireObject(json: unknown): JsonObject {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw damaged('an object is missing')
  }
  return json as JsonObject
}

function requireList(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw damaged('a list is missing')
  return json
}

function requireText(json: unknown): string {
  if (typeof json !== 'string' || json === '') throw damaged('a name is missing')
  return json
}

function requireBoolean(json: unknown): boolean {
  if (typeof json !== 'boolean') throw damaged('a boolean is missing')
  return json
}

function requireId(json: unknown, max: number): number {
  if (!Number.isInteger(json) || (json as number) < 1 || (json as number) > max) {
    throw damaged('an id is missing')
  }
  return json as number
}
