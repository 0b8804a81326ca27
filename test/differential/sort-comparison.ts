// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Measured } from '../../planner/plan/explain.ts'
import type { AggregatePlan, Plan, RangeScanPlan } from '../../planner/plan/plan.ts'
import { PlanError, type PlannedStatement, planStatement } from '../../planner/planner.ts'
import type { SortStatement } from './random-sort.ts'
import { type BothSides, sorted } from './read-comparison.ts'

/** Runs it on both sides and compares; 'refused' when no key bounds what it would read. */
export async function compareSort(
  sides: BothSides,
  statement: SortStatement,
): Promise<'same' | 'refused'> {
  const { session, transaction, catalog, reference } = sides
  const { ours, theirs, parameters, isOrdered } = statement
  const plan = planOf(sides, statement)
  if (plan === undefined) return 'refused'
  const { columns, rows } = await session.runIn(transaction, catalog, ours, { parameters })
  const types = columns.map(({ type }) => type)
  const wanted = reference.rows(theirs, types)
  const message = `${ours}\n${theirs}`
  if (isOrdered && plan.top !== undefined) assert.deepEqual(rows, wanted, message)
  // Along a key, equal rows come in the order of that key.
  else if (!/ LIMIT /.test(ours)) assert.deepEqual(sorted(rows), sorted(wanted), message)
  else assert.equal(rows.length, wanted.length, message)
  await checkFigures(sides, statement, plan)
  return 'same'
}

type SortedPlan = RangeScanPlan | AggregatePlan

function planOf({ session, catalog }: BothSides, { ours }: SortStatement): SortedPlan | undefined {
  try {
    return planStatement(session.parse(ours)[0] as PlannedStatement, catalog) as Plan & SortedPlan
  } catch (error) {
    const isUnbuilt = error instanceof PlanError && error.message.includes('could not be built')
    if (isUnbuilt || (error instanceof PlanError && error.code === 'unbounded_scan'))
      return undefined
    throw new Error(`${ours}\n${(error as Error).message}`, { cause: error })
  }
}

/** What the walk did not have is read of the rows of the answer, and of no others. */
async function checkFigures(
  { session, transaction, catalog, table }: BothSides,
  { ours, parameters }: SortStatement,
  plan: SortedPlan,
): Promise<void> {
  const text = `EXPLAIN ANALYZE ${ours}`
  const { rows } = await session.runIn(transaction, catalog, text, { parameters })
  const { measured } = JSON.parse(rows[0]?.[1] as string) as { measured: Required<Measured> }
  const { rowsRead, entriesRead, cellsRead, rowsReturned } = measured
  const last = plan.kind === 'rangeScan' && plan.top?.fetches !== undefined ? rowsReturned : 0
  const byIndex = plan.path.bounds.key.index !== undefined
  if (byIndex) assert.ok(rowsRead <= (plan.covering ? 0 : entriesRead) + last, ours)
  assert.ok(cellsRead <= entriesRead + rowsRead * (1 + table.families.length), ours)
}
