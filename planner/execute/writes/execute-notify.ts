// SPDX-License-Identifier: Apache-2.0
import { notifyObserver } from '../../../storage/storage.ts'
import type { NotifyPlan } from '../../plan/plan.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from '../rows/execution-context.ts'
import { requireKey } from './one-row.ts'

/** Tells the observer of the row, without a look at it. No row is written. */
export function executeNotify(plan: NotifyPlan, context: ExecutionContext): StatementResult {
  const key = requireKey(plan, scopeOf(plan.slots, context))
  notifyObserver(context.transaction, plan.table, plan.observer, key)
  return { columns: [], rows: [], rowsAffected: 0 }
}
