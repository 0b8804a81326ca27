// SPDX-License-Identifier: Apache-2.0
import type { MaybePromise } from '../../storage/storage.ts'
import type { Plan } from '../plan/plan.ts'
import { executeData } from './execute-data.ts'
import { executeExplain } from './execute-explain.ts'
import {
  describeTable,
  showBlocks,
  showCreateTable,
  showGrants,
  showIndexes,
  showObservers,
  showRoles,
  showSchedules,
  showTables,
  showTokens,
} from './execute-show.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'
import { showRelays } from './show-relays.ts'

/**
 * Runs a plan as one statement of the context's transaction: it does not see its own writes, and
 * when it throws they are dropped. Throws or rejects with PlanError, StorageError, or the signal's reason.
 */
export function executePlan(plan: Plan, context: ExecutionContext): MaybePromise<StatementResult> {
  const { transaction } = context
  switch (plan.kind) {
    case 'showTables':
      return showTables(context.catalog)
    case 'showIndexes':
      return showIndexes(plan.table, context)
    case 'showCreateTable':
      return showCreateTable(plan.table, context)
    case 'showObservers':
      return showObservers(context.catalog)
    case 'showSchedules':
      return showSchedules(context)
    case 'showTokens':
      return showTokens(transaction)
    case 'showRoles':
      return showRoles(context)
    case 'showRelays':
      return showRelays(context)
    case 'showBlocks':
      return showBlocks(context)
    case 'showGrants':
      return showGrants(plan, context)
    case 'describe':
      return describeTable(plan.table)
    case 'explain':
      return executeExplain(plan, context)
    default:
      return transaction.statement(() => executeData(plan, context), context)
  }
}
