// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  columnPosition,
  type IndexDefinition,
  type ObserverDefinition,
  type ScheduleDefinition,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { type SqlValue, typeText } from '../../storage/values/values.ts'
import { nameText, realText } from '../expressions/expression-text.ts'
import { valueToJson } from '../json/json-value.ts'
import { partOf, partText } from '../keys/candidate-key.ts'

/** The CREATE TABLE that makes this table, without its rows; `next` is the next number of its identity. */
export function createTableText(table: TableDefinition, next = 1n): string {
  const key = table.primaryKey.map((part) => partText(partOf(table, part)))
  const families = table.families.flatMap(({ id, name }) => {
    const columns = table.columns.filter(({ family }) => family === id)
    if (columns.length === 0) return []
    return [
      `FAMILY ${nameText(name)} (${columns.map((column) => nameText(column.name)).join(', ')})`,
    ]
  })
  const isKey = (id: number) => table.primaryKey.some(({ columnId }) => columnId === id)
  const columns = table.columns.map((column) => {
    const text = defaultText(column)
    const isIdentity = column.default?.kind === 'identity'
    return [
      `${nameText(column.name)} ${typeText(column.type, column.size)}`,
      ...(column.notNull && !isIdentity && !isKey(column.id) ? ['NOT NULL'] : []),
      ...(text === null ? [] : [isIdentity ? text : `DEFAULT ${text}`]),
      ...(isIdentity && next !== 1n ? [`(START WITH ${next})`] : []),
    ].join(' ')
  })
  const checks = table.checks.map(
    ({ name, text }) => `CONSTRAINT ${nameText(name)} CHECK (${text})`,
  )
  const parts = [...columns, `PRIMARY KEY (${key.join(', ')})`, ...families, ...checks]
  return `CREATE TABLE ${nameText(table.name)} (\n  ${parts.join(',\n  ')}\n)`
}

export function createIndexText(
  table: TableDefinition,
  { name, unique, parts, storing }: IndexDefinition,
): string {
  const columns = parts.map((part) => partText(partOf(table, part))).join(', ')
  const stored = storing.map((id) => columnText(table, id)).join(', ')
  return [
    `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${nameText(name)} ON ${nameText(table.name)} (${columns})`,
    ...(stored === '' ? [] : [`STORING (${stored})`]),
  ].join(' ')
}

/** The statements that make an observer as it is, without what it has done. */
export function createObserverTexts(
  table: TableDefinition,
  { name, isWeak, columns, due, state }: ObserverDefinition,
): string[] {
  const watched = columns.map((id) => columnText(table, id)).join(', ')
  const weak = isWeak ? 'WEAK ' : ''
  const time = due === undefined ? '' : ` DUE ${columnText(table, due)}`
  return [
    `CREATE ${weak}OBSERVER ${nameText(name)} ON ${nameText(table.name)} (${watched})${time}`,
    ...(state === 'paused' ? [`ALTER OBSERVER ${nameText(name)} PAUSE`] : []),
  ]
}

/** The statements that make a schedule as it is, without what it has done. */
export function createScheduleTexts(
  table: TableDefinition,
  schedule: ScheduleDefinition,
): string[] {
  const { name, zone, missed, state } = schedule
  const observer = table.observers.find(({ id }) => id === schedule.observer)?.name ?? ''
  const all = missed === 'all' ? ' MISSED ALL' : ''
  return [
    `CREATE SCHEDULE ${nameText(name)} ${scheduleText(schedule)} ZONE ${quoted(zone)} RUN ${nameText(observer)}${all}`,
    ...(state === 'paused' ? [`ALTER SCHEDULE ${nameText(name)} PAUSE`] : []),
  ]
}

/** As CREATE SCHEDULE has them. */
export function scheduleText({ times }: Pick<ScheduleDefinition, 'times'>): string {
  if ('cron' in times) return `CRON ${quoted(times.cron)}`
  const at = times.at === undefined ? '' : ` AT ${quoted(times.at)}`
  return `EVERY ${quoted(times.every)}${at}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** The name of a column as it is written. */
export function columnText(table: TableDefinition, columnId: number): string {
  return nameText((table.columns[columnPosition(table, columnId)] as ColumnDefinition).name)
}

/** As it could stand in a CREATE TABLE; NULL when there is none. */
export function defaultText(column: ColumnDefinition): string | null {
  switch (column.default?.kind) {
    case undefined:
      return null
    case 'now':
      return 'now()'
    case 'uuid':
      return 'uuid()'
    case 'identity':
      return `GENERATED ${column.default.isAlways ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`
    case 'literal':
      return literalText(column, column.default.value)
  }
}

function literalText({ type }: ColumnDefinition, value: SqlValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const isTime = type === 'TIMESTAMP' || type === 'DATE'
  if (typeof value === 'string' || isTime) {
    const text = isTime ? String(valueToJson(type, value)) : String(value)
    return quoted(text)
  }
  return typeof value === 'number' ? realText(value) : value.toString()
}
