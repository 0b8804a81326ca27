// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Measured } from '../../planner/plan/explain.ts'
import type { SetRowsPlan } from '../../planner/plan/plan.ts'
import { PlanError, type PlannedStatement, planStatement } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/storage.ts'
import { joined, listed, parametersOf, same, type TwoTexts } from './joined-texts.ts'
import { conditionsOf, hintOf } from './random-statement.ts'
import type { Chooser, RandomColumn, RandomTable } from './random-table.ts'
import { type BothSides, walkOrder, whereText } from './read-comparison.ts'
import { knownValue, type TwoConditions, value } from './two-texts.ts'

type SetRows = {
  readonly assignments: ReadonlyArray<{ readonly column: RandomColumn; readonly value: TwoTexts }>
  readonly hint: string
  readonly where: readonly TwoConditions[]
  readonly limit: number | undefined
}

/** A SET over rows on both sides, compared; 'refused' when the planner had no key for it. */
export async function compareSetRows(sides: BothSides): Promise<'same' | 'refused'> {
  const { session, transaction, catalog, table } = sides
  const write = randomSetRows(sides.choose, table)
  const text = `${dialectText(table, write)} RETURNING *`
  const plan = planOf(sides, text)
  // Some name one row by its key, and are compared as those that may make it.
  if (plan?.kind !== 'setRows') return 'refused'
  const parameters = parametersOf(write.where)
  const run = async (sql: string) => session.runIn(transaction, catalog, sql, { parameters })
  const wanted = setTheirs(sides, write, plan)
  try {
    const explained = await run(`EXPLAIN ANALYZE ${text}`)
    const { measured } = JSON.parse(explained.rows[0]?.[1] as string) as { measured: Measured }
    const { rows, rowsAffected } = await run(text)
    assert.deepEqual(rows, wanted, text)
    assert.equal(rowsAffected, wanted?.length, text)
    assert.equal(measured.rowsAffected, rowsAffected, text)
  } catch (error) {
    const isRefused = error instanceof PlanError && REFUSALS.includes(error.code)
    if (!isRefused || wanted !== undefined) throw new Error(text, { cause: error })
  }
  return 'same'
}

const REFUSALS = ['unique_violation', 'not_null_violation']

function randomSetRows(choose: Chooser, table: RandomTable): SetRows {
  const inKey = new Set(table.primaryKey.map(({ column }) => column))
  const free = table.columns.filter((column) => !inKey.has(column))
  return {
    assignments: choose.some(free, 1 + choose.below(2)).map((column) => ({
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
  columns: readonly RandomColumn[],
  column: RandomColumn,
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

function dialectText(table: RandomTable, { assignments, hint, where, limit }: SetRows): string {
  const sets = assignments.map(({ column, value }) => `${column.name} = ${value.ours}`)
  const conditions = where.length === 0 ? [same('TRUE')] : where
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  return `SET ${sets.join(', ')} ON ${table.name}${hint} WHERE ${conditions.map(({ ours }) => `(${ours})`).join(' AND ')}${clause}`
}

function planOf({ session, catalog }: BothSides, text: string): SetRowsPlan | undefined {
  try {
    return planStatement(session.parse(text)[0] as PlannedStatement, catalog) as SetRowsPlan
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    if (error.code === 'unbounded_scan' || error.code === 'invalid_request') return undefined
    throw new Error(`${text}\n${error.message}`, { cause: error })
  }
}

/**
 * SQLite compares unique values row by row, and SQL at the end of the statement: all rows are taken away, and come back
 * as they are then. Undefined where a constraint forbids it.
 */
function setTheirs(
  { reference, table }: BothSides,
  { assignments, where, limit }: SetRows,
  plan: SetRowsPlan,
): SqlValue[][] | undefined {
  const assigned = new Map(assignments.map(({ column, value }) => [column, value]))
  const values = listed(
    table.columns.map((column) => {
      const { theirs } = assigned.get(column) ?? same(column.name)
      return joined`${{ ours: '', theirs }} AS ${same(column.name)}`
    }),
  )
  const names = table.primaryKey.map(({ column }) => column.name).join(', ')
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  // With the table's name, or it would be the order of what the columns become.
  const order = walkOrder(plan).map((column) => `${table.name}.${column}`)
  const found = `FROM ${table.name}${whereText(where)} ORDER BY ${order.join(', ')}${clause}`
  const types = table.columns.map(({ type }) => type)
  for (const sql of [
    'SAVEPOINT before',
    `CREATE TEMP TABLE changed AS SELECT * FROM (SELECT ${values.theirs} ${found})`,
  ]) {
    reference.run(sql)
  }
  const isDone = reference.try(() => {
    reference.run(`DELETE FROM ${table.name} WHERE (${names}) IN (SELECT ${names} FROM changed)`)
    reference.run(`INSERT INTO ${table.name} SELECT * FROM changed`)
  })
  const rows = isDone ? reference.rows('SELECT * FROM changed', types) : undefined
  if (!isDone) reference.run('ROLLBACK TO before')
  else reference.run('DROP TABLE changed')
  reference.run('RELEASE before')
  return rows
}
