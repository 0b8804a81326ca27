// SPDX-License-Identifier: Apache-2.0
import { quoted } from '../../page/statements/sql-text.ts'
import type { CsvText } from './csv-text.ts'

/** So many rows are looked at. */
const LOOKED_AT_MAX = 1_000

const INTEGER = /^-?(0|[1-9]\d{0,17})$/
const DECIMAL = /^-?(0|[1-9]\d{0,11})\.(\d{1,6})$/
const REAL = /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/i
const BOOLEAN = /^(true|false)$/i
const DATE = /^\d{4}-\d\d-\d\d$/
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)?$/

/**
 * A CREATE TABLE for the rows of a file, to be looked at and changed. Its key is the first column whose values are all
 * there and all different.
 */
export function guessedTable(name: string, { header, records }: CsvText): string {
  const looked = records.slice(0, LOOKED_AT_MAX)
  const columns = header.map((field, at) => {
    const values = looked.map(({ fields }) => fields[at] ?? null)
    const given = values.filter((value) => value !== null)
    const isKey = given.length === records.length && new Set(given).size === given.length
    return { name: field.trim() === '' ? `column${at + 1}` : field, type: typeOf(given), isKey }
  })
  const key = columns.find(({ isKey }) => isKey) ?? columns[0]
  const lines = columns.map(
    (column) => `  ${quoted(column.name)} ${column.type}${column === key ? ' PRIMARY KEY' : ''}`,
  )
  return `CREATE TABLE ${quoted(name)} (\n${lines.join(',\n')}\n)`
}

function typeOf(values: readonly string[]): string {
  const are = (pattern: RegExp) => values.length > 0 && values.every((one) => pattern.test(one))
  if (are(INTEGER)) return 'INTEGER'
  const isDecimal = (one: string) => DECIMAL.test(one) || INTEGER.test(one)
  if (values.length > 0 && values.every(isDecimal)) {
    const scale = Math.max(...values.map((one) => DECIMAL.exec(one)?.[2]?.length ?? 0))
    return `DECIMAL(18, ${scale})`
  }
  if (are(REAL)) return 'REAL'
  if (are(BOOLEAN)) return 'BOOLEAN'
  if (are(DATE)) return 'DATE'
  return are(TIMESTAMP) ? 'TIMESTAMP' : 'TEXT'
}

/** The name of the table that a CREATE TABLE makes; empty for another statement. */
export function createdName(sql: string): string {
  const [, quotedName, name] =
    /^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?(?:"((?:[^"]|"")*)"|(\w+))/i.exec(sql) ?? []
  return quotedName?.replaceAll('""', '"') ?? name ?? ''
}
