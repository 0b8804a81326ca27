// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { comparisonOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import type { KeyCondition } from './condition.ts'

/** One value, or those of a row; `inclusive` is of all that begins with them. */
export type Limit = { readonly values: readonly SqlValue[]; readonly inclusive: boolean }

/** What all range conditions on one column, or that begin with it, come to, however many they are. */
export type RangeLimits = {
  readonly lower?: Limit
  readonly upper?: Limit
  /** What a TEXT begins with. */
  readonly prefix?: string
}

type RangeCondition = Extract<KeyCondition, { kind: 'range' | 'prefix' }>

/**
 * The narrowest limits: the greatest of the lower ones, the least of the upper ones, the longest prefix. Undefined
 * when nothing can satisfy the conditions: one compares with NULL, or two prefixes begin differently.
 */
export function rangeLimitsOf(
  parts: ReadonlyArray<{ readonly type: SqlType }>,
  conditions: readonly RangeCondition[],
  scope: Scope,
): RangeLimits | undefined {
  const comparisons = conditions.length < 2 ? [] : parts.map(({ type }) => comparisonOf(type))
  const order = (a: Limit, b: Limit): number => {
    for (let at = 0; at < Math.min(a.values.length, b.values.length); at += 1) {
      const [one, other] = [a.values[at] as SqlValue, b.values[at] as SqlValue]
      const difference = comparisons[at]?.(one, other, scope.work) ?? 0
      if (difference !== 0) return difference
    }
    return 0
  }
  let lower: Limit | undefined
  let upper: Limit | undefined
  let prefix: string | undefined
  for (const condition of conditions) {
    scope.work.spend(NODE_UNITS)
    if (condition.kind === 'prefix') {
      const text = condition.text(scope)
      prefix = text === null ? undefined : longerPrefix(prefix ?? '', text, scope)
      if (prefix === undefined) return undefined
      continue
    }
    const [low, high] = [limitOf(condition.lower, scope), limitOf(condition.upper, scope)]
    if (low?.values.length === 0 || high?.values.length === 0) return undefined
    lower = narrower(lower, low, (a, b) => order(a, b))
    upper = narrower(upper, high, (a, b) => -order(a, b))
  }
  return {
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
    ...(prefix === undefined ? {} : { prefix }),
  }
}

/** Without values where no row is within it. What is compared with NULL behind others is behind all that begin so. */
function limitOf(
  bound: Extract<RangeCondition, { kind: 'range' }>['lower'],
  scope: Scope,
): Limit | undefined {
  if (bound === undefined) return undefined
  const values = bound.values.map((value) => value.evaluate(scope))
  const unknown = values.indexOf(null)
  return unknown < 0
    ? { values, inclusive: bound.inclusive }
    : { values: values.slice(0, unknown), inclusive: false }
}

/**
 * `order` is positive where the first limit leaves less. Of those that begin alike the shorter one does when it is
 * left out, and of equal ones the one that is.
 */
function narrower(
  known: Limit | undefined,
  other: Limit | undefined,
  order: (a: Limit, b: Limit) => number,
): Limit | undefined {
  if (known === undefined || other === undefined) return known ?? other
  const difference = order(known, other)
  if (difference !== 0) return difference > 0 ? known : other
  const [shorter, longer] =
    known.values.length <= other.values.length ? [known, other] : [other, known]
  return shorter.inclusive ? longer : shorter
}

/** Undefined when neither begins with the other. */
function longerPrefix(a: string, b: string, { work }: Scope): string | undefined {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  work.spend(short.length)
  return long.startsWith(short) ? long : undefined
}
