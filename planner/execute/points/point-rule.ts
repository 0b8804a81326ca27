// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { StatementFunctions } from '../../expressions/compiled-expression.ts'
import { ConstantValues } from '../../expressions/constant-values.ts'
import {
  type BoundParameter,
  boundToClaim,
  type Claims,
  isClaim,
  type ParameterSlot,
} from '../../expressions/parameters.ts'
import { WorkMeter } from '../../expressions/work-meter.ts'
import type { PlannedRule } from '../../plan/row-rule.ts'

/** What a row has to meet for whoever reads it, and the values of the plan, of which a rule has claims only. */
export type PointRule = { readonly rule: PlannedRule; readonly slots: readonly ParameterSlot[] }

/** Some hundred comparisons of short values: a small part of a turn. */
const WORK_UNITS = 10_000

/**
 * Whether the rule lets whoever has these claims see the row. Throws where that takes more work than what is done in
 * the turn of its request, or asks for the time: a statement with its own budget has to find out.
 */
export function meetsPointRule(
  { rule, slots }: PointRule,
  row: SqlRow,
  claims: Claims | undefined,
): boolean {
  const parameters: BoundParameter[] = []
  for (const slot of slots) parameters.push(isClaim(slot.key) ? boundToClaim(slot, claims) : NONE)
  const work = new WorkMeter(tooMuch, WORK_UNITS)
  const constants = new ConstantValues()
  return rule.keeps({ row, parameters, functions: NO_FUNCTIONS, work, constants })
}

const NONE: BoundParameter = { kind: 'value', value: null }

const NO_FUNCTIONS: StatementFunctions = {
  get now(): never {
    return tooMuch()
  },
  uuid: tooMuch,
  nextNumbers: tooMuch,
}

function tooMuch(): never {
  throw new Error('This is for a statement to find out.')
}
