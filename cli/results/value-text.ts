// SPDX-License-Identifier: Apache-2.0
import type { ResultColumn, Value } from '../../client-sdk/client.ts'

type SqlType = ResultColumn['type']

/** A value that is not NULL as text without quotes, every digit of it; of a client with bigints and JSON as text. */
export function valueText(type: SqlType, value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'string' || typeof value === 'bigint') return value.toString()
  return valueJson(type, value)
}

/** The same as JSON: an integer that JavaScript would round is a string of its digits, as over HTTP. */
export function valueJson(type: SqlType, value: Value): string {
  // It is the text of the JSON that it is.
  if (type === 'JSON' && typeof value === 'string') return value
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? value.toString() : `"${value}"`
  }
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  return JSON.stringify(value) ?? 'null'
}

/** A row as JSON, its members in the order of the columns. */
export function rowJson(
  columns: readonly ResultColumn[],
  row: Readonly<Record<string, Value>>,
): string {
  const members = columns.map(
    ({ name, type }) => `${JSON.stringify(name)}:${valueJson(type, row[name])}`,
  )
  return `{${members.join(',')}}`
}
