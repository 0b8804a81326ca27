// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { RangeScanPlan } from '../../planner/plan/plan.ts'
import { type BothSides, measured as figuresOf, planOurs, runOurs } from './both-sides.ts'
import {
  joined,
  listed,
  type NamedParameters,
  parametersOf,
  same,
  type TwoTexts,
} from './random/joined-texts.ts'
import type { RandomColumn, RandomKeyPart } from './random/random-table.ts'
import { condition, expression, knownValue, type TwoConditions } from './random/two-texts.ts'
import { readByPages, sorted, walkOrder } from './read-comparison.ts'

/** A LOOKUP of the table itself, and the JOIN that is the same. */
type RandomLookup = { readonly name: string; readonly by: TwoTexts; readonly isOptional: boolean }

type LookupStatement = {
  readonly isGet: boolean
  readonly projection: TwoTexts
  readonly lookups: readonly RandomLookup[]
  readonly where: readonly TwoConditions[]
  readonly limit: number | undefined
}

const NAMES = ['b', 'c']

/** Rows with those that are looked up for them, as SQLite joins them; whole and in pages, and what ANALYZE counts. */
export async function compareLookup(sides: BothSides): Promise<'same'> {
  const { reference, table } = sides
  const statement = randomLookups(sides)
  const { where, isGet } = statement
  const ours = dialectText(table.name, statement)
  const parameters = parametersOf([...where, ...statement.lookups.map(({ by }) => by)])
  const plan = planOurs(sides, ours) as RangeScanPlan
  const { columns, rows } = await runOurs(sides, ours, { parameters })
  const theirs = referenceText(table.name, statement, plan)
  const wanted = reference.rows(
    theirs,
    columns.map(({ type }) => type),
  )
  if (isGet) assert.deepEqual(sorted(rows), sorted(wanted), ours)
  else {
    assert.deepEqual(rows, wanted, `${ours}\n${theirs}`)
    const paged = await readByPages(sides, { text: ours, parameters }, rows.length)
    assert.deepEqual(paged, rows, ours)
  }
  await checkFigures(sides, { ours, parameters }, statement)
  return 'same'
}

/** Each look-up reads a row at most once a batch, and never row by row. */
async function checkFigures(
  sides: BothSides,
  asked: { readonly ours: string; readonly parameters: NamedParameters },
  { lookups }: LookupStatement,
): Promise<void> {
  const { reference, table } = sides
  const { ours: text, parameters } = asked
  const measured = await figuresOf(sides, text, parameters)
  const all = reference.count(`SELECT COUNT(*) FROM ${table.name}`)
  assert.equal(measured.lookups.length, lookups.length, text)
  let rowsOfLookups = 0
  for (const { keys, rows, roundTrips } of measured.lookups) {
    assert.ok(rows <= keys && keys <= all, `${keys} keys and ${rows} rows of ${all}: ${text}`)
    // With a LIMIT batches are small at first, and each is twice as large as the one before.
    const batches = Math.ceil(1 + all / 20) + Math.ceil(Math.log2(1 + all))
    assert.ok(roundTrips <= 2 * batches, `${roundTrips} round trips: ${text}`)
    rowsOfLookups += rows
  }
  assert.ok(measured.rowsRead <= all + rowsOfLookups, text)
}

function randomLookups({ choose, table, catalog }: BothSides): LookupStatement {
  const ready = catalog.table(table.name)?.indexes.filter(({ state }) => state === 'ready') ?? []
  const names = new Set(ready.map(({ name }) => name))
  const unique = table.indexes.filter((index) => index.unique && names.has(index.name))
  const keys = [table.primaryKey, ...unique.map(({ parts }) => parts)]
  const lookups: RandomLookup[] = []
  let before = qualified('a', table.terms)
  for (const name of NAMES.slice(0, 1 + choose.below(2))) {
    const by = keyText(choose, name, choose.oneOf(keys), before)
    lookups.push({ name, by, isOptional: choose.percent(40) })
    before = [...before, ...qualified(name, table.terms)]
  }
  const isGet = choose.percent(15)
  const own = table.primaryKey.map(({ column }): TwoConditions => {
    return joined`${same(`a.${column.name}`)} = ${knownValue(choose, column.type)}`
  })
  const conditions = Array.from({ length: choose.below(3) }, () => condition(choose, before))
  return {
    isGet,
    projection: isGet ? valuesOf(choose, before) : projectionOf(choose, before),
    lookups,
    where: isGet ? own : conditions,
    limit: isGet || choose.percent(70) ? undefined : choose.below(12),
  }
}

function qualified(name: string, columns: readonly RandomColumn[]): readonly RandomColumn[] {
  return columns.map((column) => ({ ...column, name: `${name}.${column.name}` }))
}

/** Each column of the key by what the tables before tell, mostly a column of theirs. */
function keyText(
  choose: BothSides['choose'],
  name: string,
  key: readonly RandomKeyPart[],
  before: readonly RandomColumn[],
): TwoTexts {
  const parts = choose.some(key, key.length).map(({ column }) => {
    const own = same(`${name}.${column.name}`)
    const alike = before.filter(({ type }) => type === column.type)
    const value =
      alike.length > 0 && choose.percent(70)
        ? same(choose.oneOf(alike).name)
        : choose.percent(50)
          ? expression(choose, before, column.type, 1)
          : knownValue(choose, column.type)
    return choose.percent(70) ? joined`${own} = ${value}` : joined`${value} = ${own}`
  })
  return parts.reduce((all, part) => joined`${all} AND ${part}`)
}

function projectionOf(choose: BothSides['choose'], columns: readonly RandomColumn[]): TwoTexts {
  if (choose.percent(12)) {
    const { name } = choose.oneOf(columns.filter(({ type }) => type !== 'BYTES') as RandomColumn[])
    return same(`COUNT(*) AS x0, COUNT(${name}) AS x1`)
  }
  return valuesOf(choose, columns)
}

function valuesOf(choose: BothSides['choose'], columns: readonly RandomColumn[]): TwoTexts {
  const items = Array.from({ length: 1 + choose.below(4) }, (_, at) => {
    const { name, type } = choose.oneOf(columns)
    const value = choose.percent(70) ? same(name) : expression(choose, columns, type, 1)
    return joined`${value} AS ${same(`x${at}`)}`
  })
  return listed(items)
}

function dialectText(table: string, statement: LookupStatement): string {
  const { isGet, projection, lookups, where, limit } = statement
  const looked = lookups.map(({ name, by, isOptional }) => {
    return ` LOOKUP ${table} AS ${name} BY ${by.ours}${isOptional ? ' OPTIONAL' : ''}`
  })
  const hint = isGet ? '' : ' USE PRIMARY KEY'
  const conditions = where.map(({ ours }) => (isGet ? ours : `(${ours})`)).join(' AND ')
  return [
    `${isGet ? 'GET' : 'SCAN'} ${projection.ours} FROM ${table} AS a${hint}${looked.join('')}`,
    ...(conditions === '' ? [] : [`WHERE ${conditions}`]),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join(' ')
}

function referenceText(table: string, statement: LookupStatement, plan: RangeScanPlan): string {
  const { isGet, projection, lookups, where, limit } = statement
  const looked = lookups.map(({ name, by, isOptional }) => {
    return ` ${isOptional ? 'LEFT ' : ''}JOIN ${table} AS ${name} ON ${by.theirs}`
  })
  const conditions = where.map(({ theirs }) => `(${theirs})`).join(' AND ')
  const order = isGet ? [] : walkOrder(plan).map((column) => `a.${column}`)
  const isGrouped = projection.ours.startsWith('COUNT')
  return [
    `SELECT ${projection.theirs} FROM ${table} AS a${looked.join('')}`,
    ...(conditions === '' ? [] : [`WHERE ${conditions}`]),
    ...(order.length === 0 || isGrouped ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join(' ')
}
