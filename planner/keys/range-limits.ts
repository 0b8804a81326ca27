// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { type Comparison, comparisonOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import type { KeyCondition } from './key-condition.ts'

export type Limit = { readonly value: SqlValue; readonly inclusive: boolean }

/** What all range conditions on one column come to, however many they are. */
export type RangeLimits = {
  readonly lower?: Limit
  readonly upper?: Limit
  /** What a TEXT begins with. */
  readonly prefix?: string
}

export const NO_LIMITS: RangeLimits = {}

type RangeCondition = Extract<KeyCondition, { kind: 'range' | 'prefix' }>

/**
 * The narrowest limits: the greatest of the lower ones, the least of the upper ones, the longest prefix. Undefined
 * when nothing can satisfy the conditions: one compares with NULL, or two prefixes begin differently.
 */
export function rangeLimitsOf(
  { type }: { readonly type: SqlType },
  conditions: readonly RangeCondition[],
  scope: Scope,
): RangeLimits | undefined {
  const compare = comparisonOf(type)
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
    if (low?.value === null || high?.value === null) return undefined
    lower = narrower(lower, low, (a, b) => compare(a, b, scope.work))
    upper = narrower(upper, high, (a, b) => -compare(a, b, scope.work))
  }
  return {
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
    ...(prefix === undefined ? {} : { prefix }),
  }
}

function limitOf(
  bound: Extract<RangeCondition, { kind: 'range' }>['lower'],
  scope: Scope,
): Limit | undefined {
  return bound && { value: bound.value.evaluate(scope), inclusive: bound.inclusive }
}

/** `order` is positive where the first value leaves less; of equal ones the one that is left out does. */
function narrower(
  known: Limit | undefined,
  other: Limit | undefined,
  order: (a: SqlValue, b: SqlValue) => ReturnType<Comparison>,
): Limit | undefined {
  if (known === undefined || other === undefined) return known ?? other
  const difference = order(known.value, other.value)
  if (difference === 0) return known.inclusive ? other : known
  return difference > 0 ? known : other
}

/** Undefined when neither begins with the other. */
function longerPrefix(a: string, b: string, { work }: Scope): string | undefined {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  work.spend(short.length)
  return long.startsWith(short) ? long : undefined
}
