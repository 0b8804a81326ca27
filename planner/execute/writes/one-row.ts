// SPDX-License-Identifier: Apache-2.0
import type { ColumnDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { keyTuples } from '../../keys/key-range.ts'
import { columnOfTerm } from '../../keys/key-term.ts'
import type { CheckPlan, NotifyPlan, SetPlan } from '../../plan/plan.ts'
import { notNullViolation } from './new-row.ts'

/** The key of the one row that a SET, a CHECK or a NOTIFY names. Throws PlanError not_null_violation. */
export function requireKey(
  plan: SetPlan | CheckPlan | NotifyPlan,
  scope: Scope,
): readonly SqlValue[] {
  const [key] = keyTuples(plan.keys, scope, 'asked')
  if (key !== undefined) return key
  const { table, keys, position } = plan
  const index = keys.points.findIndex((conditions) =>
    conditions.some((condition) => condition.values(scope).length === 0),
  )
  const condition = keys.points[index]?.[0]
  const column = table.columns[columnOfTerm(condition?.term ?? 0)] as ColumnDefinition
  throw notNullViolation(table, column, condition?.source.position ?? position)
}
