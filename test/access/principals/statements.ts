// SPDX-License-Identifier: Apache-2.0

import { type NamedParameters, parametersOf } from '../../differential/random/joined-texts.ts'
import { randomSort } from '../../differential/random/random-sort.ts'
import { randomRead } from '../../differential/random/random-statement.ts'
import type { Chooser, RandomTable, StoredColumn } from '../../differential/random/random-table.ts'
import { condition, value } from '../../differential/random/two-texts.ts'

import { claimLiteral, claimsOfType, type HeldClaims, literalOf, type Values } from './claims.ts'

export type Statement = { readonly sql: string; readonly params?: NamedParameters }
/** Of each table; no key and no claim has its type. */
export const JSON_COLUMN = 'j'
const JSONS = ['{"a":1}', '{"a":"ab"}', '{"a":[true,"x"]}', '["x","ab"]', '"a"', '7']

/** The last of them fails of most rows that have such a value. */
const JSON_CONDITIONS = [
  `${JSON_COLUMN} @> '{"a":1}'`,
  `${JSON_COLUMN} ->> 'a' = '1'`,
  `'x' = ANY (${JSON_COLUMN})`,
  `${JSON_COLUMN} -> 'a' ? 'x' AND ${JSON_COLUMN} -> 'a' @> '[true]'`,
  `${JSON_COLUMN} ->> 'a' MATCH 'x'`,
  `${JSON_COLUMN} ->> 'a' MATCH 'x tr*'`,
  `${JSON_COLUMN} ->> 'a' MATCH 'true X'`,
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
  readonly mayRead: boolean
  /** Values of a row that its holder sees and may write. */
  readonly shows: (claims: HeldClaims) => Values
  /** Names of the columns that decide whether a row is seen. */
  readonly ruled: ReadonlySet<string>
  /** Columns of a CHECK of the table. */
  readonly checked: readonly StoredColumn[]
  /** Another table, of which the role may do more or less. */
  readonly other: {
    readonly table: RandomTable
    readonly rows: readonly JsonRow[]
    readonly mayRead: boolean
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

/** A condition that most rows meet, or those that have what one of them has; and then it may ask for JSON too. */
function widerWhere(about: About): Statement {
  const { choose, table, rows } = about
  const { name, type } = choose.oneOf(table.columns)
  const [row] = choose.some(rows, 1)
  const wide = [`${name} IS NOT NULL`, `(${name} IS NULL OR ${name} IS NOT NULL)`]
  if (row !== undefined && row[name] !== null) {
    const literal = literalOf(type, row[name])
    wide.push(`${name} = ${literal}`, `${name} <> ${literal}`, `${name} <= ${literal}`)
  }
  const json = choose.percent(20) ? ` AND ${choose.oneOf(JSON_CONDITIONS)}` : ''
  return { sql: `${choose.oneOf(wide)}${json}` }
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
  switch (choose.below(15)) {
    case 10:
    case 11:
    case 12: {
      const { sql, params } = choose.percent(70) ? widerWhere(about) : randomWhere(about)
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
      return { sql: `${insertText(about, skip)}${returning}` }
    }
    case 13:
    case 14:
      return { sql: `${insertText(about, upsertText(about))}${returning}` }
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

/** Whether it is a SET of the rows that it finds. */
export function isOfRange(sql: string): boolean {
  return /^SET .* USE (PRIMARY KEY|INDEX)/.test(sql)
}

/** Whether the answer to this, if there is one, tells of values that its writer did not write. */
export function tellsOfRows(sql: string): boolean {
  const computes = / DO UPDATE SET .*(\bIF\b|\b(c\d+) = \2\b)/.test(sql)
  return isOfRange(sql) || computes || sql.includes(' RETURNING ')
}

function insertText(about: About, onConflict: string): string {
  const { choose } = about
  const rows = Array.from({ length: choose.oneOf([1, 1, 1, 2, 3]) }, () =>
    valuesText(about, onConflict === '' ? undefined : keyOf(about)),
  )
  return `${insertOf(about, rows)}${onConflict}`
}

/** Writes what is there already into rows that it finds. */
export function unchangingSet(about: About): Statement {
  const { choose, table } = about
  const inKey = new Set(table.primaryKey.map((part) => part.column.name))
  const { name } = choose.oneOf(table.columns.filter((each) => !inKey.has(each.name)))
  const { sql } = widerWhere(about)
  return { sql: `SET ${name} = ${name} ON ${table.name}${hintOf(about)} WHERE ${sql}` }
}

/** Meets this row by its key. */
export function upsertOf(about: About, row: JsonRow): string {
  const key = about.table.primaryKey.map(({ column }) => row[column.name])
  return `${insertOf(about, [valuesText(about, key)])}${upsertText(about)}`
}

function insertOf({ table }: About, rows: readonly string[]): string {
  const columns = [...table.columns.map(({ name }) => name), JSON_COLUMN].join(', ')
  return `INSERT INTO ${table.name} (${columns}) VALUES ${rows.join(', ')}`
}

/** What becomes of the row that a new one meets by its primary key. */
function upsertText(about: About): string {
  const { choose, table } = about
  const inKey = new Set(table.primaryKey.map((part) => part.column.name))
  const free = table.columns.filter(({ name }) => !inKey.has(name))
  // With one of two columns of a CHECK from either row, it says something of both.
  const [one] = choose.percent(40) ? choose.some(about.checked, 1) : []
  if (one !== undefined) return ` ON CONFLICT DO UPDATE SET ${one.name} = excluded.${one.name}`
  const sets = choose.percent(50)
    ? free.map(({ name }) => `${name} = excluded.${name}`)
    : choose
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
  const meeting = meetingValues(about)
  const compared = about.table.columns.map((column) => {
    return [column.name, jsonOf(meeting[column.name] ?? valueText(about, column))] as const
  })
  const json = meeting[JSON_COLUMN] ?? jsonText(about.choose)
  return Object.fromEntries([
    ...compared,
    [JSON_COLUMN, json === 'NULL' ? null : JSON.parse(json.slice(1, -1))],
  ])
}

/** Those of a row that its holder sees, or none: then it is left to chance. */
function meetingValues({ choose, claims, shows }: About): Values {
  return choose.percent(70) ? shows(claims) : {}
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
  const meeting = meetingValues(about)
  const values = columns.map((each) => {
    const part = primaryKey.findIndex(({ column }) => column.name === each.name)
    if (key[part] !== undefined) return literalOf(each.type, key[part])
    return meeting[each.name] ?? valueText(about, each)
  })
  return `(${[...values, meeting[JSON_COLUMN] ?? jsonText(about.choose)].join(', ')})`
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
  const all = table.columns.filter(({ name }) => !inKey.has(name))
  const unruled = all.filter(({ name }) => !about.ruled.has(name))
  // What decides whether a row is seen is mostly left as it is: the rule refuses most of what else it could be.
  const free = unruled.length > 0 && choose.percent(70) ? unruled : all
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
