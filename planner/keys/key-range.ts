// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import { compareRowKeys, endOfPrefix } from '../../storage/storage.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { comparisonOf, lengthOf, paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { limitExceeded } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import type { CandidateKey, CandidatePart } from './candidate-key.ts'
import type { ConditionsByTerm, KeyCondition } from './key-condition.ts'
import { type Limit, NO_LIMITS, type RangeLimits, rangeLimitsOf } from './range-limits.ts'

/**
 * What a WHERE says of a key: its leading columns fixed to points, then perhaps a range on the next.
 *
 *     key (a, b DESC, c)      a IN (1, 2) AND b > 5 AND c = 7
 *     points: a IN (1, 2)     range: b > 5         c = 7 bounds nothing and filters rows
 *
 * With its parameters it becomes one range of keys for each combination of points.
 */
export type KeyBounds = {
  readonly key: CandidateKey
  /** For each leading column that is fixed, the conditions that fix it. */
  readonly points: ReadonlyArray<ReadonlyArray<PointsCondition>>
  /** The conditions on the column after those. */
  readonly range: readonly RangeCondition[]
}
export type PointsCondition = Extract<KeyCondition, { kind: 'points' }>
export type RangeCondition = Extract<KeyCondition, { kind: 'range' | 'prefix' }>

/** From `start`, inclusive, to `end`, exclusive. */
export type KeyRange = { readonly start: Uint8Array; readonly end: Uint8Array }

export function boundsOf(key: CandidateKey, conditions: ConditionsByTerm): KeyBounds {
  const points: PointsCondition[][] = []
  for (const part of key.bounding) {
    const onPart = conditions.get(part.term) ?? []
    const fixing = onPart.filter((condition) => condition.kind === 'points')
    if (fixing.length === 0) break
    // Of two members a row has two entries: it is found by one, and asked for the other.
    points.push(part.each ? fixing.slice(0, 1) : fixing)
  }
  const next = key.bounding[points.length]
  const onNext = next === undefined ? undefined : conditions.get(next.term)
  const range = (onNext ?? []).filter((condition) => condition.kind !== 'points')
  return { key, points, range }
}

/** True when every column of a unique key is fixed, and not to NULL: rows are got by their keys. */
export function isFullKey({ key, points }: KeyBounds): boolean {
  if (!key.unique || points.length < key.parts.length) return false
  return key.parts.every(({ nullable }, index) => !nullable || !isFixedToNull(points[index] ?? []))
}

/** NULLs are equal to no other, so a unique index may have many of them. */
function isFixedToNull(conditions: readonly PointsCondition[]): boolean {
  return conditions.every(({ source }) => source.kind === 'isNull')
}

/** True for the entries of EACH without a condition that asks for one member: a row may stand there many times. */
export function lacksMember({ key, points }: KeyBounds): boolean {
  return key.parts.findIndex(({ each }) => each) >= points.length
}

export function boundsNothing({ points, range }: KeyBounds): boolean {
  return points.length === 0 && range.length === 0
}

/** The conditions that the bounds make use of. */
export function conditionsOf({ points, range }: KeyBounds): readonly KeyCondition[] {
  return [...points.flat(), ...range]
}

/**
 * The values of the fixed columns, each combination once: in key order, or with `asked` in the order
 * in which the statement lists them, the first column of the key changing slowest. How many they are is
 * looked at before any of them is made.
 */
export function keyTuples(
  { key, points }: KeyBounds,
  scope: Scope,
  order: 'key' | 'asked',
): ReadonlyArray<readonly SqlValue[]> {
  const single = onlyTuple(points, scope)
  if (single !== undefined) return single
  const unsorted = points.map((conditions, index) =>
    commonValues(key.bounding[index] as CandidatePart, conditions, scope),
  )
  let count = 1
  for (const { length } of unsorted) count *= length
  requireFewKeys(count, points[0]?.[0]?.source.position)
  // Every key is encoded, by the planner or by the store.
  for (const values of unsorted) {
    const length = values.reduce<number>((sum, value) => sum + 1 + lengthOf(value), 0)
    scope.work.spend((count / Math.max(1, values.length)) * length)
  }
  const lists =
    order === 'asked'
      ? unsorted
      : unsorted.map((values, index) =>
          inKeyOrder(key.bounding[index] as CandidatePart, values, scope),
        )
  const [only] = lists
  if (lists.length === 1 && only !== undefined) return only.map((value) => [value])
  return Array.from({ length: count }, (_, combination) => tupleAt(lists, combination))
}

/** The tuple of which each column is named by one expression, as by most statements; undefined of any other. */
function onlyTuple(
  points: KeyBounds['points'],
  scope: Scope,
): ReadonlyArray<readonly SqlValue[]> | undefined {
  for (const [condition, another] of points) {
    if (condition?.value === undefined || another !== undefined) return undefined
  }
  const tuple: SqlValue[] = []
  let hasNull = false
  for (const [condition] of points) {
    const value = condition?.value?.evaluate(scope) ?? null
    hasNull ||= value === null
    scope.work.spend(1 + lengthOf(value))
    tuple.push(value)
  }
  return hasNull ? [] : [tuple]
}

/** The combination with this number, from 0; the last list changes fastest. */
function tupleAt(lists: ReadonlyArray<readonly SqlValue[]>, combination: number): SqlValue[] {
  const tuple = new Array<SqlValue>(lists.length)
  let left = combination
  for (let index = lists.length - 1; index >= 0; index -= 1) {
    const values = lists[index] as readonly SqlValue[]
    tuple[index] = values[left % values.length] as SqlValue
    left = Math.floor(left / values.length)
  }
  return tuple
}

/** The ranges, disjoint and in key order; none when the conditions contradict each other. */
export function keyRanges(bounds: KeyBounds, scope: Scope): KeyRange[] {
  const { key, points } = bounds
  const part = key.bounding[points.length]
  const limits = part === undefined ? NO_LIMITS : rangeLimitsOf(part, bounds.range, scope)
  if (limits === undefined) return []
  const ranges: KeyRange[] = []
  for (const tuple of keyTuples(bounds, scope, 'key')) {
    payForEncoding(tuple, limits, scope)
    const prefix = key.encode(tuple)
    const all = { start: prefix, end: endOf(prefix) }
    const limited = part === undefined ? all : within(all, limits, { key, part, tuple })
    if (compareRowKeys(limited.start, limited.end) < 0) ranges.push(limited)
  }
  return ranges
}

/** The part of a range that the limits leave of the keys that begin with the tuple. */
function within(
  { start, end }: KeyRange,
  { lower, upper, prefix }: RangeLimits,
  of: {
    readonly key: CandidateKey
    readonly part: CandidatePart
    readonly tuple: readonly SqlValue[]
  },
): KeyRange {
  const { key, part, tuple } = of
  const starts = [start]
  const ends = [end]
  if (prefix !== undefined) {
    const first = key.encodeTextPrefix(tuple, prefix)
    starts.push(first)
    ends.push(endOf(first))
  }
  // All keys of one value lie between its encoding and the end of that as a prefix. A descending
  // column has its larger values first, so there the lower bound ends the range.
  // NULL comes before all values, and is neither less nor greater than any.
  const isBounded = lower !== undefined || upper !== undefined
  const least = lower ?? (isBounded && part.nullable ? NULL_EXCLUDED : undefined)
  if (least !== undefined) {
    const low = key.encode([...tuple, least.value])
    if (part.descending) ends.push(least.inclusive ? endOf(low) : low)
    else starts.push(least.inclusive ? low : endOf(low))
  }
  if (upper !== undefined) {
    const high = key.encode([...tuple, upper.value])
    if (part.descending) starts.push(upper.inclusive ? high : endOf(high))
    else ends.push(upper.inclusive ? endOf(high) : high)
  }
  return {
    start: starts.reduce((a, b) => (compareRowKeys(b, a) > 0 ? b : a)),
    end: ends.reduce((a, b) => (compareRowKeys(b, a) < 0 ? b : a)),
  }
}

const NULL_EXCLUDED: Limit = { value: null, inclusive: false }

/** For each of the four keys that a tuple may be encoded in. */
function payForEncoding(
  tuple: readonly SqlValue[],
  { lower, upper, prefix }: RangeLimits,
  { work }: Scope,
): void {
  let length = prefix?.length ?? 0
  for (const value of tuple) length += lengthOf(value)
  length += lengthOf(lower?.value ?? null) + lengthOf(upper?.value ?? null)
  work.spend(4 * (NODE_UNITS * (tuple.length + 1) + length))
}

/**
 * The values that satisfy all conditions on one column, in the order of the shortest of their lists; the others are
 * only asked whether they have them.
 */
function commonValues(
  part: CandidatePart,
  conditions: readonly PointsCondition[],
  scope: Scope,
): readonly SqlValue[] {
  const [only] = conditions
  if (conditions.length === 1 && only !== undefined) return only.values(scope)
  const listed = conditions.map((condition) => ({ condition, values: condition.values(scope) }))
  const [shortest, ...others] = listed.toSorted((a, b) => a.values.length - b.values.length)
  let common = shortest?.values ?? []
  for (const { condition, values } of others) {
    if (common.length === 0) break
    const identities =
      condition.identities?.(scope) ??
      new Set(values.map((value) => paidIdentityOf(part.type, value, scope.work)))
    common = common.filter((value) => {
      scope.work.spend(NODE_UNITS)
      return identities.has(paidIdentityOf(part.type, value, scope.work))
    })
  }
  return common
}

function inKeyOrder(
  part: CandidatePart,
  values: readonly SqlValue[],
  { work }: Scope,
): readonly SqlValue[] {
  if (values.length < 2) return values
  const compare = comparisonOf(part.type)
  const sign = part.descending ? -1 : 1
  return values.toSorted((a, b) => {
    work.spend(NODE_UNITS)
    if (a === null || b === null) return sign * (Number(a !== null) - Number(b !== null))
    return sign * compare(a, b, work)
  })
}

/** Every key of a table begins with a byte below FF, so a prefix of one always has an end. */
function endOf(prefix: Uint8Array): Uint8Array {
  return endOfPrefix(prefix) as Uint8Array
}

function requireFewKeys(actual: number, position: Position | undefined): void {
  const max = PLANNER_LIMITS.statementKeysMax
  if (actual <= max) return
  const message = `One statement can name ${max} keys, and this one names ${actual}.`
  throw limitExceeded('statementKeysMax', actual, message, { position })
}
