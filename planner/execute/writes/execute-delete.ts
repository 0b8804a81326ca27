// SPDX-License-Identifier: Apache-2.0
import { changeRows } from '../../../storage/tables/tables.ts'
import type { DeletePlan } from '../../plan/plan.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from '../rows/execution-context.ts'
import { foundRows } from './found-rows.ts'

/** Deletes the rows that it finds along a key. */
export async function executeDelete(
  plan: DeletePlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const answer = new AnswerRows(plan.returning, plan.position, context)
  let rowsAffected = 0
  for await (const found of foundRows(plan, scope, context)) {
    for (const row of found) answer.add({ ...scope, row })
    const changes = found.map((before) => ({ before, after: null }))
    await changeRows(context.transaction, plan.table, changes)
    rowsAffected += found.length
  }
  return answer.result(rowsAffected)
}
