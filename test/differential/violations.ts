// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { PlanError } from '../../planner/planner.ts'
import { StorageError } from '../../storage/storage.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { BothSides } from './both-sides.ts'
import { namesText, type RandomColumn } from './random/random-table.ts'

/** Why a write is refused: one of them is told, and which one is told first is not compared. */
export type Violation =
  | 'already_exists'
  | 'unique_violation'
  | 'not_null_violation'
  | 'check_failed'
  | 'row_not_found'

const VIOLATIONS: ReadonlySet<unknown> = new Set<Violation>([
  ...(['already_exists', 'unique_violation', 'not_null_violation', 'check_failed'] as const),
  'row_not_found',
])

/** The violation that an error of the dialect tells. Throws any other error, with the text. */
export function violationOf(error: unknown, text: string): Violation {
  const known = error instanceof PlanError || error instanceof StorageError
  if (known && VIOLATIONS.has(error.code)) return error.code as Violation
  throw new Error(`${text}\n${error instanceof Error ? error.message : ''}`, { cause: error })
}

/** The unique indexes that forbid something: one that older rows forbade is none. */
export function uniqueIndexes({ table, catalog }: BothSides) {
  const known = catalog.table(table.name)?.indexes ?? []
  const ready = new Set(known.filter(({ state }) => state === 'ready').map(({ name }) => name))
  return table.indexes.filter(({ unique, name }) => unique && ready.has(name))
}

/** Makes a table for rows that are to be written, with the columns of the table and what stands before them. */
export function createRowsTable({ reference, table }: BothSides, name: string, before = ''): void {
  reference.run(`DROP TABLE IF EXISTS ${name}`)
  reference.run(`CREATE TEMP TABLE ${name} AS SELECT ${before} * FROM ${table.name} WHERE FALSE`)
}

/** What is wrong with the rows of such a table, each for itself. */
export function violationsOfRows({ reference, table }: BothSides, rows: string): Set<Violation> {
  const violations = new Set<Violation>()
  const has = (condition: string) =>
    reference.count(`SELECT EXISTS (SELECT 1 FROM ${rows} WHERE ${condition})`) > 0
  const forced = table.columns.filter(({ notNull }) => notNull)
  if (forced.some(({ name }) => has(`${name} IS NULL`))) violations.add('not_null_violation')
  if (table.checks?.some(({ condition }) => has(`NOT (${condition.theirs})`)))
    violations.add('check_failed')
  return violations
}

/**
 * The same, and what would be there twice when these rows are written; `replaced` are the primary keys of rows that
 * they take the place of.
 */
export function violationsOf(sides: BothSides, rows: string, replaced?: string): Set<Violation> {
  const { table } = sides
  const violations = violationsOfRows(sides, rows)
  const primary = table.primaryKey.map(({ column }) => column)
  if (isTwice(sides, { rows, replaced, columns: primary })) violations.add('already_exists')
  for (const { parts } of uniqueIndexes(sides)) {
    const columns = parts.map(({ column }) => column)
    if (isTwice(sides, { rows, replaced, columns })) violations.add('unique_violation')
  }
  return violations
}

function isTwice(
  { reference, table }: BothSides,
  {
    rows,
    replaced,
    columns,
  }: {
    readonly rows: string
    readonly replaced: string | undefined
    readonly columns: readonly RandomColumn[]
  },
): boolean {
  const values = columns.map(({ name }, place) => `${name} AS k${place}`).join(', ')
  const names = columns.map((_, place) => `k${place}`)
  const primary = namesText(table.primaryKey.map(({ column }) => column))
  const left = replaced === undefined ? '' : ` WHERE (${primary}) NOT IN (${replaced})`
  const known = names.map((name) => `${name} IS NOT NULL`).join(' AND ')
  const all = `SELECT ${values} FROM ${table.name}${left} UNION ALL SELECT ${values} FROM ${rows}`
  const twice = `SELECT 1 FROM (${all}) WHERE ${known} GROUP BY ${names.join(', ')} HAVING COUNT(*) > 1`
  return reference.count(`SELECT EXISTS (${twice})`) > 0
}

/** What SQLite makes of a write: the rows that it returns, or why it is refused. */
export type WrittenRows = SqlValue[][] | ReadonlySet<Violation>

/** Both sides have written the same rows, or refused to for a reason that there is. */
export function requireSame(
  ours: { readonly rowsAffected: number; readonly rows: SqlValue[][] } | Violation,
  theirs: WrittenRows,
  text: string,
): void {
  if (typeof ours === 'string' || 'has' in theirs) {
    const reasons = 'has' in theirs ? [...theirs] : []
    assert.ok(typeof ours === 'string' && reasons.includes(ours), `${ours} of ${reasons}: ${text}`)
    return
  }
  assert.deepEqual(ours.rows, theirs, text)
  assert.equal(ours.rowsAffected, theirs.length, text)
}

/** Writes the rows of such a table instead of those with the primary keys of `replaced`, if SQLite allows it. */
export function writeRows(sides: BothSides, rows: string, replaced?: string): Set<Violation> {
  const { reference, table } = sides
  const violations = violationsOf(sides, rows, replaced)
  const primary = namesText(table.primaryKey.map(({ column }) => column))
  reference.run('SAVEPOINT before')
  const isDone = reference.try(() => {
    if (replaced !== undefined)
      reference.run(`DELETE FROM ${table.name} WHERE (${primary}) IN (${replaced})`)
    reference.run(`INSERT INTO ${table.name} SELECT ${namesText(table.columns)} FROM ${rows}`)
  })
  if (!isDone) reference.run('ROLLBACK TO before')
  reference.run('RELEASE before')
  assert.equal(isDone, violations.size === 0, `SQLite sees ${[...violations]} otherwise`)
  return violations
}
