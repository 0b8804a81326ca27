// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { PlanError, Variables } from '../../planner/planner.ts'
import { Decimal, type SqlValue } from '../../storage/values/values.ts'
import { type BothSides, measured, runOurs } from './both-sides.ts'
import {
  joined,
  type NamedParameters,
  parametersOf,
  same,
  type TwoTexts,
} from './random/joined-texts.ts'
import { conditionsOf, projection } from './random/random-statement.ts'
import { type ComparedType, comparedColumns, type RandomColumn } from './random/random-table.ts'
import { condition, knownValue, type TwoConditions } from './random/two-texts.ts'
import { compareRead } from './read-comparison.ts'
import { compareSetRows } from './set-rows.ts'
import { whereText, withConditions } from './walk-bounds.ts'
import { compareWrite } from './write-comparison.ts'

/** A column, or an aggregate that has its type, and the name that it is read INTO. */
type Wanted = { readonly column: RandomColumn; readonly text: string; readonly name: string }

type ReadInto = {
  readonly wanted: readonly Wanted[]
  readonly ours: string
  readonly theirs: string
  readonly parameters: NamedParameters
}

/** Reads values INTO names, and compares a statement that has these names with one that has the values. */
export async function compareVariables(sides: BothSides): Promise<'same' | 'refused'> {
  const read = sides.choose.percent(40) ? aggregatesInto(sides) : rowInto(sides)
  const variables = new Variables()
  const [row, ...others] = await readOurs(sides, read, variables)
  if (row === undefined || others.length > 0) return 'same'
  const known = read.wanted.map(({ column, name }, place): TwoConditions => {
    const theirs = literal(column.type, row[place] as SqlValue)
    return { ours: `:${name}`, theirs, column }
  })
  return await compareLater({ ...sides, variables }, known)
}

/** The rows of SQLite; the dialect has one of them, or says how many there are. */
async function readOurs(
  sides: BothSides,
  { wanted, ours, theirs, parameters }: ReadInto,
  variables: Variables,
): Promise<SqlValue[][]> {
  const types = wanted.map(({ column }) => column.type)
  const rows = sides.reference.rows(theirs, types)
  const result = await runOurs(sides, ours, { parameters })
  assert.deepEqual(result.rows.length, rows.length, ours)
  const [statement] = sides.session.parse(ours)
  if (statement?.kind !== 'get' && statement?.kind !== 'scan') throw new Error(ours)
  const { into } = statement
  if (into === undefined) throw new Error(ours)
  if (rows.length === 1) {
    assert.deepEqual(result.rows, rows, ours)
    await requireAnalyzedAlike(sides, ours, parameters)
    variables.read(into, result)
    return rows
  }
  const code = rows.length === 0 ? 'row_not_found' : 'invalid_request'
  const isSaid = (error: unknown) => error instanceof PlanError && error.code === code
  assert.throws(() => variables.read(into, result), isSaid, ours)
  return rows
}

async function requireAnalyzedAlike(sides: BothSides, text: string, parameters: NamedParameters) {
  const figures = await measured(sides, text, parameters)
  assert.equal(figures.rowsReturned, 1, text)
}

/** One row always, of NULLs where there is nothing. */
function aggregatesInto({ choose, table }: BothSides): ReadInto {
  const wanted = choose.some(table.terms, 1 + choose.below(2)).map((column, place) => {
    return { column, text: `${choose.oneOf(['MIN', 'MAX'])}(${column.name})`, name: `v${place}` }
  })
  return readInto({ table: table.name, wanted, hint: ' USE PRIMARY KEY', isGet: false }, [
    ...(choose.percent(50) ? [condition(choose, table.terms)] : []),
  ])
}

/** A row by its key, which may not be there, or the rows of a condition, which may be several. */
function rowInto({ choose, table }: BothSides): ReadInto {
  const wanted = choose.some(table.terms, 1 + choose.below(3)).map((column, place) => {
    return { column, text: column.name, name: `v${place}` }
  })
  const isGet = choose.percent(40)
  const key = table.primaryKey.map(({ column }) => {
    return { ...joined`${same(column.name)} = ${knownValue(choose, column.type)}`, column }
  })
  const hint = isGet ? '' : ' USE PRIMARY KEY'
  const where = isGet ? key : conditionsOf(choose, table)
  return readInto({ table: table.name, wanted, hint, isGet }, where)
}

function readInto(
  {
    table,
    wanted,
    hint,
    isGet,
  }: {
    readonly table: string
    readonly wanted: readonly Wanted[]
    readonly hint: string
    readonly isGet: boolean
  },
  where: readonly TwoConditions[],
): ReadInto {
  const texts = wanted.map(({ text }) => text).join(', ')
  const begin = `${isGet ? 'GET' : 'SCAN'} ${texts} FROM ${table}${hint}`
  const names = wanted.map(({ name }) => `:${name}`).join(', ')
  return {
    wanted,
    ours: `${withConditions(begin, where).whole} INTO ${names}`,
    theirs: `SELECT ${texts} FROM ${table}${whereText(where)}`,
    parameters: parametersOf(where),
  }
}

/** A SCAN, a SET or a DELETE with conditions on the values, or a SET to one of them. */
function compareLater(
  sides: BothSides,
  known: readonly TwoConditions[],
): Promise<'same' | 'refused'> {
  const { choose, table } = sides
  const where = choose.some(
    [...known.map((value) => conditionOn(sides, value)), ...conditionsOf(choose, table)],
    1 + choose.below(3),
  )
  const limit = choose.percent(25) ? choose.below(6) : undefined
  const hint = choose.percent(50) ? ' USE PRIMARY KEY' : ''
  const inKey = new Set(table.primaryKey.map(({ column }) => column))
  const assignments = known.flatMap((value) => assignmentsOf(sides, value, inKey)).slice(0, 1)
  if (choose.percent(30) && assignments.length > 0) {
    return compareSetRows(sides, { assignments, hint, where, limit })
  }
  if (choose.percent(20)) return compareWrite(sides, { kind: 'delete', hint, where, limit })
  const ofRead = { projection: projection(choose, table.terms), groupBy: [], orderBy: '', limit }
  return compareRead(sides, { kind: 'scan', hint, where, ...ofRead })
}

function conditionOn({ choose, table }: BothSides, value: TwoConditions): TwoConditions {
  const { type } = value.column as RandomColumn
  const column = choose.oneOf(table.terms.filter((other) => other.type === type))
  const operator = same(choose.oneOf(['=', '=', '=', '<', '<=', '>', '>=', '<>']))
  const text = choose.percent(20)
    ? joined`${same(column.name)} IN (${value}, ${knownValue(choose, type)})`
    : joined`${same(column.name)} ${operator} ${value}`
  // An unequal value bounds nothing.
  return operator.ours === '<>' ? text : { ...text, column }
}

function assignmentsOf(
  { table }: BothSides,
  value: TwoTexts & { readonly column?: RandomColumn },
  inKey: ReadonlySet<RandomColumn>,
) {
  const free = comparedColumns(table).filter((column) => !inKey.has(column))
  return free
    .filter(({ type }) => type === value.column?.type)
    .map((column) => ({ column, value: { ours: value.ours, theirs: value.theirs } }))
}

function literal(type: ComparedType, value: SqlValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Decimal) return String(value.units)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  if (type === 'BOOLEAN') return value === true ? 'TRUE' : 'FALSE'
  if (type === 'TEXT') return `'${String(value).replaceAll("'", "''")}'`
  return type === 'REAL' ? `CAST(${String(value)} AS REAL)` : String(value)
}
