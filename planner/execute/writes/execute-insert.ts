// SPDX-License-Identifier: Apache-2.0
import { changeRows } from '../../../storage/tables/tables.ts'
import { inPortions } from '../../keys/path-work.ts'
import type { InsertPlan } from '../../plan/plan.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from '../rows/execution-context.ts'
import { rowsByKeys } from '../rows/rows-by-keys.ts'
import { writtenRows } from './duplicate-row.ts'
import { alreadyExists, insertedRows, type NewRow } from './inserted-rows.ts'

/**
 * Adds rows whose keys have none yet, all of them or none; with ON CONFLICT DO NOTHING those that are
 * no duplicate, of the primary key or of a unique index. Asking for the keys costs about one round
 * trip for each thousand rows, and asking for unique entries one more.
 */
export async function executeInsert(
  plan: InsertPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const { table } = plan
  const scope = scopeOf(plan.slots, context)
  const answer = new AnswerRows(plan.returning, plan.position, context)
  const turns = new TurnTaking(context)
  const rows = await insertedRows(plan, scope, turns)
  if (plan.onConflict === undefined) requireDistinctKeys(plan, rows)
  const onConflict = plan.onConflict === undefined ? 'fail' : 'skip'
  const taken = await takenKeys(plan, context, rows)
  let rowsAffected = 0
  const batches = batchesOfDistinctKeys(rows).flatMap((batch) =>
    inPortions(table, batch, ({ row }) => row),
  )
  for (const batch of batches) {
    const free = batch.filter(({ identity }) => !taken.has(identity))
    const changes = free.map(({ row }) => ({ before: null, after: row }))
    const conflicts = await writtenRows(table, free, () =>
      changeRows(context.transaction, table, changes, { onConflict }),
    )
    for (const [index, { row, identity }] of free.entries()) {
      if (conflicts[index] !== null) continue
      taken.add(identity)
      scope.work.beginRow(plan.position)
      answer.add({ ...scope, row })
      rowsAffected += 1
      if (turns.isDue()) await turns.pause()
    }
    // Where all of them are duplicates, each row may be a batch of its own.
    if (turns.isDue()) await turns.pause()
  }
  return answer.result(rowsAffected)
}

/** Two rows of one statement with one key: the second finds the first. */
function requireDistinctKeys(plan: InsertPlan, rows: readonly NewRow[]): void {
  const seen = new Set<string>()
  for (const row of rows) {
    if (seen.has(row.identity)) throw alreadyExists(plan, row)
    seen.add(row.identity)
  }
}

/** The keys that have a row already; without DO NOTHING the first is PlanError already_exists. */
async function takenKeys(
  plan: InsertPlan,
  context: ExecutionContext,
  rows: readonly NewRow[],
): Promise<Set<string>> {
  const taken = new Set<string>()
  const keys = rows.map(({ key }) => key)
  let next = 0
  for await (const batch of rowsByKeys(context.transaction, plan.table, keys, { columns: [] })) {
    for (const { found } of batch) {
      const row = rows[next++] as NewRow
      if (found === null) continue
      if (plan.onConflict === undefined) throw alreadyExists(plan, row)
      taken.add(row.identity)
    }
  }
  return taken
}

/**
 * The rows in their order, cut before each that has the key of one since the last cut: whether that
 * one is inserted decides about it, and depends on the rows before.
 */
function batchesOfDistinctKeys(rows: readonly NewRow[]): ReadonlyArray<readonly NewRow[]> {
  const batches: NewRow[][] = [[]]
  let seen = new Set<string>()
  for (const row of rows) {
    if (seen.has(row.identity)) {
      seen = new Set()
      batches.push([])
    }
    seen.add(row.identity)
    batches.at(-1)?.push(row)
  }
  return batches
}
