// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import type { CompiledExpression, SizedColumn } from '../../expressions/compiled-expression.ts'
import { valueOfSize } from '../../expressions/decimal-arithmetic.ts'
import { isClaim, type ParameterSlot, type Parameters } from '../../expressions/parameters.ts'
import { valueFromJson } from '../../json/json-value.ts'

/** A literal, or a parameter that stands alone. */
type GivenValue =
  | { readonly literal: SqlValue }
  | {
      readonly key: string | number
      readonly type: SqlType
      /** Of a DECIMAL that is for a column. */
      readonly column?: SizedColumn | undefined
    }

/** Values that literals and parameters alone make, in their order, and all parameters that there are. */
export type GivenValues = {
  readonly values: readonly GivenValue[]
  readonly isNamed: boolean
  readonly parameterCount: number
  /** Whether the text of a number may say more than its double does. */
  readonly hasDigits: boolean
}

/** Undefined where an expression is more than that, or a parameter is a list or a JSON value. */
export function givenValuesOf(
  expressions: ReadonlyArray<Pick<CompiledExpression, 'given'>>,
  slots: readonly ParameterSlot[],
): GivenValues | undefined {
  // What a token says is for rules, and no parameter.
  const own = slots.filter(({ key }) => !isClaim(key))
  const keys = new Set(own.map(({ key }) => key))
  const isNamed = own.some(({ key }) => typeof key === 'string')
  if (own.some(isOther) || (!isNamed && Math.max(0, ...(keys as Set<number>)) > keys.size)) {
    return undefined
  }
  const values: GivenValue[] = []
  for (const { given } of expressions) {
    if (given === undefined) return undefined
    if ('literal' in given) values.push(given)
    else {
      const { key, type } = slots[given.slot] as ParameterSlot
      values.push({ key, type, column: given.column })
    }
  }
  const hasDigits = own.some(({ type }) => type === 'INTEGER' || type === 'DECIMAL')
  return { values, isNamed, parameterCount: keys.size, hasDigits }
}

function isOther({ list, isVariable, type }: ParameterSlot): boolean {
  return list || isVariable === true || type === 'JSON'
}

/**
 * The values of these parameters; undefined where one is absent, or where more are given by number. That none of more
 * names is given, and that a number is exactly what its text says (where `hasDigits`), is for the caller to look at.
 * Throws PlanError as `valueFromJson`: who binds all parameters tells which it is.
 */
export function givenValues(
  { values, isNamed, parameterCount }: GivenValues,
  parameters: Parameters,
): SqlValue[] | undefined {
  if (Array.isArray(parameters) && (isNamed || parameters.length > parameterCount)) return undefined
  const found: SqlValue[] = []
  for (const value of values) {
    if ('literal' in value) {
      found.push(value.literal)
      continue
    }
    const at = isNamed ? value.key : (value.key as number) - 1
    if (!Object.hasOwn(parameters, at)) return undefined
    const made = valueFromJson(value.type, (parameters as Record<string, unknown>)[at])
    found.push(value.column === undefined ? made : valueOfSize(made, value.column))
  }
  return found
}
