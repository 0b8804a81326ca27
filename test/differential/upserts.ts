// SPDX-License-Identifier: Apache-2.0

import type { InsertPlan } from '../../planner/plan/plan.ts'
import { type BothSides, planOurs, runOurs } from './both-sides.ts'
import { columnsToSet } from './random/constraints.ts'
import { joined, listed, parametersOf, same, type TwoTexts } from './random/joined-texts.ts'
import { rowsText } from './random/random-statement.ts'
import {
  namesText,
  type RandomColumn,
  type RandomTable,
  type StoredColumn,
} from './random/random-table.ts'
import { condition, type TwoConditions } from './random/two-texts.ts'

import { rowValue } from './set-rows.ts'
import {
  createRowsTable,
  requireSame,
  uniqueIndexes,
  violationOf,
  violationsOf,
  violationsOfRows,
  type WrittenRows,
  writeRows,
} from './violations.ts'
import { analyzedWrite, requireAnalyzed } from './write-figures.ts'

type Upsert = {
  readonly values: TwoTexts
  /** Of the primary key or of a unique index. */
  readonly key: readonly RandomColumn[]
  /** Undefined with DO NOTHING. */
  readonly assignments?: ReadonlyArray<{ readonly column: StoredColumn; readonly value: TwoTexts }>
  readonly condition?: TwoConditions
}

/** An INSERT … ON CONFLICT (columns) on both sides, compared. */
export async function compareUpsert(sides: BothSides): Promise<'same'> {
  const upsert = randomUpsert(sides)
  const text = dialectText(sides.table, upsert)
  const parameters = parametersOf(upsert.condition ? [upsert.condition] : [])
  const plan = planOurs(sides, text) as InsertPlan
  const figures = await analyzedWrite(sides, { text, parameters, plan })
  const ours = await runOurs(sides, text, { parameters }).catch((error) => violationOf(error, text))
  requireAnalyzed(figures, ours, text)
  requireSame(ours, upsertTheirs(sides, upsert), text)
  return 'same'
}

function randomUpsert(sides: BothSides): Upsert {
  const { choose, table } = sides
  const unique = uniqueIndexes(sides)
  const parts = choose.oneOf([table.primaryKey, ...unique.map((index) => index.parts)])
  const key = parts.map(({ column }) => column)
  const values = newRows(sides)
  if (choose.percent(20)) return { values, key }
  const both = NAMES.flatMap((name) => qualified(name, table.columns))
  const terms = NAMES.flatMap((name) => qualified(name, table.terms))
  const assignments = columnsToSet(choose, table).map((column) => ({
    column,
    value: choose.percent(40) ? same(`excluded.${column.name}`) : rowValue(choose, both, column),
  }))
  return {
    values,
    key,
    assignments,
    ...(choose.percent(40) && { condition: condition(choose, terms) }),
  }
}

/** Mostly rows that could be inserted, so that what becomes of those that are there is looked at as well. */
function newRows(sides: BothSides, attempts = 8): TwoTexts {
  const values = rowsText(sides.choose, sides.table)
  makeFresh(sides, values)
  const isSound = violationsOfRows(sides, 'fresh').size === 0
  return isSound || attempts === 1 ? values : newRows(sides, attempts - 1)
}

function makeFresh(sides: BothSides, values: TwoTexts): void {
  createRowsTable(sides, 'fresh')
  sides.reference.run(`INSERT INTO fresh VALUES ${values.theirs}`)
}

const NAMES = ['t', 'excluded']

function qualified<Column extends StoredColumn>(
  name: string,
  columns: readonly Column[],
): readonly Column[] {
  return columns.map((column) => ({ ...column, name: `${name}.${column.name}` }))
}

function dialectText(table: RandomTable, { values, key, assignments, condition: when }: Upsert) {
  const sets = assignments?.map(({ column, value }) => `${column.name} = ${value.ours}`)
  const action = sets === undefined ? 'DO NOTHING' : `DO UPDATE SET ${sets.join(', ')}`
  const clause = `ON CONFLICT (${namesText(key)}) ${action}${when === undefined ? '' : ` IF ${when.ours}`}`
  return `INSERT INTO ${table.name} (${namesText(table.columns)}) VALUES ${values.ours} ${clause} RETURNING *`
}

/**
 * SQLite changes row by row, where later ones see what became of earlier ones: here all are computed first, and then
 * change places. Undefined where a constraint forbids it, or two rows meet the same one.
 */
function upsertTheirs(
  sides: BothSides,
  { values, key, assignments, condition: when }: Upsert,
): WrittenRows {
  const { reference, table } = sides
  const { name, columns } = table
  const primary = table.primaryKey.map(({ column }) => column)
  makeFresh(sides, values)
  const violations = violationsOfRows(sides, 'fresh')
  const known = key.map((column) => `${column.name} IS NOT NULL`).join(' AND ')
  const twice = `SELECT 1 FROM fresh WHERE ${known} GROUP BY ${namesText(key)} HAVING COUNT(*) > 1`
  const isPrimary = key.length === primary.length && key.every((each) => primary.includes(each))
  if (assignments !== undefined && reference.count(`SELECT COUNT(*) FROM (${twice})`) > 0)
    violations.add(isPrimary ? 'already_exists' : 'unique_violation')
  const met = key.map((column) => `${name}.${column.name} = excluded.${column.name}`).join(' AND ')
  const sameKey = key
    .map((column) => `other.${column.name} = excluded.${column.name}`)
    .join(' AND ')
  const added = `SELECT excluded.rowid AS place, 1 AS isNew, excluded.* FROM fresh AS excluded
    WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE ${met})
    AND NOT EXISTS (SELECT 1 FROM fresh AS other WHERE ${sameKey} AND other.rowid < excluded.rowid)`
  const assigned = new Map(assignments?.map(({ column, value }) => [column, value.theirs]))
  const changed = listed(
    columns.map(
      (column) =>
        joined`${same(assigned.get(column) ?? `${name}.${column.name}`)} AS ${same(column.name)}`,
    ),
  ).theirs
  const kept = assignments === undefined ? 'FALSE' : (when?.theirs ?? 'TRUE')
  createRowsTable(sides, 'written', '0 AS place, 0 AS isNew,')
  reference.run(`INSERT INTO written ${added}
    UNION ALL SELECT excluded.rowid, 0, ${changed} FROM ${name} JOIN fresh AS excluded ON ${met} WHERE ${kept}`)
  const old = `SELECT ${namesText(primary)} FROM written WHERE isNew = 0`
  if (violations.size === 0) {
    for (const violation of writeRows(sides, 'written', old)) violations.add(violation)
  } else for (const violation of violationsOf(sides, 'written', old)) violations.add(violation)
  if (violations.size > 0) return violations
  const types = columns.map(({ type }) => type)
  return reference.rows(`SELECT ${namesText(columns)} FROM written ORDER BY place`, types)
}
