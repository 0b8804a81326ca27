// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  keyPositions,
  type SqlRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Plan } from '../../plan/plan.ts'
import { type GivenValues, givenValuesOf } from './given-values.ts'
import { primaryKeyExpressions } from './point-read.ts'

/**
 * What a plan decides that writes one whole row, whatever it was: its work is bounded by the lengths of the values. No
 * index, observer, check or rule is concerned.
 */
export type PointWrite = {
  readonly table: TableDefinition
  /** Of the primary key, and of all other columns. */
  readonly values: GivenValues
  /** The places in the row of these values. */
  readonly places: readonly number[]
}

/** Undefined where the plan writes otherwise, or has to look at the row. */
export function pointWriteOf(plan: Plan): PointWrite | undefined {
  if (plan.kind !== 'set' || !plan.isBlind) return undefined
  const { table, slots, keys, assignments, checks, rowRule, ruleAfter, returning } = plan
  if ((rowRule ?? ruleAfter ?? returning) !== undefined) return undefined
  if (checks.length + table.indexes.length + table.observers.length > 0) return undefined
  const key = primaryKeyExpressions(keys)
  if (key === undefined) return undefined
  const values = givenValuesOf([...key, ...assignments.map(({ value }) => value)], slots)
  const places = [...keyPositions(table), ...assignments.map(({ column }) => column)]
  return values && { table, values, places }
}

/** The row of these values, in the order of `places`; undefined where a column of them may not be NULL and is. */
export function rowOfPoint(
  { table, places }: PointWrite,
  values: readonly SqlValue[],
): SqlRow | undefined {
  const row: SqlValue[] = new Array(table.columns.length).fill(null)
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number
    const value = values[at] as SqlValue
    if (value === null && (table.columns[place] as ColumnDefinition).notNull) return undefined
    row[place] = value
  }
  return row
}
