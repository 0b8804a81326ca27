// SPDX-License-Identifier: Apache-2.0
import type { Scope } from '../expressions/compiled-expression.ts'
import type { AggregatePlan } from '../plan/plan.ts'
import { HeldBytes } from '../sorting/held-bytes.ts'
import { type Group, havingKeeps } from './groups/group.ts'
import { groupingOf } from './groups/grouping.ts'
import { wholeGroups } from './groups/whole-groups.ts'
import { joinedWalk } from './lookups/joined-walk.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { rowLimit } from './rows/row-limit.ts'
import { ScanPage } from './rows/scan-page.ts'

/** One row for each group, in pages where the groups follow each other on the walk. */
export async function executeAggregate(
  plan: AggregatePlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const held = new HeldBytes(plan.position, context.holdBytes)
  const isWhole = plan.aggregation.isHeld || plan.top !== undefined
  try {
    return await (isWhole ? wholeGroups : pageOfGroups)(plan, { context, scope, held })
  } finally {
    held.release()
  }
}

type Run = {
  readonly context: ExecutionContext
  readonly scope: Scope
  readonly held: HeldBytes
}

/** Only the group that is being read is held, whatever its size. A page ends between two groups. */
async function pageOfGroups(
  plan: AggregatePlan,
  { context, scope, held }: Run,
): Promise<StatementResult> {
  const { aggregation } = plan
  const page = new ScanPage(plan.projection, context, rowLimit(plan.limit, scope))
  if (page.left === 0) return page.result()
  const turns = new TurnTaking(context)
  const window = {
    ...page.window,
    ...(aggregation.decidedBy === 'firstRow' ? { rowsWanted: 1 } : {}),
    ...(aggregation.decidedBy === undefined ? {} : { entriesAtOnce: 1 }),
  }
  const grouping = groupingOf(plan, scope, held)
  let last: Uint8Array | undefined
  walking: for await (const steps of joinedWalk({ plan, scope, context, window })) {
    for (const { mark: key, row } of steps) {
      page.examine()
      const ended = row === null ? undefined : grouping.endedBy(row)
      if (ended !== undefined) {
        addGroup(plan, page, ended, scope)
        if (page.rowCount === page.left) return page.result()
        if (last !== undefined && page.isFull()) return page.resultUpTo(last)
      }
      if (row !== null) grouping.add(row)
      if (grouping.isDecided) break walking
      last = key
      if (turns.isDue()) await turns.pause()
    }
  }
  for (const group of grouping.rest()) addGroup(plan, page, group, scope)
  return page.result()
}

/** Adds a group that has ended, unless the HAVING leaves it out. */
function addGroup(plan: AggregatePlan, page: ScanPage, group: Group, scope: Scope): void {
  const ofGroup = group.scope(scope)
  if (havingKeeps(plan.aggregation, ofGroup)) page.add(ofGroup)
  group.release()
}
