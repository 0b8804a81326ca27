// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import type { CompiledExpression, Scope } from '../../expressions/compiled-expression.ts'
import type { WorkMeter } from '../../expressions/work-meter.ts'
import { PlanError } from '../../plan-error.ts'
import { requireSortable } from '../../sorting/sort-plan.ts'
import type { TopRows } from '../../sorting/top-rows.ts'
import type { TurnTaking } from './execution-context.ts'

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

/** The number of a LIMIT, infinite when there is none. Throws PlanError out_of_range below zero. */
export function rowLimit(limit: CompiledExpression | undefined, scope: Scope): number {
  const value = limit?.evaluate(scope) as bigint | null | undefined
  if (limit === undefined || value === undefined) return Number.POSITIVE_INFINITY
  if (value !== null && value >= 0n) return Number(value)
  const given = value === null ? 'NULL' : value.toString()
  throw new PlanError('out_of_range', `LIMIT takes a number of rows from 0 on, not ${given}.`, {
    position: limit.position,
  })
}
