// SPDX-License-Identifier: Apache-2.0

import { type Explanation, explanationOf, type Measured } from '../plan/explain.ts'
import { explanationText } from '../plan/explanation-text.ts'
import type { DataPlan, ExplainPlan } from '../plan/plan.ts'
import { CountingTransaction } from './counting-transaction.ts'
import { executeData } from './execute-data.ts'
import type { ExecutionContext, StatementResult } from './rows/execution-context.ts'

/** Rows that ANALYZE holds at once. */
const ANALYZED_PAGE = { rows: 1_000, bytes: 4 * 1024 * 1024 } as const

/** One row: the plan as text for people and as JSON for programs. */
export async function executeExplain(
  plan: ExplainPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const explained = explanationOf(plan.plan)
  const measured = plan.analyze ? await measure(plan, context) : undefined
  const explanation: Explanation = measured === undefined ? explained : { ...explained, measured }
  const columns = [
    { name: 'text', type: 'TEXT' },
    { name: 'plan', type: 'JSON' },
  ] as const
  const text = explanationText(explanation)
  const rows = [[text, JSON.stringify(explanation)]]
  return { columns, rows, rowsAffected: 0, text, explained: answeredColumns(plan.plan) }
}

function answeredColumns(plan: DataPlan): StatementResult['columns'] {
  if ('projection' in plan) return plan.projection.columns
  return plan.returning?.columns ?? []
}

/** Carries the figures out of a statement whose layer is to be dropped. */
class Dropped extends Error {
  override readonly name = 'Dropped'
  readonly measured: Measured

  constructor(measured: Measured) {
    super('The statement ran for EXPLAIN ANALYZE and its writes are dropped.')
    this.measured = measured
  }
}

/** Runs the statement in a layer of its own and drops it: what it wrote never happened. */
async function measure(plan: ExplainPlan, context: ExecutionContext): Promise<Measured> {
  const run = async (): Promise<never> => {
    throw new Dropped(await runMeasured(plan, context))
  }
  try {
    return await context.transaction.statement(run, context.signal)
  } catch (error) {
    if (error instanceof Dropped) return error.measured
    throw error
  }
}

function lookupsOf(plan: DataPlan): readonly unknown[] {
  return ('lookups' in plan && plan.lookups) || []
}

async function runMeasured(
  { plan, hidesRows }: ExplainPlan,
  // The rows will not be read.
  { newRowWriter: _, ...context }: ExecutionContext,
): Promise<Measured> {
  const { monotonicMs } = context
  const startedMs = monotonicMs?.()
  const transaction = new CountingTransaction(context.transaction)
  const lookupFigures = lookupsOf(plan).map(() => ({ keys: 0, rows: 0, roundTrips: 0 }))
  let rowsReturned = 0
  let rowsAffected = 0
  let after: Uint8Array | undefined
  do {
    const page = after === undefined ? ANALYZED_PAGE : { ...ANALYZED_PAGE, after }
    const result = await executeData(plan, { ...context, transaction, lookupFigures, page })
    rowsReturned += result.rows.length
    rowsAffected += result.rowsAffected
    after = result.resumeAfter
  } while (after !== undefined)
  const { rows, entries, cells, roundTrips } = transaction.figures
  const read = { rowsRead: rows, entriesRead: entries, cellsRead: cells, roundTrips }
  const ofLookups = lookupFigures.length === 0 ? {} : { lookups: lookupFigures }
  const figures = { ...(hidesRows ? {} : { ...read, ...ofLookups }), rowsReturned, rowsAffected }
  if (monotonicMs === undefined || startedMs === undefined) return figures
  return { ...figures, milliseconds: Math.round((monotonicMs() - startedMs) * 1_000) / 1_000 }
}
