// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { conditionsOf, isFullKey } from '../../planner/keys/key-range.ts'
import type { Measured } from '../../planner/plan/explain.ts'
import type { DeletePlan, InsertPlan, SetPlan, SetRowsPlan } from '../../planner/plan/plan.ts'
import { type BothSides, measured } from './both-sides.ts'
import type { NamedParameters } from './random/joined-texts.ts'
import { uniqueIndexes, type Violation, violationOf } from './violations.ts'
import { type PlacedConditions, rowsInBounds } from './walk-bounds.ts'

type WritePlan = SetPlan | SetRowsPlan | InsertPlan | DeletePlan

export type AnalyzedWrite = {
  readonly text: string
  readonly parameters: NamedParameters
  readonly plan: WritePlan
  /** Of a SET of several rows, and a DELETE. */
  readonly conditions?: PlacedConditions
  readonly limit?: number | undefined
}

type Figures = Required<Measured> | Violation

/**
 * Analyzes a write before it is run: it reads no more than its plan says. Resolves to the figures, or to what refused
 * it.
 */
export async function analyzedWrite(sides: BothSides, write: AnalyzedWrite): Promise<Figures> {
  const { text, parameters } = write
  try {
    const figures = await measured(sides, text, parameters)
    requireBounded(sides, write, figures)
    return figures
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return violationOf(error, text)
  }
}

/** The run of it came to the same. */
export function requireAnalyzed(
  figures: Figures,
  ran: { readonly rowsAffected: number; readonly rows: readonly unknown[] } | Violation,
  text: string,
): void {
  if (typeof figures === 'string' || typeof ran === 'string') {
    assert.equal(figures, ran, `EXPLAIN ANALYZE ${text}`)
    return
  }
  assert.equal(figures.rowsAffected, ran.rowsAffected, text)
  assert.equal(figures.rowsReturned, ran.rows.length, text)
}

type Most = {
  readonly rows: number
  readonly entries: number
  readonly roundTrips: number
}

function requireBounded(sides: BothSides, write: AnalyzedWrite, figures: Required<Measured>): void {
  const { rowsRead, entriesRead, cellsRead, roundTrips } = figures
  const most = mostOf(sides, write, figures)
  const told = `${JSON.stringify(figures)} ${JSON.stringify(most)} ${write.text}`
  assert.ok(rowsRead <= most.rows, told)
  assert.ok(entriesRead <= most.entries, told)
  assert.ok(cellsRead <= entriesRead + rowsRead * (1 + sides.table.families.length), told)
  assert.ok(roundTrips <= most.roundTrips, told)
}

/** What the plan says that it reads at most, and besides it a look at each unique entry that is written. */
function mostOf(sides: BothSides, write: AnalyzedWrite, figures: Required<Measured>): Most {
  const { plan } = write
  const unique = uniqueIndexes(sides).length
  const looks = unique === 0 ? 0 : 1
  switch (plan.kind) {
    case 'set':
      return { rows: plan.isBlind ? 0 : 1, entries: unique, roundTrips: 1 + looks }
    case 'insert': {
      const rows = plan.rows.length
      const byIndex =
        plan.onConflict !== undefined &&
        'key' in plan.onConflict &&
        plan.onConflict.key.index !== undefined
          ? 1
          : 0
      // With DO NOTHING a row waits for those before it that have its key.
      const batches = plan.onConflict?.kind === 'skipAll' ? rows : 1
      return { rows, entries: rows * (unique + byIndex), roundTrips: 1 + byIndex + batches * looks }
    }
    case 'setRows':
    case 'delete':
      return mostOfWalk(sides, write, plan, figures)
  }
}

function mostOfWalk(
  sides: BothSides,
  { conditions, limit, text }: AnalyzedWrite,
  plan: SetRowsPlan | DeletePlan,
  { rowsAffected, rowsRead, entriesRead }: Required<Measured>,
): Most {
  const { bounds } = plan.path
  const byIndex = bounds.key.index !== undefined
  const unique = plan.kind === 'delete' ? 0 : uniqueIndexes(sides).length
  const inBounds = rowsInBounds(sides, bounds, conditions as PlacedConditions)
  const count = inBounds.isExact ? inBounds.count : Number.POSITIVE_INFINITY
  if (limit === undefined && inBounds.isSimple && inBounds.isExact) {
    if (!byIndex) assert.equal(rowsRead, count, text)
    else if (unique === 0) assert.equal(entriesRead, count, text)
  }
  const several = conditionsOf(bounds).some((one) => one.kind === 'points' && one.several)
  const isOneRange = !several && !isFullKey(bounds)
  return {
    rows: byIndex && plan.covering ? 0 : count,
    entries: (byIndex ? count : 0) + rowsAffected * unique,
    // One look at the range, multi-gets of its rows, and one look at the unique entries of a hundred rows.
    roundTrips: isOneRange ? 1 + 4 + (unique === 0 ? 0 : 1) : Number.POSITIVE_INFINITY,
  }
}
