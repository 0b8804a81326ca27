// SPDX-License-Identifier: Apache-2.0
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { WorkMeter } from '../../expressions/work-meter.ts'
import type { AggregatePlan, TopRowsPlan } from '../../plan/plan.ts'
import { bytesOfValues, type HeldBytes } from '../../sorting/held-bytes.ts'
import { keptValue } from '../../sorting/kept-value.ts'
import { type KeptOfRow, TopRows } from '../../sorting/top-rows.ts'
import { joinedWalk } from '../lookups/joined-walk.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import {
  type ExecutionContext,
  type StatementResult,
  TurnTaking,
} from '../rows/execution-context.ts'
import { ranked, sortLimit } from '../rows/ranked.ts'
import { rowLimit } from '../rows/row-limit.ts'
import { requireFirstPage } from '../rows/scan-page.ts'
import { havingKeeps } from './group.ts'
import { groupingOf } from './grouping.ts'

type Run = {
  readonly context: ExecutionContext
  readonly scope: Scope
  readonly turns: TurnTaking
  readonly held: HeldBytes
}

/** Groups on one page: those that are sorted, and those that do not follow each other. All rows are read. */
export async function wholeGroups(
  plan: AggregatePlan,
  { context, scope, held }: Omit<Run, 'turns'>,
): Promise<StatementResult> {
  requireFirstPage(context)
  const run = { context, scope, held, turns: new TurnTaking(context) }
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
