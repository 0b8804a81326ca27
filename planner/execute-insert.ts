// SPDX-License-Identifier: Apache-2.0
import { encodePrimaryKey, putRow, type SqlValue } from '../storage/storage.ts'
import type { Scope } from './compiled-expression.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { defaultOf, keyOfRow, keyToJson, notNullViolation } from './new-row.ts'
import type { InsertPlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { rowsByKeys } from './rows-by-keys.ts'

/**
 * Adds rows whose keys have none yet, all of them or none. Asking for the keys costs about one round
 * trip for each thousand rows.
 */
export async function executeInsert(
  plan: InsertPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const turns = new TurnTaking(context)
  const seen = new Set<string>()
  const rows: SqlValue[][] = []
  const keys: SqlValue[][] = []
  for (const planned of plan.rows) {
    const row = insertedRow(plan, planned, scope)
    const key = keyOfRow(plan.table, row)
    requireNew(plan, key, { seen, position: planned.position })
    rows.push(row)
    keys.push(key)
    if (turns.isDue()) await turns.pause()
  }
  let index = 0
  for await (const batch of rowsByKeys(context.transaction, plan.table, keys)) {
    for (const { key, stored } of batch) {
      const position = plan.rows[index]?.position ?? plan.position
      if (stored !== null) throw alreadyExists(plan, key, position)
      putRow(context.transaction, plan.table, rows[index] as SqlValue[])
      index += 1
      if (turns.isDue()) await turns.pause()
    }
  }
  return { columns: [], rows: [], rowsAffected: plan.rows.length }
}

function insertedRow(
  { table }: InsertPlan,
  planned: InsertPlan['rows'][number],
  scope: Scope,
): SqlValue[] {
  return table.columns.map((column, index) => {
    const given = planned.values[index]
    const value = given === undefined ? defaultOf(column, scope.functions) : given.evaluate(scope)
    if (value === null && column.notNull) {
      throw notNullViolation(table, column, given?.position ?? planned.position)
    }
    return value
  })
}

/** Two rows of one statement with one key: the second finds the first. */
function requireNew(
  plan: InsertPlan,
  key: readonly SqlValue[],
  { seen, position }: { readonly seen: Set<string>; readonly position: InsertPlan['position'] },
): void {
  const encoded = Buffer.from(encodePrimaryKey(plan.table, key)).toString('latin1')
  if (seen.has(encoded)) throw alreadyExists(plan, key, position)
  seen.add(encoded)
}

function alreadyExists(
  { table }: InsertPlan,
  key: readonly SqlValue[],
  position: InsertPlan['position'],
): PlanError {
  const json = keyToJson(table, key)
  const message = `The table ${table.name} has a row ${JSON.stringify(json)} already.`
  return new PlanError('already_exists', message, {
    position,
    hint: 'SET changes a row, or makes it when there is none.',
    fields: { table: table.name, key: json },
  })
}
