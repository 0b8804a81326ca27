// SPDX-License-Identifier: Apache-2.0
import { keyColumns, type TableDefinition } from '../../storage/tables/tables.ts'
import { forColumn } from '../expressions/type-check.ts'
import { type PointsCondition, withoutNull } from './condition.ts'
import type { KeyBounds } from './key-range.ts'

/** The whole primary key of a row that may be written: each DECIMAL of it with the digits of its column. */
export function keyForColumns(table: TableDefinition, keys: KeyBounds): KeyBounds {
  const columns = keyColumns(table)
  if (!columns.some(({ size }) => size !== undefined)) return keys
  const points = keys.points.map((conditions, at) => {
    const { name, size } = columns[at] ?? {}
    if (name === undefined || size === undefined) return conditions
    return conditions.map((condition): PointsCondition => {
      const value = condition.value && forColumn(condition.value, { name, size })
      if (value === undefined) return condition
      return { ...condition, value, values: (scope) => withoutNull([value.evaluate(scope)]) }
    })
  })
  return { ...keys, points }
}
