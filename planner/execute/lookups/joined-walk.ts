// SPDX-License-Identifier: Apache-2.0
import { andThen, type Batches, type MaybePromise, waitedFor } from '../../../storage/storage.ts'
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { identityOfBytes, lengthOf } from '../../expressions/value-work.ts'
import { NODE_UNITS } from '../../expressions/work-meter.ts'
import type { AggregatePlan, PlannedLookup, RangeScanPlan } from '../../plan/plan.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { BatchSize, sizeOf } from '../rows/batch-size.ts'
import { TurnTaking } from '../rows/execution-context.ts'
import { mayMeetRule } from '../rows/row-visibility.ts'
import { walk } from '../rows/walk.ts'
import type { Step, Steps, Walking } from '../rows/walk-step.ts'
import { type FoundRows, type LookingUp, type RequestedKeys, rowsOfKeys } from './rows-of-keys.ts'

type JoinedWalking = Walking & { readonly plan: RangeScanPlan | AggregatePlan }

/** The rows of a walk with those that are looked up for them: still one step for each row of the first table. */
export function joinedWalk(walking: JoinedWalking): Batches<Steps> {
  const { plan, scope, context, window } = walking
  const { lookups } = plan
  if (lookups === undefined) return walk(walking)
  const { position } = plan
  // Where some may be left out, how many rows of the first table are needed is not known.
  const { rowsWanted, ...rest } = window
  const keepsAll = lookups.every(({ isOptional, filter }) => isOptional && filter === undefined)
  const wanted = keepsAll && rowsWanted !== undefined ? { rowsWanted } : {}
  const steps = walk({ ...walking, window: { ...rest, ...wanted } })
  const looking = { scope, context, position, ...(rowsWanted === undefined ? {} : { rowsWanted }) }
  return withLookups(lookups, looking, steps)
}

/** One after the other: each is asked for the rows that those before it have left. */
export function withLookups(
  lookups: readonly PlannedLookup[],
  looking: LookingUp,
  steps: Batches<Steps>,
): Batches<Steps> {
  return lookups.reduce((before, lookup) => withLookup(lookup, looking, before), steps)
}

/** A step that waits for the row of its key; without one there is nothing to wait for. */
type Waiting = Step & { readonly key?: string }

/**
 * The steps with the rows that are looked up for them, in their order. Those of many steps are found by one multi-get,
 * a key that several of them have once. What waits is bounded in rows and in bytes, as what a multi-get brings is.
 */
function* withLookup(
  lookup: PlannedLookup,
  looking: LookingUp,
  batches: Batches<Steps>,
): Generator<MaybePromise<Steps>, void, undefined> {
  const { context, rowsWanted = Number.POSITIVE_INFINITY } = looking
  const turns = new TurnTaking(context)
  const size = new BatchSize()
  const joinedSteps = (steps: readonly Waiting[], request: RequestedKeys) =>
    andThen(rowsOfKeys(lookup, looking, request, size), (found) =>
      joined(lookup, looking, steps, found),
    )
  let rowsMax = Math.min(PLANNER_LIMITS.multiGetKeysMax, rowsWanted)
  let waiting: Waiting[] = []
  let keys: RequestedKeys = new Map()
  let bytes = 0
  for (const next of batches) {
    for (const step of yield* waitedFor(next)) {
      if (turns.isDue()) yield* waitedFor(turns.pause())
      waiting.push(waitingStep(lookup, looking, step, keys))
      bytes += step.row === null ? 0 : sizeOf({ key: step.mark, row: step.row })
      const isFull = keys.size >= size.rows || bytes >= PLANNER_LIMITS.multiGetBytesMax
      if (!isFull && waiting.length < rowsMax) continue
      yield joinedSteps(waiting, keys)
      waiting = []
      keys = new Map()
      bytes = 0
      // For rows that were left out more are looked at, twice as many at a time: few round trips are added.
      rowsMax = Math.min(PLANNER_LIMITS.multiGetKeysMax, rowsMax * 2)
    }
  }
  if (waiting.length === 0) return
  yield joinedSteps(waiting, keys)
}

/** The step, and its key among those that are asked for: not NULL, which is equal to no key, nor what a rule hides. */
function waitingStep(
  lookup: PlannedLookup,
  { scope, position }: LookingUp,
  step: Step,
  keys: RequestedKeys,
): Waiting {
  if (step.row === null) return step
  const { key, values, table } = lookup
  const ofRow = { ...scope, row: step.row }
  scope.work.beginRow(position)
  scope.work.spend(NODE_UNITS * values.length)
  const tuple = values.map(({ evaluate }) => evaluate(ofRow))
  if (tuple.includes(null)) return step
  scope.work.spend(tuple.reduce<number>((sum, value) => sum + lengthOf(value), 0))
  const text = identityOfBytes(key.encode(tuple))
  if (!keys.has(text)) {
    const isHidden = key.index === undefined && !mayMeetRule({ ...lookup, table }, tuple, scope)
    if (isHidden) return step
    keys.set(text, tuple)
  }
  return { ...step, key: text }
}

function* joined(
  lookup: PlannedLookup,
  { scope, position }: LookingUp,
  waiting: readonly Waiting[],
  found: FoundRows,
): Generator<Step, void, undefined> {
  const { part, isOptional, filter } = lookup
  const width = part.table.columns.length
  for (const { mark, row, key } of waiting) {
    scope.work.beginRow(position)
    const match = key === undefined ? undefined : found.get(key)
    if (row === null || (match === undefined && !isOptional)) {
      yield { mark, row: null }
      continue
    }
    scope.work.spend(part.offset + width)
    const both = besideEachOther(row, match, part.offset, width)
    yield { mark, row: filter?.keeps({ ...scope, row: both }) === false ? null : both }
  }
}

/** A row of as many columns as both have; NULLs stand for the second one where there is none. */
function besideEachOther(
  first: SqlRow,
  second: SqlRow | undefined,
  offset: number,
  width: number,
): SqlRow {
  const both = new Array<SqlValue>(offset + width)
  for (let index = 0; index < offset; index += 1) both[index] = first[index] ?? null
  for (let index = 0; index < width; index += 1) both[offset + index] = second?.[index] ?? null
  return both
}
