// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'
import type { AggregatePlan, TopRowsPlan } from '../plan/plan.ts'
import { bytesOfValues, HeldBytes, keptValue } from '../sorting/held-bytes.ts'
import { type KeptOfRow, TopRows } from '../sorting/top-rows.ts'
import { type Group, havingKeeps } from './groups/group.ts'
import { groupingOf } from './groups/grouping.ts'
import { joinedWalk } from './lookups/joined-walk.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './rows/execution-context.ts'
import { ranked, rowLimit, sortLimit } from './rows/ranked.ts'
import { requireFirstPage, ScanPage } from './rows/scan-page.ts'

/** One row for each group, in pages where the groups follow each other on the walk. */
export const executeAggregate: Execute<AggregatePlan> = async (plan, context) => {
  const scope = scopeOf(plan.slots, context)
  const held = new HeldBytes(plan.position, context.holdBytes)
  const isWhole = plan.aggregation.isHeld || plan.top !== undefined
  const run = { context, scope, held, turns: new TurnTaking(context) }
  try {
    return await (isWhole ? wholeGroups : pageOfGroups)(plan, run)
  } finally {
    held.release()
  }
}

type Run = {
  readonly context: ExecutionContext
  readonly scope: Scope
  readonly turns: TurnTaking
  readonly held: HeldBytes
}

/** Only the group that is being read is held, whatever its size. A page ends between two groups. */
async function pageOfGroups(
  plan: AggregatePlan,
  { context, scope, held, turns }: Run,
): Promise<StatementResult> {
  const { aggregation } = plan
  const page = new ScanPage(plan.projection, context, rowLimit(plan.limit, scope))
  if (page.left === 0) return page.result()
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

/** Groups on one page: those that are sorted, and those that do not follow each other. All rows are read. */
async function wholeGroups(plan: AggregatePlan, run: Run): Promise<StatementResult> {
  requireFirstPage(run.context)
  const { top } = plan
  return top === undefined ? await inOrderOfRows(plan, run) : await inOrder({ ...plan, top }, run)
}

async function inOrderOfRows(plan: AggregatePlan, run: Run): Promise<StatementResult> {
  const { context, scope } = run
  const answered = new AnswerRows(plan.projection, plan.position, context)
  let left = rowLimit(plan.limit, scope)
  if (left === 0) return answered.result()
  for await (const group of groupsOf(plan, run)) {
    answered.add(group)
    left -= 1
    if (left === 0) break
  }
  return answered.result()
}

type KeptGroup = Pick<Scope, 'row' | 'aggregates'>

async function inOrder(
  plan: AggregatePlan & { readonly top: Pick<TopRowsPlan, 'parts'> },
  run: Run,
): Promise<StatementResult> {
  const { context, scope, held, turns } = run
  const { position, projection } = plan
  const answered = new AnswerRows(projection, position, context)
  const count = sortLimit(plan.limit, scope)
  if (count === 0) return answered.result()
  const { parts } = plan.top
  const top = new TopRows<KeptGroup>(parts, count, held)
  for await (const group of groupsOf(plan, run)) {
    const values = parts.map(({ evaluate }) => evaluate(group))
    top.offer(values, () => keptOf(group, scope.work), scope.work)
  }
  for (const { what } of await ranked(top, position, scope.work, turns)) {
    scope.work.beginRow(position)
    answered.add({ ...scope, ...what })
    if (turns.isDue()) await turns.pause()
  }
  return answered.result()
}

function keptOf(group: KeptGroup, work: WorkMeter): KeptOfRow<KeptGroup> {
  const [row, aggregates] = [group.row, group.aggregates ?? []].map((values) =>
    Array.from(values, (value) => keptValue(value ?? null, work)),
  ) as [SqlValue[], SqlValue[]]
  return { what: { row, aggregates }, bytes: bytesOfValues(row) + bytesOfValues(aggregates) }
}

/** The scopes of the groups that the HAVING keeps, in the order in which they end. */
async function* groupsOf(plan: AggregatePlan, run: Run): AsyncGenerator<Scope, void, undefined> {
  const { context, scope, turns, held } = run
  const { aggregation, position } = plan
  const grouping = groupingOf(plan, scope, held)
  for await (const steps of joinedWalk({ plan, scope, context, window: {} })) {
    for (const { row } of steps) {
      if (row !== null) {
        const ended = grouping.endedBy(row)
        if (ended !== undefined) {
          const ofGroup = ended.scope(scope)
          if (havingKeeps(aggregation, ofGroup)) yield ofGroup
          ended.release()
        }
        grouping.add(row)
      }
      if (turns.isDue()) await turns.pause()
    }
  }
  for (const group of grouping.rest()) {
    scope.work.beginRow(position)
    const ofGroup = group.scope(scope)
    if (havingKeeps(aggregation, ofGroup)) yield ofGroup
    if (turns.isDue()) await turns.pause()
  }
}
