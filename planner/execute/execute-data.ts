// SPDX-License-Identifier: Apache-2.0
import type { MaybePromise } from '../../storage/storage.ts'
import { changeRows, notifyObserver } from '../../storage/tables/tables.ts'
import type { DeletePlan, ExplainedPlan, NotifyPlan } from '../plan/plan.ts'
import { executeAggregate } from './execute-aggregate.ts'
import { executeGet } from './execute-get.ts'
import { executeScan } from './execute-scan.ts'
import { executeTopRows } from './execute-top-rows.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
} from './rows/execution-context.ts'
import { mayMeetRule } from './rows/row-visibility.ts'
import { isUpsert } from './writes/conflicting-rows.ts'
import { executeCheck } from './writes/execute-check.ts'
import { executeInsert, executeUpsert } from './writes/execute-insert.ts'
import { executeSet } from './writes/execute-set.ts'
import { executeSetRows } from './writes/execute-set-rows.ts'
import { foundRows } from './writes/found-rows.ts'
import { requireKey, ruleViolated } from './writes/new-row.ts'

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

/** Tells the observer of the row, without a look at it. No row is written. */
const executeNotify: Execute<NotifyPlan> = (plan, context) => {
  const scope = scopeOf(plan.slots, context)
  const key = requireKey(plan, scope)
  if (!mayMeetRule(plan, key, scope)) throw ruleViolated(plan, key)
  notifyObserver(context.transaction, plan.table, plan.observer, key)
  return { columns: [], rows: [], rowsAffected: 0 }
}

/** Deletes the rows that it finds along a key. */
const executeDelete: Execute<DeletePlan> = async (plan, context) => {
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
