// SPDX-License-Identifier: Apache-2.0
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { isClaim } from '../../expressions/parameters.ts'
import type { KeyRange } from '../../keys/key-range.ts'
import type { Plan, RangeScanPlan, ResultColumn } from '../../plan/plan.ts'
import { rowLimit } from '../rows/ranked.ts'
import { boundedRanges, keepsRanges } from '../rows/walk.ts'
import { type GivenValues, givenValuesOf } from './given-values.ts'
import { turnScope } from './turn-scope.ts'

/** What a plan decides that reads columns as they are of all rows of a range of the primary key. */
export type RangeRead = {
  readonly table: TableDefinition
  /** The values of all parameters, by their slots. */
  readonly given: GivenValues
  /** Places of the columns that are read. */
  readonly reads: readonly number[]
  /** Places of the columns of the result, in its order. */
  readonly places: readonly number[]
  readonly columns: readonly ResultColumn[]
  readonly plan: RangeScanPlan
}

/** Undefined where the plan reads in another way, looks at rows before it answers them, or asks who reads. */
export function rangeReadOf(plan: Plan): RangeRead | undefined {
  if (plan.kind !== 'rangeScan' || !keepsRanges(plan)) return undefined
  const { table, slots, projection, lookups, top, reads } = plan
  const { places, columns } = projection
  if (lookups !== undefined || top !== undefined || places === undefined) return undefined
  if (slots.some(({ key }) => isClaim(key))) return undefined
  const given = givenValuesOf(
    slots.map((_, slot) => ({ given: { slot } })),
    slots,
  )
  return given && { table, given, reads, places, columns, plan }
}

/** The range and its direction, and how many of its rows are wanted at most. */
export type RequestedRange = {
  readonly range: KeyRange & { readonly reverse: boolean }
  readonly limit: number
}

/**
 * What these values, one for each slot, make of it; undefined where that is not one range. Throws PlanError as the
 * statement does, and where it is more work than what is done in the turn of its request.
 */
export function requestedRange(
  { plan }: RangeRead,
  values: readonly SqlValue[],
): RequestedRange | undefined {
  const parameters = values.map((value) => ({ kind: 'value', value }) as const)
  const scope = turnScope([], parameters)
  const limit = rowLimit(plan.limit, scope)
  const [range, another] = boundedRanges(plan, scope)
  if (range === undefined || another !== undefined) return undefined
  const { start, end } = range
  return { range: { start, end, reverse: plan.path.reverse }, limit }
}
