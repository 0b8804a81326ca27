// SPDX-License-Identifier: Apache-2.0
import type { RowsRequest } from '../../storage/tables/tables.ts'
import { isFullKey, type KeyBounds, keyTuples } from '../keys/key-range.ts'
import type { Plan } from '../plan/plan.ts'
import { type ScopeContext, scopeOf } from './rows/execution-context.ts'
import { mayMeetRule } from './rows/row-visibility.ts'
import { columnsOfCheck } from './writes/execute-check.ts'

/**
 * The rows that a statement will read by their primary keys, which its text and its parameters name; undefined for one
 * that finds its rows otherwise, or reads none. Throws PlanError where the statement itself would.
 */
export function rowsNamed(plan: Plan, context: ScopeContext): RowsRequest | undefined {
  const named = namedBy(plan)
  if (named === undefined || named.bounds.key.index !== undefined) return undefined
  const { table, slots, bounds, columns } = named
  const scope = scopeOf(slots, context)
  const requested = keyTuples(bounds, scope, 'asked')
  return { table, keyTuples: requested.filter((key) => mayMeetRule(named, key, scope)), columns }
}

type Named = Pick<Extract<Plan, { kind: 'set' }>, 'table' | 'slots' | 'rowRule'> & {
  readonly bounds: KeyBounds
  /** Places of the columns that are read of each row. */
  readonly columns: readonly number[]
}

function namedBy(plan: Plan): Named | undefined {
  switch (plan.kind) {
    case 'pointGet':
      return { ...plan, bounds: plan.keys, columns: plan.reads }
    case 'set':
      return plan.isBlind ? undefined : { ...plan, bounds: plan.keys, columns: plan.reads }
    case 'check':
      return { ...plan, bounds: plan.keys, columns: columnsOfCheck(plan) }
    case 'setRows':
    case 'delete': {
      const { bounds } = plan.path
      return isFullKey(bounds) ? { ...plan, bounds, columns: plan.reads } : undefined
    }
    default:
      return undefined
  }
}
