// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { PlanError } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/storage.ts'
import { joined, listed, parametersOf, same, type TwoTexts } from './joined-texts.ts'
import { rowsText } from './random-statement.ts'
import type { RandomColumn, RandomTable } from './random-table.ts'
import type { BothSides } from './read-comparison.ts'
import { rowValue } from './set-rows.ts'
import { condition, type TwoConditions } from './two-texts.ts'

type Upsert = {
  readonly values: TwoTexts
  /** Of the primary key or of a unique index. */
  readonly key: readonly RandomColumn[]
  /** Undefined with DO NOTHING. */
  readonly assignments?: ReadonlyArray<{ readonly column: RandomColumn; readonly value: TwoTexts }>
  readonly condition?: TwoConditions
}

/** An INSERT … ON CONFLICT (columns) on both sides, compared. */
export async function compareUpsert(sides: BothSides): Promise<'same'> {
  const { session, transaction, catalog, table } = sides
  const upsert = randomUpsert(sides)
  const text = dialectText(table, upsert)
  const parameters = parametersOf(upsert.condition ? [upsert.condition] : [])
  const wanted = upsertTheirs(sides, upsert)
  try {
    const { rows, rowsAffected } = await session.runIn(transaction, catalog, text, { parameters })
    assert.deepEqual(rows, wanted, text)
    assert.equal(rowsAffected, wanted?.length, text)
  } catch (error) {
    const isRefused = error instanceof PlanError && REFUSALS.includes(error.code)
    if (!isRefused || wanted !== undefined) throw new Error(text, { cause: error })
  }
  return 'same'
}

const REFUSALS = ['already_exists', 'unique_violation', 'not_null_violation']

function randomUpsert({ choose, table, catalog }: BothSides): Upsert {
  const known = catalog.table(table.name)?.indexes ?? []
  const ready = known.filter(({ state }) => state === 'ready').map(({ name }) => name)
  const unique = table.indexes.filter((index) => index.unique && ready.includes(index.name))
  const parts = choose.oneOf([table.primaryKey, ...unique.map((index) => index.parts)])
  const key = parts.map(({ column }) => column)
  const values = rowsText(choose, table)
  if (choose.percent(20)) return { values, key }
  const inKey = new Set(table.primaryKey.map(({ column }) => column))
  const free = table.columns.filter((column) => !inKey.has(column))
  const both = [...qualified('t', table), ...qualified('excluded', table)]
  const assignments = choose.some(free, 1 + choose.below(2)).map((column) => ({
    column,
    value: choose.percent(40) ? same(`excluded.${column.name}`) : rowValue(choose, both, column),
  }))
  return {
    values,
    key,
    assignments,
    ...(choose.percent(40) && { condition: condition(choose, both) }),
  }
}

function qualified(name: string, { columns }: RandomTable): readonly RandomColumn[] {
  return columns.map((column) => ({ ...column, name: `${name}.${column.name}` }))
}

function dialectText(table: RandomTable, { values, key, assignments, condition: when }: Upsert) {
  const sets = assignments?.map(({ column, value }) => `${column.name} = ${value.ours}`)
  const action = sets === undefined ? 'DO NOTHING' : `DO UPDATE SET ${sets.join(', ')}`
  const clause = `ON CONFLICT (${namesOf(key)}) ${action}${when === undefined ? '' : ` IF ${when.ours}`}`
  return `INSERT INTO ${table.name} (${namesOf(table.columns)}) VALUES ${values.ours} ${clause} RETURNING *`
}

function namesOf(columns: readonly RandomColumn[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/**
 * SQLite changes row by row, where later ones see what became of earlier ones: here all are computed first, and then
 * change places. Undefined where a constraint forbids it, or two rows meet the same one.
 */
function upsertTheirs(sides: BothSides, upsert: Upsert): SqlValue[][] | undefined {
  const { reference } = sides
  reference.run('SAVEPOINT before')
  const rows = computedTheirs(sides, upsert)
  if (rows === undefined) reference.run('ROLLBACK TO before')
  else for (const name of TEMPORARY) reference.run(`DROP TABLE ${name}`)
  reference.run('RELEASE before')
  return rows
}

const TEMPORARY = ['fresh', 'written']

function computedTheirs(
  { reference, table }: BothSides,
  { values, key, assignments, condition: when }: Upsert,
): SqlValue[][] | undefined {
  const { name, columns } = table
  const primary = table.primaryKey.map(({ column }) => column)
  reference.run(`CREATE TEMP TABLE fresh AS SELECT * FROM ${name} WHERE FALSE`)
  reference.run(`INSERT INTO fresh VALUES ${values.theirs}`)
  const isNull = columns.filter(({ notNull }) => notNull).map((column) => `${column.name} IS NULL`)
  const known = key.map((column) => `${column.name} IS NOT NULL`).join(' AND ')
  const twice = `SELECT 1 FROM fresh WHERE ${known} GROUP BY ${namesOf(key)} HAVING COUNT(*) > 1`
  if (
    isNull.length > 0 &&
    reference.count(`SELECT COUNT(*) FROM fresh WHERE ${isNull.join(' OR ')}`) > 0
  )
    return undefined
  if (assignments !== undefined && reference.count(`SELECT COUNT(*) FROM (${twice})`) > 0)
    return undefined
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
  reference.run(`CREATE TEMP TABLE written AS ${added}
    UNION ALL SELECT excluded.rowid, 0, ${changed} FROM ${name} JOIN fresh AS excluded ON ${met} WHERE ${kept}`)
  const isDone = reference.try(() => {
    const old = `SELECT ${namesOf(primary)} FROM written WHERE isNew = 0`
    reference.run(`DELETE FROM ${name} WHERE (${namesOf(primary)}) IN (${old})`)
    reference.run(`INSERT INTO ${name} SELECT ${namesOf(columns)} FROM written`)
  })
  const types = columns.map(({ type }) => type)
  return isDone
    ? reference.rows(`SELECT ${namesOf(columns)} FROM written ORDER BY place`, types)
    : undefined
}
