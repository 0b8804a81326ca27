// SPDX-License-Identifier: Apache-2.0
import type { CompiledExpression, Scope } from '../../expressions/compiled-expression.ts'
import { PlanError } from '../../plan-error.ts'

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
