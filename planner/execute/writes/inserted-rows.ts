// SPDX-License-Identifier: Apache-2.0
import { encodePrimaryKey, keyOfRow, type TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { nameText } from '../../expressions/expression-text.ts'
import { identityOfBytes } from '../../expressions/value-work.ts'
import type { InsertPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import type { TurnTaking } from '../rows/execution-context.ts'
import { meetsRule } from '../rows/row-visibility.ts'
import { type CheckedRow, checkedRow } from './checked-row.ts'
import { defaultOf, keyToJson, notNullViolation, rowNumber, ruleViolated } from './new-row.ts'

export type NewRow = {
  readonly row: CheckedRow
  readonly key: readonly SqlValue[]
  /** The key as a text, for finding it among others. */
  readonly identity: string
  readonly position: InsertPlan['position']
  /** Which of several rows, from 0. */
  readonly number: number | undefined
}

/** The rows of an INSERT, whole and with their defaults. Throws PlanError where one could not be inserted. */
export async function insertedRows(
  plan: InsertPlan,
  scope: Scope,
  turns: TurnTaking,
): Promise<readonly NewRow[]> {
  const rows: NewRow[] = []
  const { table, numbered } = plan
  const numbers =
    numbered === undefined ? [] : await scope.functions.nextNumbers(table, plan.rows.length)
  for (const planned of plan.rows) {
    scope.work.beginRow(planned.position)
    const number = plan.rows.length > 1 ? rows.length : undefined
    rows.push(newRow(plan, planned, scope, { number, generated: numbers[rows.length] }))
    if (turns.isDue()) await turns.pause()
  }
  for (const { row, key, position, number } of rows) {
    if (!meetsRule(plan, row, scope)) throw ruleViolated({ ...plan, position }, key, number)
  }
  return rows
}

function newRow(
  { table, given: positions, checks }: InsertPlan,
  planned: InsertPlan['rows'][number],
  scope: Scope,
  {
    number,
    generated,
  }: { readonly number: number | undefined; readonly generated: bigint | undefined },
): NewRow {
  scope.work.spend(table.columns.length)
  const values = table.columns.map((column, index) => {
    const position = positions[index]
    const given = position === undefined ? undefined : planned.values[position]
    const value =
      given === undefined ? defaultOf(column, scope.functions, generated) : given.evaluate(scope)
    if (value === null && column.notNull) {
      throw notNullViolation(table, column, given?.position ?? planned.position, { number })
    }
    return value
  })
  const { position } = planned
  const ofRow = { ...scope, row: values }
  const row = checkedRow({ table, checks, position }, ofRow, { isNew: true, number })
  const key = keyOfRow(table, row)
  const identity = identityOfBytes(encodePrimaryKey(table, key))
  return { row, key, identity, position, number }
}

export function alreadyExists(
  { table, numbered }: InsertPlan,
  { key, position, number }: NewRow,
): PlanError {
  const json = keyToJson(table, key)
  const message = `The table ${table.name} has a row ${JSON.stringify(json)} already.`
  return new PlanError('already_exists', message, {
    position,
    hint: numbered === undefined ? BY_SET : restartHint(table, numbered),
    fields: { table: table.name, key: json, ...rowNumber({ number }) },
  })
}

const BY_SET = 'SET changes a row, or makes it when there is none.'

/** A number that was handed out meets a row only where somebody has given that one its number. */
function restartHint({ name, columns }: TableDefinition, numbered: number): string {
  const column = nameText(columns[numbered]?.name ?? '')
  const restart = `ALTER TABLE ${nameText(name)} ALTER COLUMN ${column} RESTART WITH n`
  return `Rows have been given numbers that were still to come: ${restart} goes on above them.`
}
