// SPDX-License-Identifier: Apache-2.0
import {
  changeRows,
  guardRow,
  keyOfRow,
  type RowChange,
  type SqlRow,
  type StoredRow,
  TakenEntries,
} from '../../../storage/tables/tables.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { inPortions } from '../../keys/path-work.ts'
import type { InsertPlan } from '../../plan/plan.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import {
  type Execute,
  type ExecutionContext,
  scopeOf,
  TurnTaking,
} from '../rows/execution-context.ts'
import { meetsRule } from '../rows/row-visibility.ts'
import { rowsByKeys } from '../rows/rows-by-keys.ts'
import { assignedRow, type CheckedRow, checkedRow } from './checked-row.ts'
import { rowsMet, type UpsertPlan } from './conflicting-rows.ts'
import { requireGivenUp, type WantedRow, writtenRows } from './duplicate-row.ts'
import { alreadyExists, insertedRows, type NewRow } from './inserted-rows.ts'
import { ruleViolated } from './new-row.ts'

/**
 * Adds rows whose keys have none yet, all of them or none; with ON CONFLICT DO NOTHING those that are
 * no duplicate, of the primary key or of a unique index. Asking for the keys costs about one round
 * trip for each thousand rows, and asking for unique entries one more.
 */
export const executeInsert: Execute<InsertPlan> = async (plan, context) => {
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

/**
 * Adds rows, and leaves out or changes those that are there by one of their keys. The rows that are there are read by
 * multi-gets, about one round trip for each thousand, and another one by a unique index. Each is changed once, so that
 * every expression sees it as it was before the statement.
 */
export const executeUpsert: Execute<UpsertPlan> = async (plan, context) => {
  const { table } = plan
  const scope = scopeOf(plan.slots, context)
  const answer = new AnswerRows(plan.returning, plan.position, context)
  const turns = new TurnTaking(context)
  const taken = new TakenEntries()
  const wantedOf = new WeakMap<SqlRow, WantedRow<CheckedRow>>()
  let rowsAffected = 0
  const rows = await insertedRows(plan, scope, turns)
  for await (const batch of rowsMet(plan, context, rows)) {
    const changes: CheckedChange[] = []
    for (const { row, found } of batch) {
      if (turns.isDue()) await turns.pause()
      const change =
        found === null
          ? { before: null, after: row.row }
          : changeOf(plan, context, { scope, row, found })
      if (change === undefined) continue
      changes.push(change)
      wantedOf.set(change.after, { ...row, row: change.after })
    }
    for (const portion of inPortions(table, changes, ({ after }) => after)) {
      const written = portion.map(({ after }) => after)
      const wanted = written.map((row) => wantedOf.get(row) as WantedRow<CheckedRow>)
      await writtenRows(table, wanted, () =>
        changeRows(context.transaction, table, portion, { taken }),
      )
      for (const row of written) {
        scope.work.beginRow(plan.position)
        answer.add({ ...scope, row })
      }
      if (turns.isDue()) await turns.pause()
    }
    rowsAffected += changes.length
  }
  requireGivenUp(table, taken, (row) => wantedOf.get(row) as WantedRow)
  return answer.result(rowsAffected)
}

type CheckedChange = RowChange & { readonly after: CheckedRow }

/** Undefined where the row that is there stays as it is. */
function changeOf(
  plan: UpsertPlan,
  { transaction }: ExecutionContext,
  { scope, row, found }: { readonly scope: Scope; readonly row: NewRow; readonly found: StoredRow },
) {
  const { table, onConflict } = plan
  const { position, number } = row
  if (onConflict.kind === 'skip') return undefined
  // By the key of the new row: that of the hidden one is none of theirs.
  const violated = () => ruleViolated({ table, position }, row.key, number)
  scope.work.beginRow(position)
  if (!meetsRule(plan, found.row, scope)) throw violated()
  const { condition, assignments, checks, ruleAfter } = onConflict
  const both = { ...scope, row: [...found.row, ...row.row] }
  if (condition !== undefined) {
    guardRow(transaction, table, keyOfRow(table, found.row))
    if (condition.condition.evaluate(both) !== true) return undefined
  }
  const after = assignedRow(table, assignments, both, number).slice(0, table.columns.length)
  if (ruleAfter?.keeps({ ...scope, row: after }) === false) throw violated()
  const columns = assignments.map(({ column }) => column)
  const ofRow = { ...scope, row: after }
  const checked = checkedRow({ table, position, checks }, ofRow, { isNew: false, number })
  return { before: found.row, after: checked, columns, key: found.key }
}
