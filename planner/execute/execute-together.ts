// SPDX-License-Identifier: Apache-2.0
import { getRowsOfTables, type SqlValue, type StoredRow } from '../../storage/storage.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import type { Parameters } from '../expressions/parameters.ts'
import { keyTuples } from '../keys/key-range.ts'
import type { Plan, PointGetPlan } from '../plan/plan.ts'
import { PlanError } from '../plan-error.ts'
import { executePlan } from './executor.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import { BatchSize } from './rows/batch-size.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'

/** A point read among others of one request. */
export type PointRead = { readonly plan: Plan; readonly parameters: Parameters }

/** Whether it reads rows by their primary keys and does nothing else. */
export function isPointRead(plan: Plan): plan is PointGetPlan {
  return plan.kind === 'pointGet' && plan.keys.key.index === undefined && !plan.forUpdate
}

type ReadContext = Omit<ExecutionContext, 'parameters'>
type Prepared = PointRead & {
  readonly plan: PointGetPlan
  readonly scope: Scope
  readonly keys: ReadonlyArray<readonly SqlValue[]>
}

/**
 * Runs reads that do not depend on each other, with one call to the store for many of them. `results`
 * answers them in their order; when one fails, the others before it are answered, and `failure` is its
 * error. What concerns all of them, such as snapshot_too_old, is thrown.
 */
export async function executeTogether(
  reads: readonly PointRead[],
  context: ReadContext,
): Promise<{ readonly results: readonly StatementResult[]; readonly failure?: unknown }> {
  const results: StatementResult[] = []
  const size = new BatchSize()
  const turns = new TurnTaking(context)
  let used = context.answerBytes?.used ?? 0
  try {
    while (results.length < reads.length) {
      const { batch, failure } = nextBatch(reads.slice(results.length), context, size.rows)
      const rows = await fetchBatch(batch, context, size)
      for (const [index, prepared] of batch.entries()) {
        const result = await answerRead(prepared, rows?.[index], withUsed(context, used))
        used += result.bytes ?? 0
        results.push(result)
        if (turns.isDue()) await turns.pause()
      }
      if (failure !== undefined) return { results, failure }
    }
    return { results }
  } catch (failure) {
    if (failure instanceof PlanError) return { results, failure }
    throw failure
  }
}

/** The first reads, of at most `keysMax` keys together; the first one whatever it asks for. */
function nextBatch(
  reads: readonly PointRead[],
  context: ReadContext,
  keysMax: number,
): { readonly batch: readonly Prepared[]; readonly failure?: unknown } {
  const batch: Prepared[] = []
  let keyCount = 0
  for (const { plan, parameters } of reads) {
    if (!isPointRead(plan)) return { batch, failure: new TypeError('It is no point read.') }
    try {
      context.work.beginRow(plan.position)
      const scope = scopeOf(plan.slots, { ...context, parameters })
      const keys = keyTuples(plan.keys, scope, 'asked')
      if (batch.length > 0 && keyCount + keys.length > keysMax) break
      keyCount += keys.length
      batch.push({ plan, parameters, scope, keys })
    } catch (failure) {
      return { batch, failure }
    }
  }
  return { batch }
}

/** The rows of each, by one call to the store; undefined for a read that takes several on its own. */
async function fetchBatch(
  batch: readonly Prepared[],
  { transaction, signal }: ReadContext,
  size: BatchSize,
): Promise<ReadonlyArray<ReadonlyArray<StoredRow | null>> | undefined> {
  const [first] = batch
  if (first === undefined || first.keys.length > size.rows) return undefined
  const asked = batch.map(({ plan, keys }) => ({
    table: plan.table,
    keyTuples: keys,
    columns: plan.reads,
  }))
  const rows = await transaction.statement(() => getRowsOfTables(transaction, asked), signal)
  size.learn(rows.flat())
  return rows
}

async function answerRead(
  { plan, parameters, scope }: Prepared,
  rows: ReadonlyArray<StoredRow | null> | undefined,
  context: ReadContext,
): Promise<StatementResult> {
  if (rows === undefined) return await executePlan(plan, { ...context, parameters })
  const answer = new AnswerRows(plan.projection, plan.position, context)
  for (const stored of rows) {
    if (stored === null) continue
    scope.work.beginRow(plan.position)
    answer.add({ ...scope, row: stored.row })
  }
  return answer.result()
}

function withUsed(context: ReadContext, used: number): ReadContext {
  const { answerBytes } = context
  return answerBytes === undefined ? context : { ...context, answerBytes: { ...answerBytes, used } }
}
