// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { DeletePlan } from '../../planner/plan/plan.ts'
import {
  PlanError,
  type PlannedStatement,
  planStatement,
  type StatementResult,
} from '../../planner/planner.ts'
import { StorageError } from '../../storage/storage.ts'
import {
  joined,
  listed,
  type NamedParameters,
  parametersOf,
  same,
  type TwoTexts,
} from './joined-texts.ts'
import type { WriteStatement } from './random-statement.ts'
import { type BothSides, walkOrder, whereText } from './read-comparison.ts'

/** What one side made of a write. */
type Written =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'done'
      readonly rowsAffected: number
      readonly unmet: StatementResult['unmet']
      readonly returned: StatementResult['rows']
    }

const REFUSALS = ['already_exists', 'unique_violation', 'not_null_violation', 'row_not_found']

/** Writes on both sides and compares; 'refused' when the planner had no key for the statement. */
export async function compareWrite(
  sides: BothSides,
  write: WriteStatement,
): Promise<'same' | 'refused'> {
  const text = `${dialectText(sides, write)} RETURNING *`
  let plan: DeletePlan | undefined
  if (write.kind === 'delete') {
    plan = deletePlan(sides, text)
    if (plan === undefined) return 'refused'
  }
  const ours = await writeOurs(sides, text, parametersOf(conditionsOf(write)))
  const theirs = writeTheirs(sides, write, plan)
  assert.deepEqual(ours, theirs, text)
  return 'same'
}

function conditionsOf(write: WriteStatement): readonly TwoTexts[] {
  if (write.kind === 'delete') return write.where
  return write.kind === 'set' && typeof write.precondition !== 'string' ? [write.precondition] : []
}

function deletePlan({ session, catalog }: BothSides, text: string): DeletePlan | undefined {
  try {
    return planStatement(session.parse(text)[0] as PlannedStatement, catalog) as DeletePlan
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    if (error.code === 'unbounded_scan' || error.code === 'invalid_request') return undefined
    throw new Error(`${text}\n${error.message}`, { cause: error })
  }
}

async function writeOurs(
  { session, transaction, catalog }: BothSides,
  text: string,
  parameters: NamedParameters,
): Promise<Written> {
  try {
    const result = await session.runIn(transaction, catalog, text, { parameters })
    const { rowsAffected, unmet, rows: returned } = result
    return { kind: 'done', rowsAffected, unmet, returned }
  } catch (error) {
    const known = error instanceof PlanError || error instanceof StorageError
    if (known && REFUSALS.includes(error.code)) return { kind: 'refused' }
    throw new Error(`${text}\n${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

function dialectText({ table }: BothSides, write: WriteStatement): string {
  const names = table.columns.map(({ name }) => name).join(', ')
  switch (write.kind) {
    case 'insert': {
      const clause = write.doNothing ? ' ON CONFLICT DO NOTHING' : ''
      return `INSERT INTO ${table.name} (${names}) VALUES ${write.values.ours}${clause}`
    }
    case 'set': {
      const { precondition } = write
      const clauses = { none: '', exists: ' IF EXISTS', notExists: ' IF NOT EXISTS' }
      const clause =
        typeof precondition === 'string' ? clauses[precondition] : ` IF ${precondition.ours}`
      const sets = assignmentsOf(write).ours
      return `SET ${sets} ON ${table.name} WHERE ${keyOf(write).ours}${clause}`
    }
    case 'delete': {
      const where = write.where.map(({ ours }) => `(${ours})`).join(' AND ')
      const limit = write.limit === undefined ? '' : ` LIMIT ${write.limit}`
      return `DELETE FROM ${table.name}${write.hint}${where === '' ? '' : ` WHERE ${where}`}${limit}`
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

function writeTheirs(
  sides: BothSides,
  write: WriteStatement,
  plan: DeletePlan | undefined,
): Written {
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
  { reference, table }: BothSides,
  { values, doNothing }: Extract<WriteStatement, { kind: 'insert' }>,
): Written {
  const clause = doNothing ? ' ON CONFLICT DO NOTHING' : ''
  const text = `INSERT INTO ${table.name} VALUES ${values.theirs}${clause} RETURNING *`
  let returned: StatementResult['rows'] = []
  const types = table.columns.map(({ type }) => type)
  const isDone = reference.try(() => {
    returned = reference.rows(text, types)
  })
  if (!isDone) return { kind: 'refused' }
  return { kind: 'done', rowsAffected: returned.length, unmet: undefined, returned }
}

function setTheirs({ reference, table }: BothSides, write: SetWrite): Written {
  const { precondition, plain } = write
  const types = table.columns.map(({ type }) => type)
  const ofKey = `FROM ${table.name} WHERE ${keyOf(write).theirs}`
  const exists = reference.count(`SELECT COUNT(*) ${ofKey}`) > 0
  const unmet = (why: StatementResult['unmet']): Written => {
    return { kind: 'done', rowsAffected: 0, unmet: why, returned: [] }
  }
  if (precondition === 'exists' && !exists) return unmet('missing')
  if (precondition === 'notExists' && exists) return unmet('exists')
  if (typeof precondition !== 'string') {
    if (!exists) return unmet('missing')
    const holds = reference.count(`SELECT COUNT(*) ${ofKey} AND (${precondition.theirs})`)
    if (holds === 0) return unmet('condition')
  }
  if (!exists && !plain) return { kind: 'refused' }
  const update = `UPDATE ${table.name} SET ${assignmentsOf(write).theirs} WHERE ${keyOf(write).theirs}`
  const given = [...write.key, ...write.assignments]
  const names = given.map(({ column }) => column.name).join(', ')
  const values = listed(given.map(({ value }) => value)).theirs
  const insert = `INSERT INTO ${table.name} (${names}) VALUES (${values})`
  const isDone = reference.try(() => reference.run(exists ? update : insert))
  if (!isDone) return { kind: 'refused' }
  const returned = reference.rows(`SELECT * ${ofKey}`, types)
  return { kind: 'done', rowsAffected: 1, unmet: undefined, returned }
}

/** The rows that come first on the walk which the plan says that it takes. */
function deleteTheirs(
  { reference, table }: BothSides,
  { where, limit }: Extract<WriteStatement, { kind: 'delete' }>,
  plan: DeletePlan,
): Written {
  const types = table.columns.map(({ type }) => type)
  const names = table.primaryKey.map(({ column }) => column.name).join(', ')
  const clause = limit === undefined ? '' : ` LIMIT ${limit}`
  const found = `FROM ${table.name}${whereText(where)} ORDER BY ${walkOrder(plan).join(', ')}${clause}`
  const returned = reference.rows(`SELECT * ${found}`, types)
  reference.run(`DELETE FROM ${table.name} WHERE (${names}) IN (SELECT ${names} ${found})`)
  return { kind: 'done', rowsAffected: returned.length, unmet: undefined, returned }
}
