// SPDX-License-Identifier: Apache-2.0
import type { ResultColumn, Row } from '../../client-sdk/client.ts'
import { valueText } from '../page/grid-cell.ts'

/** Rows as JSON, one on a line; integers and the numbers in JSON columns with all their digits. */
export function rowsAsJson(columns: readonly ResultColumn[], rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const members = columns
      .filter(({ name }) => row[name] !== undefined)
      .map(({ name, type }) => `${JSON.stringify(name)}: ${jsonOf(row[name], type)}`)
    return `  {${members.join(', ')}}`
  })
  return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
}

function jsonOf(value: unknown, type: string): string {
  if (value === null) return 'null'
  // The text of a JSON column is JSON, and that of a bigint is a number.
  if (typeof value === 'bigint' || (type === 'JSON' && typeof value === 'string'))
    return String(value)
  return value instanceof Uint8Array ? JSON.stringify(valueText(value)) : JSON.stringify(value)
}
