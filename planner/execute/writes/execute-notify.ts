// SPDX-License-Identifier: Apache-2.0
import { notifyObserver } from '../../../storage/tables/tables.ts'
import type { NotifyPlan } from '../../plan/plan.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from '../rows/execution-context.ts'
import { mayMeetRule } from '../rows/row-visibility.ts'
import { requireKey } from './one-row.ts'
import { ruleViolated } from './rule-violated.ts'

/** Tells the observer of the row, without a look at it. No row is written. */
export function executeNotify(plan: NotifyPlan, context: ExecutionContext): StatementResult {
  const scope = scopeOf(plan.slots, context)
  const key = requireKey(plan, scope)
  if (!mayMeetRule(plan, key, scope)) throw ruleViolated(plan, key)
  notifyObserver(context.transaction, plan.table, plan.observer, key)
  return { columns: [], rows: [], rowsAffected: 0 }
}
