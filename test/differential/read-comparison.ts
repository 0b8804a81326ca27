// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { conditionsOf, isFullKey } from '../../planner/keys/key-range.ts'
import type { AggregatePlan, Plan, PointGetPlan, RangeScanPlan } from '../../planner/plan/plan.ts'
import { PlanError } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { type BothSides, measured, planOurs, runOurs } from './both-sides.ts'
import { type NamedParameters, parametersOf } from './random/joined-texts.ts'
import type { ReadStatement } from './random/random-statement.ts'
import type { RandomTable } from './random/random-table.ts'
import { rowsInBounds, whereText, withConditions } from './walk-bounds.ts'

type ReadPlan = PointGetPlan | RangeScanPlan | AggregatePlan

/** Reads on both sides and compares; 'refused' when the planner had no key for the statement. */
export async function compareRead(
  sides: BothSides,
  read: ReadStatement,
): Promise<'same' | 'refused'> {
  const { reference } = sides
  const text = dialectText(sides.table, read)
  const plan = planOf(sides, read, text.whole)
  if (plan === undefined) {
    if (read.kind !== 'scan' || read.hint !== '') return 'refused'
    // What bounds no key can still be walked for, in another order perhaps.
    return await compareRead(sides, { ...read, hint: ' USE PRIMARY KEY', orderBy: '' })
  }
  const parameters = parametersOf(read.where)
  const { columns, rows } = await runOurs(sides, text.whole, { parameters })
  const types = columns.map(({ type }) => type)
  const wanted = reference.rows(referenceText(sides.table, read, plan), types)
  const isHeld = plan.kind === 'aggregate' && plan.aggregation.isHeld
  // Groups that are held come in the order of their first rows: which of them a LIMIT leaves is not compared.
  if (isHeld && read.limit !== undefined) assert.equal(rows.length, wanted.length, text.whole)
  else if (read.kind === 'get' || isHeld) {
    assert.deepEqual(sorted(rows), sorted(wanted), text.whole)
  } else assert.deepEqual(rows, wanted, text.whole)
  await checkFigures(sides, { read, plan, text })
  if (plan.kind !== 'pointGet' && plan.top === undefined && !isHeld) {
    assert.deepEqual(
      await readByPages(sides, { text: text.whole, parameters }, rows.length),
      rows,
      text.whole,
    )
  }
  return 'same'
}

function planOf(sides: BothSides, read: ReadStatement, text: string): ReadPlan | undefined {
  const { wishes, variables } = sides
  try {
    return planOurs(sides, text) as Plan & ReadPlan
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const { suggestedIndex } = error.fields
    if (typeof suggestedIndex === 'string') wishes.push({ read, suggestedIndex, variables })
    if (error.code === 'unbounded_scan' || error.code === 'invalid_request') return undefined
    throw new Error(`${text}\n${error.message}`, { cause: error })
  }
}

/** Whatever the size of the pages, together they are the answer. */
export async function readByPages(
  sides: BothSides,
  { text, parameters }: { readonly text: string; readonly parameters: NamedParameters },
  rowCount: number,
): Promise<SqlValue[][]> {
  const size = { rows: 1 + sides.choose.below(rowCount + 1), bytes: 1_000_000 }
  const rows: SqlValue[][] = []
  let after: Uint8Array | undefined
  do {
    const page = after === undefined ? size : { ...size, after }
    const result = await runOurs(sides, text, { page, parameters })
    assert.ok(result.rows.length <= size.rows, text)
    rows.push(...result.rows)
    after = result.resumeAfter
  } while (after !== undefined)
  return rows
}

type ReadText = { readonly whole: string; readonly conditionsAt: readonly number[] }

function dialectText(table: RandomTable, read: ReadStatement): ReadText {
  const { kind, projection, hint, where, groupBy, orderBy, limit } = read
  const begin = `${kind === 'get' ? 'GET' : 'SCAN'} ${projection.ours} FROM ${table.name}${hint}`
  const { whole: filtered, conditionsAt } = withConditions(begin, where)
  let whole = filtered
  if (groupBy.length > 0) whole += ` GROUP BY ${groupBy.map(({ name }) => name).join(', ')}`
  if (orderBy !== '') whole += ` ORDER BY ${orderBy}`
  if (limit !== undefined) whole += ` LIMIT ${limit}`
  return { whole, conditionsAt }
}

/** In the order that was asked for and, within it, in the one that the plan says that it walks. */
function referenceText(table: RandomTable, read: ReadStatement, plan: ReadPlan): string {
  const { projection, where, groupBy, orderBy, limit } = read
  const groups = groupBy.map(({ name }) => name)
  const order = [
    ...(orderBy === '' ? [] : [orderBy]),
    ...(plan.kind === 'pointGet' ? [] : followingOrder(table, plan)),
  ].filter((column) => read.kind === 'scan' || groups.includes(column.replace(' DESC', '')))
  const parts = [
    `SELECT ${projection.theirs} FROM ${table.name}${whereText(where)}`,
    ...(groups.length > 0 ? [`GROUP BY ${groups.join(', ')}`] : []),
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ]
  return parts.join(' ')
}

/** Rows that are sorted come in the order of the primary key where they are equal. */
function followingOrder(
  { primaryKey }: RandomTable,
  plan: RangeScanPlan | AggregatePlan,
): readonly string[] {
  if (plan.top === undefined) return walkOrder(plan)
  return primaryKey.map(({ column, descending }) => `${column.name}${descending ? ' DESC' : ''}`)
}

export function walkOrder({ path }: Pick<RangeScanPlan, 'path'>): readonly string[] {
  return path.bounds.key.order.map(({ name, descending }) => {
    return `${name}${descending !== path.reverse ? ' DESC' : ''}`
  })
}

/** What ANALYZE counts must be what the conditions said to bound the key leave, and no more. */
async function checkFigures(
  sides: BothSides,
  of: { readonly read: ReadStatement; readonly plan: ReadPlan; readonly text: ReadText },
): Promise<void> {
  const { read, plan, text } = of
  const figures = await measured(sides, text.whole, parametersOf(read.where))
  const { rowsReturned, entriesRead, cellsRead, roundTrips } = figures
  // Those of the answer, where the walk did not have all of them.
  const last = plan.kind === 'rangeScan' && plan.top?.fetches !== undefined ? rowsReturned : 0
  const rowsRead = figures.rowsRead - last
  const bounds = plan.kind === 'pointGet' ? plan.keys : plan.path.bounds
  const byIndex = bounds.key.index !== undefined
  const inBounds = rowsInBounds(sides, bounds, { ...read, ...text })
  const walked = byIndex ? entriesRead : rowsRead
  const isWhole = read.limit === undefined && !isDecidedEarly(plan)
  if (isWhole && inBounds.isSimple && inBounds.isExact) {
    assert.equal(walked, inBounds.count, text.whole)
  }
  if (inBounds.isExact) assert.ok(walked <= inBounds.count, text.whole)
  assert.ok(rowsRead <= (byIndex ? entriesRead : rowsRead), text.whole)
  if (plan.kind === 'pointGet' ? plan.covering : plan.covering)
    assert.equal(rowsRead, 0, text.whole)
  if (!byIndex) assert.equal(entriesRead, 0, text.whole)
  assert.ok(
    cellsRead <= entriesRead + (rowsRead + last) * (1 + sides.table.families.length),
    text.whole,
  )
  const several = conditionsOf(bounds).some((one) => one.kind === 'points' && one.several)
  // One look at the range, and multi-gets of twenty rows and then of the rest: never one by one.
  if (!several && !isFullKey(bounds))
    assert.ok(roundTrips <= 1 + 4 + last, `${roundTrips} ${text.whole}`)
}

function isDecidedEarly(plan: ReadPlan): boolean {
  return plan.kind === 'aggregate' && plan.aggregation.decidedBy !== undefined
}

export function sorted(rows: ReadonlyArray<readonly SqlValue[]>): unknown[] {
  const shown = rows.map((row) => row.map((value) => `${typeof value} ${String(value)}`).join('|'))
  return shown.sort()
}
