// SPDX-License-Identifier: Apache-2.0
import { parametersOf } from '../../differential/random/joined-texts.ts'
import type { RandomColumn } from '../../differential/random/random-table.ts'
import { condition, knownValue } from '../../differential/random/two-texts.ts'
import { literalOf } from './claims.ts'
import { type About, type JsonRow, randomReading, type Statement } from './statements.ts'

/** A GET or a SCAN of any kind, and some with LOOKUP. */
export function anyReading(about: About): Statement {
  return about.choose.percent(20) ? randomLookup(about) : randomReading(about)
}

/** Rows of a table with others of it, or of another one, that are looked up by its primary key or a unique index. */
export function randomLookup(about: About): Statement {
  const { choose, table, other } = about
  // Where only the rows that are looked up are hidden, it is for them alone to be kept apart.
  const isOther = choose.percent(other.isRuled && about.ruled.size === 0 ? 75 : 45)
  const looked = isOther ? other : about
  const { columns, terms, indexes, primaryKey, name: from } = looked.table
  const unique = indexes.filter((index) => index.unique).map(({ parts }) => parts)
  const key = choose.oneOf([primaryKey, primaryKey, ...unique])
  // Of one row that is there, whoever may see it, or of the row before.
  const [row] = choose.percent(80) ? choose.some(looked.rows, 1) : []
  const by = key.map(({ column }) => `b.${column.name} = ${keyValue(about, column, row)}`)
  const optional = choose.percent(50) ? ' OPTIONAL' : ''
  const { name } = choose.oneOf(columns)
  const number = columns.find(({ type }) => type === 'INTEGER')
  const what = choose.oneOf([
    `a.*, b.${name} AS found`,
    'COUNT(*) AS n',
    `a.${choose.oneOf(table.columns).name} AS x, b.${name} AS y${number === undefined ? '' : `, 10 / b.${number.name} AS q`}`,
  ])
  const found = condition(
    choose,
    terms.map((column) => ({ ...column, name: `b.${column.name}` })),
  )
  const where = choose.percent(25) ? [found] : []
  if (choose.percent(10)) where.push({ ours: `b.${name} IS NULL`, theirs: '' })
  const filter = where.map(({ ours }) => `(${ours})`).join(' AND ')
  return {
    sql: `SCAN ${what} FROM ${table.name} AS a USE PRIMARY KEY LOOKUP ${from} AS b BY ${by.join(' AND ')}${optional}${filter === '' ? '' : ` WHERE ${filter}`}`,
    params: parametersOf(where),
  }
}

function keyValue(
  { choose, table }: About,
  column: RandomColumn,
  row: JsonRow | undefined,
): string {
  if (row !== undefined) return literalOf(column.type, row[column.name])
  const alike = table.columns.filter(({ type }) => type === column.type)
  return alike.length > 0 && choose.percent(80)
    ? `a.${choose.oneOf(alike).name}`
    : knownValue(choose, column.type).ours
}
