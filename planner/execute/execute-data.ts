// SPDX-License-Identifier: Apache-2.0
import type { MaybePromise } from '../../storage/storage.ts'
import type { ExplainedPlan } from '../plan/plan.ts'
import { executeAggregate } from './execute-aggregate.ts'
import { executeGet } from './execute-get.ts'
import { executeScan } from './execute-scan.ts'
import { executeTopRows } from './execute-top-rows.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'
import { isUpsert } from './writes/conflicting-rows.ts'
import { executeCheck } from './writes/execute-check.ts'
import { executeDelete } from './writes/execute-delete.ts'
import { executeInsert } from './writes/execute-insert.ts'
import { executeNotify } from './writes/execute-notify.ts'
import { executeSet } from './writes/execute-set.ts'
import { executeSetRows } from './writes/execute-set-rows.ts'
import { executeUpsert } from './writes/execute-upsert.ts'

/** Runs a plan on rows within the statement layer that the caller has opened. */
export function executeData(
  plan: ExplainedPlan,
  context: ExecutionContext,
): MaybePromise<StatementResult> {
  switch (plan.kind) {
    case 'pointGet':
      return executeGet(plan, context)
    case 'rangeScan':
      return plan.top === undefined
        ? executeScan(plan, context)
        : executeTopRows({ ...plan, top: plan.top }, context)
    case 'aggregate':
      return executeAggregate(plan, context)
    case 'set':
      return executeSet(plan, context)
    case 'setRows':
      return executeSetRows(plan, context)
    case 'insert':
      return isUpsert(plan) ? executeUpsert(plan, context) : executeInsert(plan, context)
    case 'delete':
      return executeDelete(plan, context)
    case 'check':
      return executeCheck(plan, context)
    case 'notify':
      return executeNotify(plan, context)
  }
}
