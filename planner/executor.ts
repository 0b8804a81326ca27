// SPDX-License-Identifier: Apache-2.0
import { executeCheck } from './execute-check.ts'
import { executeData } from './execute-data.ts'
import { executeExplain } from './execute-explain.ts'
import { executeNotify } from './execute-notify.ts'
import { describeTable, showIndexes, showObservers, showTables } from './execute-show.ts'
import type { ExecutionContext, StatementResult } from './execution-context.ts'
import type { Plan } from './plan.ts'

/**
 * Runs a plan as one statement of the context's transaction: it does not see its own writes, and
 * when it throws they are dropped. Throws PlanError, StorageError, or the reason of the signal.
 */
export async function executePlan(plan: Plan, context: ExecutionContext): Promise<StatementResult> {
  const { transaction, signal } = context
  switch (plan.kind) {
    case 'showTables':
      return showTables(context.catalog)
    case 'showIndexes':
      return await showIndexes(plan.table, transaction)
    case 'showObservers':
      return showObservers(context.catalog)
    case 'describe':
      return describeTable(plan.table)
    case 'explain':
      return await executeExplain(plan, context)
    case 'check':
      return await transaction.statement(() => executeCheck(plan, context), signal)
    case 'notify':
      return await transaction.statement(async () => executeNotify(plan, context), signal)
    default:
      return await transaction.statement(() => executeData(plan, context), signal)
  }
}
