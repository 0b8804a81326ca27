// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import type { CompiledExpression, Scope } from '../../expressions/compiled-expression.ts'
import type { WorkMeter } from '../../expressions/work-meter.ts'
import { requireSortable } from '../../sorting/sort-plan.ts'
import type { TopRows } from '../../sorting/top-rows.ts'
import type { TurnTaking } from './execution-context.ts'
import { rowLimit } from './row-limit.ts'

/** How many rows or groups are kept. Throws PlanError `limit_exceeded` above `sortRowsMax`, and as `rowLimit`. */
export function sortLimit(limit: CompiledExpression | undefined, scope: Scope): number {
  const count = rowLimit(limit, scope)
  requireSortable(count, limit?.position)
  return count
}

type Ranked<T> = NonNullable<ReturnType<TopRows<T>['takeLast']>>

/** What was kept, the first one first; taken out over several turns, since long values take long to compare. */
export async function ranked<T>(
  top: TopRows<T>,
  position: Position,
  work: WorkMeter,
  turns: TurnTaking,
): Promise<Ranked<T>[]> {
  const found: Ranked<T>[] = []
  for (;;) {
    work.beginRow(position)
    const last = top.takeLast(work)
    if (last === undefined) return found.reverse()
    found.push(last)
    if (turns.isDue()) await turns.pause()
  }
}
