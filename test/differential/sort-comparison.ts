// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { AggregatePlan, Plan, RangeScanPlan } from '../../planner/plan/plan.ts'
import { PlanError } from '../../planner/planner.ts'
import { type BothSides, measured, planOurs, runOurs } from './both-sides.ts'
import type { SortStatement } from './random/random-sort.ts'
import { sorted } from './read-comparison.ts'

/** Runs it on both sides and compares; 'refused' when no key bounds what it would read. */
export async function compareSort(
  sides: BothSides,
  statement: SortStatement,
): Promise<'same' | 'refused'> {
  const { reference } = sides
  const { ours, theirs, parameters, isOrdered } = statement
  const plan = planOf(sides, statement)
  if (plan === undefined) return 'refused'
  const { columns, rows } = await runOurs(sides, ours, { parameters })
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

function planOf(sides: BothSides, { ours }: SortStatement): SortedPlan | undefined {
  try {
    return planOurs(sides, ours) as Plan & SortedPlan
  } catch (error) {
    const isUnbuilt = error instanceof PlanError && error.message.includes('could not be built')
    if (isUnbuilt || (error instanceof PlanError && error.code === 'unbounded_scan'))
      return undefined
    throw new Error(`${ours}\n${(error as Error).message}`, { cause: error })
  }
}

/** What the walk did not have is read of the rows of the answer, and of no others. */
async function checkFigures(
  sides: BothSides,
  { ours, parameters }: SortStatement,
  plan: SortedPlan,
): Promise<void> {
  const { table } = sides
  const figures = await measured(sides, ours, parameters)
  const { rowsRead, entriesRead, cellsRead, rowsReturned } = figures
  const last = plan.kind === 'rangeScan' && plan.top?.fetches !== undefined ? rowsReturned : 0
  const byIndex = plan.path.bounds.key.index !== undefined
  if (byIndex) assert.ok(rowsRead <= (plan.covering ? 0 : entriesRead) + last, ours)
  assert.ok(cellsRead <= entriesRead + rowsRead * (1 + table.families.length), ours)
}
