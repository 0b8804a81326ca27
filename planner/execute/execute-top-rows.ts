// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import type { RangeScanPlan, TopRowsPlan } from '../plan/plan.ts'
import { bytesOfValues, HeldBytes, keptValue } from '../sorting/held-bytes.ts'
import { type KeptOfRow, TopRows } from '../sorting/top-rows.ts'
import { joinedWalk } from './lookups/joined-walk.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { ranked, sortLimit } from './rows/ranked.ts'
import { rowsByKeys } from './rows/rows-by-keys.ts'
import { requireFirstPage } from './rows/scan-page.ts'

type TopPlan = RangeScanPlan & { readonly top: TopRowsPlan }

/** What is kept of a row: its columns where the walk has all that is answered, and nothing but its key otherwise. */
type Kept = SqlRow | undefined

/**
 * The first rows of a range that comes in another order, on one page. All of the range is read; of the first rows so
 * far what they are ordered by is kept, and their keys, by which the rest of them is read at the end.
 */
export const executeTopRows: Execute<TopPlan> = async (plan, context) => {
  requireFirstPage(context)
  const scope = scopeOf(plan.slots, context)
  const count = sortLimit(plan.limit, scope)
  const held = new HeldBytes(plan.position, context.holdBytes)
  try {
    const top = new TopRows<Kept>(plan.top.parts, count, held)
    const turns = new TurnTaking(context)
    if (count > 0) await readRange(plan, { context, scope, turns, top })
    const { work } = scope
    const rows = await ranked(top, plan.position, work, turns)
    return await answer(plan, { context, scope, turns }, rows)
  } finally {
    held.release()
  }
}

type Run = {
  readonly context: ExecutionContext
  readonly scope: Scope
  readonly turns: TurnTaking
}

/** Offers each row that the filters keep. */
async function readRange(plan: TopPlan, run: Run & { readonly top: TopRows<Kept> }): Promise<void> {
  const { context, scope, turns, top } = run
  const { parts } = plan.top
  for await (const steps of joinedWalk({ plan, scope, context, window: {} })) {
    for (const { row } of steps) {
      if (row !== null) {
        const ofRow = { ...scope, row }
        const values = parts.map(({ evaluate }) => evaluate(ofRow))
        top.offer(values, () => keptOf(plan, ofRow), scope.work)
      }
      if (turns.isDue()) await turns.pause()
    }
  }
}

function keptOf({ top, projection }: TopPlan, { row, work }: Scope): KeptOfRow<Kept> {
  if (top.fetches !== undefined) return { what: undefined, bytes: 0 }
  const kept: SqlValue[] = row.map(() => null)
  for (const column of projection.reads) kept[column] = keptValue(row[column] as SqlValue, work)
  return { what: kept, bytes: bytesOfValues(kept) }
}

async function answer(
  plan: TopPlan,
  { context, scope, turns }: Run,
  rows: ReadonlyArray<{ readonly values: readonly SqlValue[]; readonly what: Kept }>,
): Promise<StatementResult> {
  const { table, top, position } = plan
  const answered = new AnswerRows(plan.projection, position, context)
  const add = async (row: SqlRow) => {
    scope.work.beginRow(position)
    answered.add({ ...scope, row })
    if (turns.isDue()) await turns.pause()
  }
  if (top.fetches === undefined) {
    for (const { what } of rows) await add(what as SqlRow)
    return answered.result()
  }
  const keys = rows.map(({ values }) => values.slice(-table.primaryKey.length))
  for await (const batch of rowsByKeys(context.transaction, table, keys, {
    columns: top.fetches,
  })) {
    for (const { key, found } of batch) await add(rowAt(key, found?.row))
  }
  return answered.result()
}

/** The walk met it at the same snapshot. */
function rowAt(key: readonly SqlValue[], row: SqlRow | undefined): SqlRow {
  if (row !== undefined) return row
  throw new Error(`The row of the key (${key.join(', ')}) was read, and is not there any more.`)
}
