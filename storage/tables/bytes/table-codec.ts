// SPDX-License-Identifier: Apache-2.0

import {
  DECIMAL_PRECISION_MAX,
  Decimal,
  type DecimalSize,
  decimalFromText,
} from '../../values/decimal.ts'
import { SQL_TYPES, type SqlType, type SqlValue } from '../../values/sql-type.ts'
import { requireValue } from '../../values/sql-value.ts'
import { identityOf } from '../identity-column.ts'
import {
  type ColumnDefault,
  type ColumnDefinition,
  type FamilyDefinition,
  isWhole,
  type TableDefinition,
} from '../table-definition.ts'
import { TABLE_ID_MAX } from './catalog-codec.ts'
import {
  COLUMN_ID_MAX,
  damaged,
  decodeJson,
  encodeJson,
  type JsonObject,
  requireBoolean,
  requireId,
  requireList,
  requireObject,
  requireText,
} from './catalog-json.ts'
import { jsonOfPart, partsOfJson } from './key-part-codec.ts'
import {
  checkOfJson,
  grantOfJson,
  indexOfJson,
  jsonOfIndex,
  jsonOfObserver,
  jsonOfSchedule,
  observerOfJson,
  scheduleOfJson,
} from './table-part-codec.ts'

/**
 * The row `catalog/table/<id>`: a table with all that belongs to it, so that one row is one version of
 * the whole definition.
 *
 *     {"format":1,"id":7,"name":"account","columns":[…],"primaryKey":[…]}
 *     {"format":2, … ,"nextColumn":4,"families":[…],"indexes":[…]}
 *     {"format":3, … ,"observers":[…]}
 *     {"format":4, … ,"grants":[{"role":"app","right":"read"},
 *       {"role":"app","right":"write","rule":{"text":"owner = token.sub","columns":[2],"isByKey":false}}]}
 *     {"format":5, … ,"checks":[{"name":"account_balance_check","text":"balance >= 0","columns":[2],"state":"ready"}]}
 *     {"format":6,"columns":[{ … ,"default":{"kind":"identity","always":true,"series":1}}], … }
 *     {"format":7, … ,"indexes":[{ … ,"columns":[{"column":3,"path":["city"],"descending":false}], … }], … }
 *     {"format":8, … ,"indexes":[{ … ,"columns":[{"column":3,"each":true,"descending":false}], … }], … }
 *     {"format":9, … ,"indexes":[{ … ,"columns":[{"column":2,"words":78,"descending":false}], … }], … }
 *     {"format":10, … ,"observers":[{ … ,"columns":[2,3],"due":3, … }], … }
 *     {"format":11, … ,"schedules":[{"id":10,"name":"nightly","observer":9, … }]}
 *
 * Each table has the lowest format that says all of it: format 1, of the server 0.1.0, that of one
 * without indexes, families and altered columns, format 2 that of one without observers, format 3 that of
 * one without grants, format 4 that of one without checks, format 5 that of one without an identity, format 6
 * that of one without paths into JSON in its indexes, format 7 that of one without EACH in them, format 8 that of one
 * without WORDS, format 9 that of one without an observer DUE, format 10 that of one without schedules.
 * A server that does not know a format refuses it: so it writes no row without its index entries, notifications, checks
 * and numbers, and shows none to a role that it knows nothing of.
 */
const PLAIN_FORMAT = 1
const FULL_FORMAT = 2
const OBSERVED_FORMAT = 3
const GRANTED_FORMAT = 4
const CHECKED_FORMAT = 5
const NUMBERED_FORMAT = 6
const PATHED_FORMAT = 7
const MEMBERS_FORMAT = 8
const WORDS_FORMAT = 9
const DUE_FORMAT = 10
const SCHEDULED_FORMAT = 11
const FORMATS = [
  ...[PLAIN_FORMAT, FULL_FORMAT, OBSERVED_FORMAT],
  ...[GRANTED_FORMAT, CHECKED_FORMAT, NUMBERED_FORMAT, PATHED_FORMAT, MEMBERS_FORMAT, WORDS_FORMAT],
  ...[DUE_FORMAT, SCHEDULED_FORMAT],
]

export function encodeTable(table: TableDefinition): Uint8Array {
  const plain = {
    id: table.id,
    name: table.name,
    columns: table.columns.map(jsonOfColumn),
    primaryKey: table.primaryKey.map(jsonOfPart),
  }
  if (isPlain(table)) return encodeJson(PLAIN_FORMAT, plain)
  const full = {
    ...plain,
    nextColumn: table.nextColumnId,
    families: table.families,
    indexes: table.indexes.map(jsonOfIndex),
  }
  const { observers, grants, checks, schedules } = table
  const isNumbered = identityOf(table) !== undefined
  const parts = table.indexes.flatMap((index) => index.parts)
  const isPathed = !parts.every(isWhole)
  const isDue = observers.some(({ due }) => due !== undefined)
  const isScheduled = schedules.length > 0
  const isChecked = checks.length > 0 || isNumbered || isPathed || isDue || isScheduled
  const isGranted = grants.length > 0 || isChecked
  if (observers.length === 0 && !isGranted) return encodeJson(FULL_FORMAT, full)
  const observed = { ...full, observers: observers.map(jsonOfObserver) }
  if (!isGranted) return encodeJson(OBSERVED_FORMAT, observed)
  const granted = { ...observed, grants }
  if (!isChecked) return encodeJson(GRANTED_FORMAT, granted)
  if (isScheduled) {
    const scheduled = { checks, schedules: schedules.map(jsonOfSchedule) }
    return encodeJson(SCHEDULED_FORMAT, { ...granted, ...scheduled })
  }
  const has = new Set(parts.map(({ each }) => each))
  const ofMembers = has.has('members') ? MEMBERS_FORMAT : PATHED_FORMAT
  const ofIndexes = has.has('words') ? WORDS_FORMAT : ofMembers
  const ofTable = isPathed ? ofIndexes : isNumbered ? NUMBERED_FORMAT : CHECKED_FORMAT
  return encodeJson(isDue ? DUE_FORMAT : ofTable, { ...granted, checks })
}

/** Throws a violation of T3 for anything that {@link encodeTable} does not write. */
export function decodeTable(value: Uint8Array): TableDefinition {
  const json = decodeJson(value, FORMATS)
  const columns = requireList(json.columns).map(columnOfJson)
  requireAscending(columns)
  const lastColumnId = columns.at(-1)?.id ?? 0
  const format = json.format as number
  const isFull = format >= FULL_FORMAT
  const isObserved = format >= OBSERVED_FORMAT
  const isGranted = format >= GRANTED_FORMAT
  const isChecked = format >= CHECKED_FORMAT
  const mayHave = {
    paths: format >= PATHED_FORMAT,
    each: format >= MEMBERS_FORMAT,
    words: format >= WORDS_FORMAT,
    due: format >= DUE_FORMAT,
  }
  const families = isFull ? requireList(json.families).map(familyOfJson) : []
  const familyIds = new Set(families.map(({ id }) => id))
  for (const { family } of columns) {
    if (family !== undefined && !familyIds.has(family)) throw damaged('there is no such family')
  }
  const nextColumnId = isFull ? requireId(json.nextColumn, COLUMN_ID_MAX + 1) : lastColumnId + 1
  if (nextColumnId <= lastColumnId) throw damaged('a column has an id that is given out next')
  return {
    id: requireId(json.id, TABLE_ID_MAX),
    name: requireText(json.name),
    columns,
    nextColumnId,
    primaryKey: partsOfJson(json.primaryKey, columns),
    families,
    indexes: isFull
      ? requireList(json.indexes).map((index) => indexOfJson(index, columns, mayHave))
      : [],
    observers: isObserved
      ? requireList(json.observers).map((observer) => observerOfJson(observer, columns, mayHave))
      : [],
    grants: isGranted ? requireList(json.grants).map((one) => grantOfJson(one, columns)) : [],
    checks: isChecked ? requireList(json.checks).map((one) => checkOfJson(one, columns)) : [],
    schedules: format >= SCHEDULED_FORMAT ? requireList(json.schedules).map(scheduleOfJson) : [],
  }
}

function isPlain(table: TableDefinition): boolean {
  const { columns, nextColumnId, families, indexes, observers, grants, checks } = table
  return (
    families.length === 0 &&
    indexes.length === 0 &&
    observers.length === 0 &&
    grants.length === 0 &&
    checks.length === 0 &&
    nextColumnId === (columns.at(-1)?.id ?? 0) + 1 &&
    columns.every(({ valueBefore }) => valueBefore === undefined) &&
    identityOf(table) === undefined
  )
}

function jsonOfColumn(column: ColumnDefinition): JsonObject {
  const { id, name, type, size, notNull, family, valueBefore } = column
  return {
    id,
    name,
    type,
    ...size,
    notNull,
    ...(column.default && { default: jsonOfDefault(column.default) }),
    ...(family !== undefined && { family }),
    ...(valueBefore !== undefined && { valueBefore: jsonOfValue(valueBefore) }),
  }
}

function columnOfJson(json: unknown): ColumnDefinition {
  const object = requireObject(json)
  const { id, name, type, notNull, default: given, family, valueBefore } = object
  if (!SQL_TYPES.some((known) => known === type)) throw damaged('there is no such type')
  const column = {
    id: requireId(id, COLUMN_ID_MAX),
    name: requireText(name),
    type: type as SqlType,
    ...(type === 'DECIMAL' && { size: sizeOfJson(object) }),
    notNull: requireBoolean(notNull),
  }
  return {
    ...column,
    ...(given !== undefined && { default: defaultOfJson(column, given) }),
    ...(family !== undefined && { family: requireId(family, COLUMN_ID_MAX) }),
    ...(valueBefore !== undefined && { valueBefore: presentValue(column, valueBefore) }),
  }
}

function sizeOfJson({ precision, scale }: JsonObject): DecimalSize {
  const digits = requireId(precision, DECIMAL_PRECISION_MAX)
  if (scale === 0) return { precision: digits, scale }
  return { precision: digits, scale: requireId(scale, digits) }
}

function requireAscending(columns: readonly ColumnDefinition[]): void {
  columns.forEach((column, position) => {
    const before = columns[position - 1]
    if (before !== undefined && before.id >= column.id) throw damaged('column ids do not ascend')
  })
}

function familyOfJson(json: unknown): FamilyDefinition {
  const { id, name } = requireObject(json)
  return { id: requireId(id, COLUMN_ID_MAX), name: requireText(name) }
}

function jsonOfDefault(given: ColumnDefault): JsonObject {
  if (given.kind === 'identity') {
    return { kind: given.kind, always: given.isAlways, series: given.series }
  }
  if (given.kind !== 'literal') return { kind: given.kind }
  return { kind: 'literal', value: jsonOfValue(given.value) }
}

function defaultOfJson(column: TypedColumn, json: unknown): ColumnDefault {
  const { kind, value, always, series } = requireObject(json)
  if (kind === 'identity') {
    const id = requireId(series, Number.MAX_SAFE_INTEGER)
    return { kind, isAlways: requireBoolean(always), series: id }
  }
  if (kind === 'now' || kind === 'uuid') return { kind }
  if (kind !== 'literal') throw damaged('there is no such kind of default')
  return { kind, value: valueOfJson(column, value) }
}

function jsonOfValue(value: SqlValue): unknown {
  if (typeof value === 'bigint' || value instanceof Decimal) return value.toString()
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

type TypedColumn = Pick<ColumnDefinition, 'type' | 'size'>

function presentValue(column: TypedColumn, json: unknown): Exclude<SqlValue, null> {
  const value = valueOfJson(column, json)
  if (value === null) throw damaged('a value is missing')
  return value
}

const WHOLE_TYPES: ReadonlySet<SqlType> = new Set(['INTEGER', 'TIMESTAMP', 'DATE'])

function valueOfJson({ type, size }: TypedColumn, json: unknown): SqlValue {
  let value = json as SqlValue
  if (typeof json === 'string' && WHOLE_TYPES.has(type)) {
    if (!/^-?\d{1,19}$/.test(json)) throw damaged('a default is no whole number')
    value = BigInt(json)
  }
  if (typeof json === 'string' && type === 'BYTES') {
    value = Uint8Array.from(Buffer.from(json, 'base64'))
  }
  if (typeof json === 'string' && type === 'DECIMAL') {
    const decimal = decimalFromText(json)
    if (!(decimal instanceof Decimal)) throw damaged('a default is no DECIMAL')
    value = decimal
  }
  try {
    requireValue(type, value, undefined, size)
  } catch (error) {
    throw damaged(`a default does not fit its column: ${(error as Error).message}`)
  }
  return value
}
