// SPDX-License-Identifier: Apache-2.0
import { executeDelete } from './execute-delete.ts'
import { executeGet } from './execute-get.ts'
import { executeInsert } from './execute-insert.ts'
import { executeScan } from './execute-scan.ts'
import { executeSet } from './execute-set.ts'
import type { ExecutionContext, RowCounts, StatementResult } from './execution-context.ts'
import type { DataPlan } from './plan.ts'

/** Runs a plan on rows within the statement layer that the caller has opened. */
export async function executeData(
  plan: DataPlan,
  context: ExecutionContext,
  counts: RowCounts = { read: 0 },
): Promise<StatementResult> {
  switch (plan.kind) {
    case 'pointGet':
      return await executeGet(plan, context, counts)
    case 'rangeScan':
      return await executeScan(plan, context, counts)
    case 'set':
      return await executeSet(plan, context, counts)
    case 'insert':
      return await executeInsert(plan, context)
    case 'delete':
      return await executeDelete(plan, context, counts)
  }
}
