// SPDX-License-Identifier: Apache-2.0
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import type { CompiledExpression } from '../../expressions/compiled-expression.ts'
import type { KeyBounds } from '../../keys/key-range.ts'
import type { Plan, ResultColumn } from '../../plan/plan.ts'
import { type GivenValues, givenValuesOf } from './given-values.ts'
import type { PointRule } from './point-rule.ts'

/**
 * What a plan decides that reads columns as they are of one row, by its primary key: its work is bounded by the lengths
 * of a key and of a row.
 */
export type PointRead = {
  readonly table: TableDefinition
  /** The values of the key, in its order. */
  readonly given: GivenValues
  /** Places of the columns that are read. */
  readonly reads: readonly number[]
  /** Places of the columns of the result, in its order. */
  readonly places: readonly number[]
  readonly columns: readonly ResultColumn[]
  /** Absent where whoever asks may see all rows. */
  readonly rule: PointRule | undefined
}

/** Undefined where the plan reads in another way, or locks. */
export function pointReadOf(plan: Plan): PointRead | undefined {
  if (plan.kind !== 'pointGet' || plan.forUpdate) return undefined
  const { table, slots, keys, projection, lookups, reads, rowRule } = plan
  const { places, columns } = projection
  if (lookups !== undefined || places === undefined) return undefined
  const expressions = primaryKeyExpressions(keys)
  const given = expressions && givenValuesOf(expressions, slots)
  const rule = rowRule && { rule: rowRule, slots }
  return given && { table, given, reads, places, columns, rule }
}

/** The values of the primary key, in its order, where these bounds are one key of it. */
export function primaryKeyExpressions({
  key,
  points,
}: KeyBounds): readonly CompiledExpression[] | undefined {
  if (key.index !== undefined || points.length < key.parts.length) return undefined
  const values = points.flatMap((conditions) => (conditions.length === 1 ? conditions : []))
  const expressions = values.flatMap(({ value }) => value ?? [])
  return expressions.length === points.length ? expressions : undefined
}
