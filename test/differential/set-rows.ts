// SPDX-License-Identifier: Apache-2.0
import type { SetRowsPlan } from '../../planner/plan/plan.ts'

import { PlanError } from '../../planner/planner.ts'
import { type BothSides, planOurs, runOurs } from './both-sides.ts'
import { columnsToSet } from './random/constraints.ts'
import { joined, parametersOf, same, type TwoTexts } from './random/joined-texts.ts'
import { conditionsOf, hintOf } from './random/random-statement.ts'
import {
  type Chooser,
  namesText,
  type RandomTable,
  type StoredColumn,
} from './random/random-table.ts'
import { knownValue, type TwoConditions, value } from './random/two-texts.ts'
import { walkOrder } from './read-comparison.ts'
import {
  createRowsTable,
  requireSame,
  violationOf,
  type WrittenRows,
  writeRows,
} from './violations.ts'
import { whereText, withConditions } from './walk-bounds.ts'
import { analyzedWrite, requireAnalyzed } from './write-figures.ts'

export type SetRows = {
  readonly assignments: ReadonlyArray<{ readonly column: StoredColumn; readonly value: TwoTexts }>
  readonly hint: string
  readonly where: readonly TwoConditions[]
  readonly limit: number | undefined
}

/** A SET over rows on both sides, compared; 'refused' when the planner had no key for it. */
export async function compareSetRows(
  sides: BothSides,
  write: SetRows = randomSetRows(sides.choose, sides.table),
): Promise<'same' | 'refused'> {
  const { text, conditionsAt } = dialectText(sides.table, write)
  const plan = planOf(sides, text)
  // Some name one row by its key, and are compared as those that may make it.
  if (plan?.kind !== 'setRows') return 'refused'
  const { where, limit } = write
  const parameters = parametersOf(where)
  const conditions = { where, conditionsAt }
  const figures = await analyzedWrite(sides, { text, parameters, plan, conditions, limit })
  const ours = await runOurs(sides, text, { parameters }).catch((error) => violationOf(error, text))
  requireAnalyzed(figures, ours, text)
  requireSame(ours, setTheirs(sides, write, plan), text)
  return 'same'
}

function randomSetRows(choose: Chooser, table: RandomTable): SetRows {
  return {
    assignments: columnsToSet(choose, table).map((column) => ({
      column,
      value: choose.percent(30) ? value(choose, column) : rowValue(choose, table.columns, column),
    })),
    hint: hintOf(choose, table),
    where: conditionsOf(choose, table),
    limit: choose.percent(25) ? choose.below(6) : undefined,
  }
}

/** From a row with these columns; what a column of one row becomes, another row may have been. */
export function rowValue(
  choose: Chooser,
  columns: readonly StoredColumn[],
  column: StoredColumn,
): TwoTexts {
  const ofType = columns.filter(({ type }) => type === column.type)
  const other = same(choose.oneOf(ofType).name)
  switch (column.type) {
    case 'INTEGER':
      return choose.oneOf([
        joined`(${other} + ${knownValue(choose, 'INTEGER')}) % 10`,
        joined`${knownValue(choose, 'INTEGER')} - ${other} % 10`,
      ])
    case 'REAL':
      return joined`${other} / 2.0 + ${knownValue(choose, 'REAL')}`
    case 'TEXT':
      return joined`lower(${other})`
    default:
      return other
  }
}

function dialectText(table: RandomTable, { assignments, hint, where, limit }: SetRows) {
  const sets = assignments.map(({ column, value }) => `${column.name} = ${value.ours}`)
  const begin = `SET ${sets.join(', ')} ON ${table.name}${hint}`
  const { whole, conditionsAt } = withConditions(begin, where.length === 0 ? [same('TRUE')] : where)
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  return { text: `${whole}${clause} RETURNING *`, conditionsAt }
}

function planOf(sides: BothSides, text: string): SetRowsPlan | undefined {
  try {
    return planOurs(sides, text) as SetRowsPlan
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    if (error.code === 'unbounded_scan' || error.code === 'invalid_request') return undefined
    throw new Error(`${text}\n${error.message}`, { cause: error })
  }
}

/**
 * SQLite compares unique values row by row, and SQL at the end of the statement: all rows are taken away, and come back
 * as they are then.
 */
function setTheirs(
  sides: BothSides,
  { assignments, where, limit }: SetRows,
  plan: SetRowsPlan,
): WrittenRows {
  const { reference, table } = sides
  const assigned = new Map(assignments.map(({ column, value }) => [column, value]))
  const values = table.columns.map((column) => assigned.get(column)?.theirs ?? column.name)
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  // With the table's name, or it would be the order of what the columns become.
  const order = walkOrder(plan).map((column) => `${table.name}.${column}`)
  const found = `FROM ${table.name}${whereText(where)} ORDER BY ${order.join(', ')}${clause}`
  createRowsTable(sides, 'changed')
  reference.run(`INSERT INTO changed SELECT ${values.join(', ')} ${found}`)
  const primary = namesText(table.primaryKey.map(({ column }) => column))
  const violations = writeRows(sides, 'changed', `SELECT ${primary} FROM changed`)
  if (violations.size > 0) return violations
  const types = table.columns.map(({ type }) => type)
  return reference.rows('SELECT * FROM changed', types)
}
