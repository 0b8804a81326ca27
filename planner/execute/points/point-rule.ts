// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import {
  type BoundParameter,
  boundToClaim,
  type Claims,
  isClaim,
  type ParameterSlot,
} from '../../expressions/parameters.ts'
import type { PlannedRule } from '../../plan/row-rule.ts'
import { turnScope } from './turn-scope.ts'

/** What a row has to meet for whoever reads it, and the values of the plan, of which a rule has claims only. */
export type PointRule = { readonly rule: PlannedRule; readonly slots: readonly ParameterSlot[] }

/**
 * Whether the rule lets whoever has these claims see the row. Throws where that takes more work than what is done in
 * the turn of its request, or asks for the time.
 */
export function meetsPointRule(
  { rule, slots }: PointRule,
  row: SqlRow,
  claims: Claims | undefined,
): boolean {
  const parameters: BoundParameter[] = []
  for (const slot of slots) parameters.push(isClaim(slot.key) ? boundToClaim(slot, claims) : NONE)
  return rule.keeps(turnScope(row, parameters))
}

const NONE: BoundParameter = { kind: 'value', value: null }
