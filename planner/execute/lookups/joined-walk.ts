// SPDX-License-Identifier: Apache-2.0
import type { Batches } from '../../../storage/storage.ts'
import type { AggregatePlan, PlannedLookup, RangeScanPlan } from '../../plan/plan.ts'
import { walk } from '../rows/walk.ts'
import type { Steps, Walking } from '../rows/walk-step.ts'
import { withLookup } from './lookup-batches.ts'
import type { LookingUp } from './rows-of-keys.ts'

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
