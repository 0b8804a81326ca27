// SPDX-License-Identifier: Apache-2.0
import { valueToJson } from '../../../planner/planner.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'

/** A value that is not NULL as text without quotes: what JSON has as a string, or its JSON. */
export function valueText(type: SqlType, value: SqlValue): string {
  // It is kept as text that has been checked and brought into one form.
  if (type === 'JSON') return value as string
  const json = valueToJson(type, value, { integers: 'string' })
  return typeof json === 'string' ? json : JSON.stringify(json)
}
