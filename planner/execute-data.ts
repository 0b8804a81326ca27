// SPDX-License-Identifier: Apache-2.0
import { executeAggregate } from './execute-aggregate.ts'
import { executeDelete } from './execute-delete.ts'
import { executeGet } from './execute-get.ts'
import { executeInsert } from './execute-insert.ts'
import { executeScan } from './execute-scan.ts'
import { executeSet } from './execute-set.ts'
import type { ExecutionContext, StatementResult } from './execution-context.ts'
import type { DataPlan } from './plan.ts'

/** Runs a plan on rows within the statement layer that the caller has opened. */
export async function executeData(
  plan: DataPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  switch (plan.kind) {
    case 'pointGet':
      return await executeGet(plan, context)
    case 'rangeScan':
      return await executeScan(plan, context)
    case 'aggregate':
      return await executeAggregate(plan, context)
    case 'set':
      return await executeSet(plan, context)
    case 'insert':
      return await executeInsert(plan, context)
    case 'delete':
      return await executeDelete(plan, context)
  }
}
