// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { DeletePlan, InsertPlan, SetPlan } from '../../planner/plan/plan.ts'
import { PlanError, type StatementResult } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { type BothSides, planOurs, runOurs } from './both-sides.ts'
import { joined, listed, parametersOf, same, type TwoTexts } from './random/joined-texts.ts'
import type { WriteStatement } from './random/random-statement.ts'
import { namesText } from './random/random-table.ts'
import { walkOrder } from './read-comparison.ts'
import {
  createRowsTable,
  requireSame,
  violationOf,
  violationsOfRows,
  type WrittenRows,
  writeRows,
} from './violations.ts'
import { whereText, withConditions } from './walk-bounds.ts'
import { analyzedWrite, requireAnalyzed } from './write-figures.ts'

type DeleteWrite = Extract<WriteStatement, { kind: 'delete' }>

/** Writes on both sides and compares; 'refused' when the planner had no key for the statement. */
export async function compareWrite(
  sides: BothSides,
  write: WriteStatement,
): Promise<'same' | 'refused'> {
  const { text, conditionsAt } = dialectText(sides, write)
  const plan = planOf(sides, text)
  if (plan === undefined) return 'refused'
  const parameters = parametersOf(conditionsOf(write))
  const ofDelete = write.kind === 'delete' && {
    conditions: { where: write.where, conditionsAt },
    limit: write.limit,
  }
  const figures = await analyzedWrite(sides, { text, parameters, plan, ...ofDelete })
  const ours = await runOurs(sides, text, { parameters }).catch((error) => violationOf(error, text))
  requireAnalyzed(figures, ours, text)
  const theirs = writeTheirs(sides, write, plan)
  const unmet = typeof ours === 'string' ? undefined : ours.unmet
  assert.equal(unmet, typeof theirs === 'string' ? theirs : undefined, text)
  requireSame(ours, typeof theirs === 'string' ? [] : theirs, text)
  return 'same'
}

function conditionsOf(write: WriteStatement): readonly TwoTexts[] {
  if (write.kind === 'delete') return write.where
  return write.kind === 'set' && typeof write.precondition !== 'string' ? [write.precondition] : []
}

type WritePlan = SetPlan | InsertPlan | DeletePlan

function planOf(sides: BothSides, text: string): WritePlan | undefined {
  try {
    return planOurs(sides, text) as WritePlan
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    if (error.code === 'unbounded_scan' || error.code === 'invalid_request') return undefined
    throw new Error(`${text}\n${error.message}`, { cause: error })
  }
}

function dialectText(
  { table }: BothSides,
  write: WriteStatement,
): { readonly text: string; readonly conditionsAt: readonly number[] } {
  const names = namesText(table.columns)
  switch (write.kind) {
    case 'insert': {
      const clause = write.doNothing ? ' ON CONFLICT DO NOTHING' : ''
      const text = `INSERT INTO ${table.name} (${names}) VALUES ${write.values.ours}${clause} RETURNING *`
      return { text, conditionsAt: [] }
    }
    case 'set': {
      const { precondition } = write
      const clauses = { none: '', exists: ' IF EXISTS', notExists: ' IF NOT EXISTS' }
      const clause =
        typeof precondition === 'string' ? clauses[precondition] : ` IF ${precondition.ours}`
      const sets = assignmentsOf(write).ours
      const text = `SET ${sets} ON ${table.name} WHERE ${keyOf(write).ours}${clause} RETURNING *`
      return { text, conditionsAt: [] }
    }
    case 'delete': {
      const begin = `DELETE FROM ${table.name}${write.hint}`
      const { whole, conditionsAt } = withConditions(begin, write.where)
      const limit = write.limit === undefined ? '' : ` LIMIT ${write.limit}`
      return { text: `${whole}${limit} RETURNING *`, conditionsAt }
    }
  }
}

type SetWrite = Extract<WriteStatement, { kind: 'set' }>

function assignmentsOf({ assignments }: SetWrite): TwoTexts {
  return listed(assignments.map(({ column, value }) => joined`${same(column.name)} = ${value}`))
}

function keyOf({ key }: SetWrite): TwoTexts {
  const parts = key.map(({ column, value }) => joined`${same(column.name)} = ${value}`)
  const text = (which: keyof TwoTexts) => parts.map((part) => part[which]).join(' AND ')
  return { ours: text('ours'), theirs: text('theirs') }
}

/** The rows, why it is refused, or why a SET with IF writes nothing. */
type Written = WrittenRows | NonNullable<StatementResult['unmet']>

function writeTheirs(sides: BothSides, write: WriteStatement, plan: WritePlan): Written {
  switch (write.kind) {
    case 'insert':
      return insertTheirs(sides, write)
    case 'set':
      return setTheirs(sides, write)
    case 'delete':
      return deleteTheirs(sides, write, plan as DeletePlan)
  }
}

function insertTheirs(
  sides: BothSides,
  { values, doNothing }: Extract<WriteStatement, { kind: 'insert' }>,
): Written {
  const { reference, table } = sides
  const types = table.columns.map(({ type }) => type)
  createRowsTable(sides, 'fresh')
  reference.run(`INSERT INTO fresh VALUES ${values.theirs}`)
  if (!doNothing) {
    const violations = writeRows(sides, 'fresh')
    return violations.size > 0 ? violations : reference.rows('SELECT * FROM fresh', types)
  }
  // Duplicates are no violation: SQLite leaves them out, and says which rows it has added.
  const violations = violationsOfRows(sides, 'fresh')
  const text = `INSERT INTO ${table.name} VALUES ${values.theirs} ON CONFLICT DO NOTHING RETURNING *`
  let returned: SqlValue[][] = []
  const isDone = reference.try(() => {
    returned = reference.rows(text, types)
  })
  assert.equal(isDone, violations.size === 0, `SQLite sees ${[...violations]} otherwise`)
  return isDone ? returned : violations
}

function setTheirs(sides: BothSides, write: SetWrite): Written {
  const { reference, table } = sides
  const { precondition, plain } = write
  const ofKey = `FROM ${table.name} WHERE ${keyOf(write).theirs}`
  const exists = reference.count(`SELECT COUNT(*) ${ofKey}`) > 0
  if (precondition === 'exists' && !exists) return 'missing'
  if (precondition === 'notExists' && exists) return 'exists'
  if (typeof precondition !== 'string') {
    if (!exists) return 'missing'
    const holds = reference.count(`SELECT COUNT(*) ${ofKey} AND (${precondition.theirs})`)
    if (holds === 0) return 'condition'
  }
  if (!exists && !plain) return new Set(['row_not_found'])
  const given = new Map(
    [...(exists ? [] : write.key), ...write.assignments].map(({ column, value }) => [
      column,
      value.theirs,
    ]),
  )
  const values = table.columns.map((column) => given.get(column) ?? (exists ? column.name : 'NULL'))
  createRowsTable(sides, 'changed')
  reference.run(`INSERT INTO changed SELECT ${values.join(', ')}${exists ? ` ${ofKey}` : ''}`)
  const primary = namesText(table.primaryKey.map(({ column }) => column))
  const violations = writeRows(
    sides,
    'changed',
    exists ? `SELECT ${primary} FROM changed` : undefined,
  )
  if (violations.size > 0) return violations
  const types = table.columns.map(({ type }) => type)
  return reference.rows(`SELECT * ${ofKey}`, types)
}

/** The rows that come first on the walk which the plan says that it takes. */
function deleteTheirs(
  { reference, table }: BothSides,
  { where, limit }: DeleteWrite,
  plan: DeletePlan,
): Written {
  const types = table.columns.map(({ type }) => type)
  const names = namesText(table.primaryKey.map(({ column }) => column))
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  const found = `FROM ${table.name}${whereText(where)} ORDER BY ${walkOrder(plan).join(', ')}${clause}`
  const returned = reference.rows(`SELECT * ${found}`, types)
  reference.run(`DELETE FROM ${table.name} WHERE (${names}) IN (SELECT ${names} ${found})`)
  return returned
}
