// SPDX-License-Identifier: Apache-2.0
import {
  type GivenValues,
  givenValues,
  mayRound,
  type Parameters,
} from '../../../planner/planner.ts'
import { type SqlValue, shapeOfJson } from '../../../storage/values/values.ts'

/** A text that is known, its parameters, and the body that they were read from. */
export type KnownQuery = {
  readonly sql: string
  readonly params: Parameters
  readonly text: string
  /** How many fields the body has. */
  readonly fields: number
  /** How many names all its objects have, where they were counted. */
  readonly names?: number | undefined
}

/**
 * What the parameters make of these values; undefined where one is absent or of no use, where a name may stand twice,
 * or a number may say less than its text. Throws PlanError as `givenValues`.
 */
export function valuesOfKnown(
  given: GivenValues,
  { params, text, fields, names }: KnownQuery,
): SqlValue[] | undefined {
  if (given.hasDigits && mayRound(text)) return undefined
  const { isNamed, parameterCount } = given
  // Of no more names than these none stands twice, and none is of no use.
  const nameCount = names ?? shapeOfJson(text).names
  if (nameCount !== fields + (isNamed ? parameterCount : 0)) return undefined
  return givenValues(given, params)
}
