// SPDX-License-Identifier: Apache-2.0

import { type NamedParameters, parametersOf } from '../../differential/random/joined-texts.ts'
import { randomSort } from '../../differential/random/random-sort.ts'
import { randomRead } from '../../differential/random/random-statement.ts'
import type { Chooser, RandomTable, StoredColumn } from '../../differential/random/random-table.ts'
import { condition, value } from '../../differential/random/two-texts.ts'

import { claimLiteral, claimsOfType, type HeldClaims, literalOf } from './claims.ts'

export type Statement = { readonly sql: string; readonly params?: NamedParameters }
/** Of each table; no key, no index and no claim has its type. */
export const JSON_COLUMN = 'j'
const JSONS = ['{"a":1}', '{"a":"ab"}', '{"a":[true,"x"]}', '[]', '"a"', '7']

/** The last of them fails of most rows that have such a value. */
const JSON_CONDITIONS = [
  `${JSON_COLUMN} @> '{"a":1}'`,
  `${JSON_COLUMN} ->> 'a' = '1'`,
  `json_length(${JSON_COLUMN}) > 0`,
  `(${JSON_COLUMN} #>> '{a,1}') IS NULL`,
  `(${JSON_COLUMN} ->> 'a')::INTEGER = 1`,
]

export type JsonRow = Readonly<Record<string, unknown>>

/** Whose statements, about which table, and the rows that are there now. */
export type About = {
  readonly choose: Chooser
  readonly table: RandomTable
  readonly claims: HeldClaims
  readonly rows: readonly JsonRow[]
  /** Another table, of which the role may do more or less. */
  readonly other?: {
    readonly table: RandomTable
    readonly rows: readonly JsonRow[]
    /** Whether the role reads some of its rows only. */
    readonly isRuled: boolean
  }
}

/** A condition of a WHERE that may fail of a row. */
export function randomWhere({ choose, table }: About): Statement {
  const parts = Array.from({ length: 1 + choose.below(2) }, () => condition(choose, table.terms))
  const texts = parts.map(({ ours }) => `(${ours})`)
  if (choose.percent(15))
    texts.push(`${JSON_COLUMN} ${choose.oneOf(['=', '<>'])} ${knownJson(choose)}`)
  if (choose.percent(10)) texts.push(choose.oneOf(JSON_CONDITIONS))
  const number = table.columns.find(({ type }) => type === 'INTEGER')
  if (number !== undefined && choose.percent(30)) {
    texts.push(choose.oneOf([`10 / ${number.name} > 1`, `10 % ${number.name} = 1`]))
  }
  const params = parametersOf(parts)
  return { sql: texts.join(choose.percent(75) ? ' AND ' : ' OR '), params }
}

/** A GET or a SCAN of any kind. */
export function randomReading(about: About): Statement {
  const { choose, table } = about
  if (choose.percent(15)) return { sql: `GET * FROM ${table.name} WHERE ${keyText(about)}` }
  if (choose.percent(20)) {
    const { sql, params } = randomWhere(about)
    const hint = hintOf(about)
    const what = choose.oneOf(['*', 'COUNT(*) AS n', projection(about)])
    return { sql: `SCAN ${what} FROM ${table.name}${hint} WHERE ${sql}`, ...(params && { params }) }
  }
  if (choose.percent(25)) {
    const { ours: sql, parameters: params } = randomSort(choose, table)
    return { sql, params }
  }
  const read = randomRead(choose, table)
  const { kind, where, groupBy, orderBy, limit } = read
  let sql = `${kind === 'get' ? 'GET' : 'SCAN'} ${read.projection.ours} FROM ${table.name}${read.hint}`
  if (where.length > 0) sql += ` WHERE ${where.map(({ ours }) => `(${ours})`).join(' AND ')}`
  if (kind === 'get') sql = sql.replaceAll(/\((c\d+ (?:=|IN) [^)]*\)?)\)/g, '$1')
  if (groupBy.length > 0) sql += ` GROUP BY ${groupBy.map(({ name }) => name).join(', ')}`
  if (orderBy !== '') sql += ` ORDER BY ${orderBy}`
  if (limit !== undefined) sql += ` LIMIT ${limit}`
  return { sql, params: parametersOf(where) }
}

/** What can be subscribed to. */
export function randomSubscription(about: About): Statement {
  const { choose, table } = about
  if (choose.percent(30)) return { sql: `SCAN * FROM ${table.name}` }
  const text = condition(choose, table.terms)
  const columns = choose.percent(50) ? '*' : projection(about)
  const sql = `SCAN ${columns} FROM ${table.name} USE PRIMARY KEY WHERE ${text.ours}`
  return { sql, ...(text.parameters && { params: text.parameters }) }
}

/** A write of any kind, mostly of rows that the holder of the claims may write. */
export function randomWriting(about: About): Statement {
  const { choose, table } = about
  const { name } = table
  const returning = choose.oneOf(['', '', ' RETURNING *'])
  switch (choose.below(13)) {
    case 10:
    case 11:
    case 12: {
      const { sql, params } = randomWhere(about)
      const limit = choose.oneOf(['', '', ' LIMIT 1'])
      const text = `SET ${settings(about)} ON ${name}${hintOf(about)} WHERE ${sql}${limit}${returning}`
      return { sql: text, ...(params && { params }) }
    }
    case 0:
    case 1:
    case 2: {
      const skip = choose.oneOf([
        '',
        ' ON CONFLICT DO NOTHING',
        upsertText(about),
        upsertText(about),
      ])
      const rows = Array.from({ length: choose.oneOf([1, 1, 2, 3]) }, () =>
        valuesText(about, skip === '' ? undefined : keyOf(about)),
      )
      const columns = [...table.columns.map((column) => column.name), JSON_COLUMN].join(', ')
      return {
        sql: `INSERT INTO ${name} (${columns}) VALUES ${rows.join(', ')}${skip}${returning}`,
      }
    }
    case 3:
    case 4:
    case 5: {
      const when = choose.oneOf([
        '',
        '',
        ' IF EXISTS',
        ' IF NOT EXISTS',
        ` IF ${column(about)} IS NULL`,
      ])
      return { sql: `SET ${settings(about)} ON ${name} WHERE ${keyText(about)}${when}${returning}` }
    }
    case 6:
      return { sql: `DELETE FROM ${name} WHERE ${keyText(about)}${returning}` }
    case 7: {
      const { sql, params } = randomWhere(about)
      const text = `DELETE FROM ${name} USE PRIMARY KEY WHERE ${sql} LIMIT 1${returning}`
      return { sql: text, ...(params && { params }) }
    }
    case 8:
      return { sql: `NOTIFY ${name}hint ON ${name} WHERE ${keyText(about)}` }
    default:
      return guarding(about)
  }
}

/** Whether the answer to this, if there is one, tells of values that its writer did not write. */
export function tellsOfRows(sql: string): boolean {
  const isOfRange = /^SET .* USE (PRIMARY KEY|INDEX)/.test(sql)
  const computes = / DO UPDATE SET .*(\bIF\b|\b(c\d+) = \2\b)/.test(sql)
  return isOfRange || computes || sql.includes(' RETURNING ')
}

/** What becomes of the row that a new one meets by its primary key. */
function upsertText(about: About): string {
  const { choose, table } = about
  const inKey = new Set(table.primaryKey.map((part) => part.column.name))
  const free = table.columns.filter(({ name }) => !inKey.has(name))
  const sets = choose
    .some(free, 1 + choose.below(2))
    .map(({ name }) => `${name} = ${choose.oneOf([`excluded.${name}`, name])}`)
  const when = choose.oneOf(['', '', ` IF ${column(about)} IS NULL`])
  return ` ON CONFLICT DO UPDATE SET ${sets.join(', ')}${when}`
}

/** A CHECK or a GET FOR UPDATE. */
export function guarding(about: About): Statement {
  const { choose, table } = about
  const key = keyText(about)
  switch (choose.below(3)) {
    case 0:
      return { sql: `GET * FROM ${table.name} WHERE ${key} FOR UPDATE` }
    case 1:
      return { sql: `CHECK ${column(about)} IS NULL OR TRUE ON ${table.name} WHERE ${key}` }
    default: {
      const { sql, params } = randomWhere(about)
      const holds = choose.oneOf([sql, `coalesce(${sql}, TRUE)`, `NOT (${sql})`])
      return { sql: `CHECK ${holds} ON ${table.name} WHERE ${key}`, ...(params && { params }) }
    }
  }
}

/** Names a row by its primary key, mostly one that is there. */
export function keyText(about: About): string {
  const key = keyOf(about)
  return about.table.primaryKey
    .map(({ column }, at) => `${column.name} = ${literalOf(column.type, key[at])}`)
    .join(' AND ')
}

/** The values of a primary key as JSON, mostly of a row that is there. */
export function keyOf(about: About): readonly unknown[] {
  const row = about.choose.percent(75) ? about.choose.oneOf(about.rows) : undefined
  const found = row ?? rowOf(about)
  return about.table.primaryKey.map(({ column }) => found[column.name])
}

/** A row as JSON, as a request may post it. */
export function rowOf(about: About): JsonRow {
  const compared = about.table.columns.map((column) => {
    return [column.name, jsonOf(valueText(about, column))] as const
  })
  const json = jsonText(about.choose)
  return Object.fromEntries([
    ...compared,
    [JSON_COLUMN, json === 'NULL' ? null : JSON.parse(json.slice(1, -1))],
  ])
}

function jsonOf(literal: string): unknown {
  if (literal === 'NULL') return null
  if (literal === 'TRUE' || literal === 'FALSE') return literal === 'TRUE'
  if (literal.startsWith("x'")) return Buffer.from(literal.slice(2, -1), 'hex').toString('base64')
  return literal.startsWith("'") ? literal.slice(1, -1) : Number(literal)
}

/** A row to insert, with this key where one is given. */
function valuesText(about: About, key: readonly unknown[] = []): string {
  const { columns, primaryKey } = about.table
  const values = columns.map((each) => {
    const part = primaryKey.findIndex(({ column }) => column.name === each.name)
    return key[part] === undefined ? valueText(about, each) : literalOf(each.type, key[part])
  })
  return `(${[...values, jsonText(about.choose)].join(', ')})`
}

function valueText({ choose, claims, table }: About, column: StoredColumn): string {
  const [claim] = claimsOfType(column.type).filter((name) => claims[name] !== undefined)
  if (claim !== undefined && choose.percent(50)) return claimLiteral(claims, claim)
  const inKey = table.primaryKey.some((part) => part.column.name === column.name)
  return value(choose, { ...column, notNull: inKey || column.notNull }).ours
}

/** A literal of a value of JSON, or NULL. */
function jsonText(choose: Chooser): string {
  return choose.percent(20) ? 'NULL' : knownJson(choose)
}

export function knownJson(choose: Chooser): string {
  return `'${choose.oneOf(JSONS)}'`
}

function settings(about: About): string {
  const { choose, table } = about
  if (choose.percent(10)) return `${JSON_COLUMN} = ${jsonText(choose)}`
  const inKey = new Set(table.primaryKey.map((part) => part.column.name))
  const free = table.columns.filter(({ name }) => !inKey.has(name))
  return choose
    .some(free, 1 + choose.below(2))
    .map((each) => {
      const computes = each.type === 'INTEGER' && choose.percent(30)
      return `${each.name} = ${computes ? `${each.name} + 1` : valueText(about, each)}`
    })
    .join(', ')
}

function column({ choose, table }: About): string {
  return choose.oneOf(table.columns).name
}

function projection(about: About): string {
  const number = about.table.columns.find(({ type }) => type === 'INTEGER')
  const own = column(about)
  if (about.choose.percent(10)) return `${JSON_COLUMN} AS x`
  return number !== undefined && about.choose.percent(50)
    ? `${own} AS x, 10 / ${number.name} AS q`
    : `${own} AS x`
}

function hintOf({ choose, table }: About): string {
  const [index] = choose.some(table.indexes, 1)
  return index !== undefined && choose.percent(50) ? ` USE INDEX ${index.name}` : ' USE PRIMARY KEY'
}
