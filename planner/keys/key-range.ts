// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../../parser/ast.ts'
import { compareRowKeys, endOfPrefix } from '../../storage/storage.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import type { MatchPattern } from '../expressions/match-pattern.ts'
import { comparisonOf, lengthOf, paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { limitExceeded } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import type { CandidateKey, CandidatePart } from './candidate-key.ts'
import type { KeyCondition, PointsCondition } from './condition.ts'
import type { ConditionsByTerm } from './key-condition.ts'
import type { KeyTerm } from './key-term.ts'
import { type Limit, type RangeLimits, rangeLimitsOf } from './range-limits.ts'

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
  readonly match?: BoundingMatch
}
/** A MATCH among the points. */
export type BoundingMatch = {
  /** The position of the words in the key. */
  readonly at: number
  readonly patternIn: (scope: Scope) => MatchPattern | null
  /** How many words begin with one would tell of rows that a rule hides: only whole words bound. */
  readonly isRuled?: true
}
export type RangeCondition = Extract<KeyCondition, { kind: 'range' | 'prefix' }>

/** From `start`, inclusive, to `end`, exclusive. */
export type KeyRange = { readonly start: Uint8Array; readonly end: Uint8Array }
/** All keys with these leading values, or some that follow each other. */
export type RangeOfValues = KeyRange & { readonly values: readonly SqlValue[] }

export function boundsOf(key: CandidateKey, conditions: ConditionsByTerm): KeyBounds {
  const points: PointsCondition[][] = []
  let match: BoundingMatch | undefined
  while (points.length < key.bounding.length) {
    const fixing = fixingFrom(key.bounding.slice(points.length), conditions)
    if (fixing.length === 0) break
    const patternIn = fixing[0]?.[0]?.patternIn
    if (patternIn !== undefined) match = { at: points.length, patternIn }
    points.push(...fixing)
  }
  const next = key.bounding[points.length]
  const onNext = next === undefined ? undefined : conditions.get(next.term)
  const range = (onNext ?? []).flatMap((condition) =>
    condition.kind === 'points' ? [] : [alongKey(key.bounding.slice(points.length), condition)],
  )
  return { key, points, range, ...(match && { match }) }
}

/** What fixes the first of these parts, or with it the next ones as well: the rows of an IN. */
function fixingFrom(
  parts: readonly CandidatePart[],
  conditions: ConditionsByTerm,
): PointsCondition[][] {
  const onTerm = (term: KeyTerm) =>
    (conditions.get(term) ?? []).filter((condition) => condition.kind === 'points')
  const onPart = onTerm(parts[0]?.term ?? -1)
  const single = onPart.filter(({ row }) => row === undefined)
  if (onPart.length === 0) return []
  // Of two members, or words, a row has two entries: it is found by one, and asked for the other.
  if (single.length > 0) return [parts[0]?.each ? single.slice(0, 1) : single]
  for (const { source, row = [] } of onPart) {
    const run = parts.slice(0, row.length).filter(({ term }) => row.includes(term))
    if (run.length < row.length) continue
    return run.map(({ term }) =>
      onTerm(term).flatMap((each) => (each.source === source ? [{ ...each, exact: true }] : [])),
    )
  }
  return [onPart.map((condition) => ({ ...condition, exact: false }))]
}

/**
 * A range by a row of values as the key has its columns: by as many as follow each other there in one direction. Where
 * it ends, a column with NULL stands before the values that it is not below.
 */
function alongKey(parts: readonly CandidatePart[], condition: RangeCondition): RangeCondition {
  if (condition.kind === 'prefix' || condition.row === undefined) return condition
  const { row, lower, upper } = condition
  const differs = row.findIndex((term, index) => {
    const part = parts[index]
    return part?.term !== term || part.descending !== parts[0]?.descending
  })
  const length = differs < 0 ? row.length : differs
  const hasNulls = parts.slice(1, length).some(({ nullable }) => nullable)
  if (length === row.length) return { ...condition, exact: upper === undefined || !hasNulls }
  return {
    ...condition,
    exact: false,
    ...(lower && { lower: { values: lower.values.slice(0, length), inclusive: true } }),
    ...(upper && { upper: { values: upper.values.slice(0, length), inclusive: true } }),
    bound: cutRows(condition.source, length),
  }
}

/** (a, b, c) > (1, 2, 3) as it bounds a key by two columns: (a, b) >= (1, 2). */
function cutRows(source: Expression, length: number): Expression {
  const [rest] = source.kind === 'binary' ? source.rest : []
  if (source.kind !== 'binary' || rest === undefined) return source
  const cut = (side: Expression): Expression => {
    if (side.kind !== 'row') return side
    const values = side.values.slice(0, length)
    return length === 1 ? (values[0] as Expression) : { ...side, values }
  }
  const operator = rest.operator.startsWith('<') ? '<=' : '>='
  return {
    ...source,
    first: cut(source.first),
    rest: [{ ...rest, operator, operand: cut(rest.operand) }],
  }
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
  const runs = runsOf(key, points, scope)
  let count = 1
  for (const { tuples } of runs) count *= tuples.length
  requireFewKeys(count, points[0]?.[0]?.source.position)
  // Every key is encoded, by the planner or by the store.
  for (const { tuples } of runs) {
    let length = 0
    for (const tuple of tuples) for (const value of tuple) length += 1 + lengthOf(value)
    scope.work.spend((count / Math.max(1, tuples.length)) * length)
  }
  const lists = runs.map((run) => (order === 'asked' ? run.tuples : inKeyOrder(run, scope)))
  const [only] = lists
  if (lists.length === 1 && only !== undefined) return only
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

/** Columns that are fixed together: one, or those of the rows of an IN. */
type Run = {
  readonly parts: readonly CandidatePart[]
  readonly tuples: ReadonlyArray<readonly SqlValue[]>
}

function runsOf(key: CandidateKey, points: KeyBounds['points'], scope: Scope): readonly Run[] {
  const runs: Run[] = []
  for (let at = 0; at < points.length; ) {
    const conditions = points[at] ?? []
    const { exact, row, tuples } = conditions[0] as PointsCondition
    const length = exact && row !== undefined ? row.length : 1
    const parts = key.bounding.slice(at, at + length)
    if (exact && row !== undefined) {
      const places = parts.map(({ term }) => row.indexOf(term))
      const requested = tuples?.(scope) ?? []
      runs.push({
        parts,
        tuples: requested.map((tuple) => places.map((place) => tuple[place] as SqlValue)),
      })
    } else {
      const values = commonValues(parts[0] as CandidatePart, conditions, scope)
      runs.push({ parts, tuples: values.map((value) => [value]) })
    }
    at += length
  }
  return runs
}

/** The combination with this number, from 0; the last list changes fastest. */
function tupleAt(lists: ReadonlyArray<Run['tuples']>, combination: number): SqlValue[] {
  const tuples = new Array<readonly SqlValue[]>(lists.length)
  let left = combination
  for (let index = lists.length - 1; index >= 0; index -= 1) {
    const list = lists[index] as Run['tuples']
    tuples[index] = list[left % list.length] as readonly SqlValue[]
    left = Math.floor(left / list.length)
  }
  return tuples.flat()
}

/** The ranges, disjoint and in key order; none when the conditions contradict each other. */
export function keyRanges(bounds: KeyBounds, scope: Scope): RangeOfValues[] {
  const { key, points } = bounds
  const behind = key.bounding.slice(points.length)
  const [part] = behind
  const limits = rangeLimitsOf(behind, bounds.range, scope)
  if (limits === undefined) return []
  const ranges: RangeOfValues[] = []
  for (const tuple of keyTuples(bounds, scope, 'key')) {
    payForEncoding(tuple, limits, scope)
    const prefix = key.encode(tuple)
    const all = { start: prefix, end: endOf(prefix) }
    const limited = part === undefined ? all : within(all, limits, { key, part, tuple })
    if (compareRowKeys(limited.start, limited.end) < 0) {
      ranges.push({ ...limited, values: tuple })
    }
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
    const low = key.encode([...tuple, ...least.values])
    if (part.descending) ends.push(least.inclusive ? endOf(low) : low)
    else starts.push(least.inclusive ? low : endOf(low))
  }
  if (upper !== undefined) {
    const high = key.encode([...tuple, ...upper.values])
    if (part.descending) starts.push(upper.inclusive ? high : endOf(high))
    else ends.push(upper.inclusive ? endOf(high) : high)
  }
  return {
    start: starts.reduce((a, b) => (compareRowKeys(b, a) > 0 ? b : a)),
    end: ends.reduce((a, b) => (compareRowKeys(b, a) < 0 ? b : a)),
  }
}

const NULL_EXCLUDED: Limit = { values: [null], inclusive: false }

/** For each of the four keys that a tuple may be encoded in. */
function payForEncoding(
  tuple: readonly SqlValue[],
  { lower, upper, prefix }: RangeLimits,
  { work }: Scope,
): void {
  let length = prefix?.length ?? 0
  for (const values of [tuple, lower?.values ?? [], upper?.values ?? []]) {
    for (const value of values) length += lengthOf(value)
  }
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

function inKeyOrder({ parts, tuples }: Run, { work }: Scope): Run['tuples'] {
  if (tuples.length < 2) return tuples
  const comparisons = parts.map(({ type, descending }) => ({
    compare: comparisonOf(type),
    sign: descending ? -1 : 1,
  }))
  return tuples.toSorted((one, other) => {
    for (const [index, { compare, sign }] of comparisons.entries()) {
      work.spend(NODE_UNITS)
      const [a, b] = [one[index] as SqlValue, other[index] as SqlValue]
      const order =
        a === null || b === null ? Number(a !== null) - Number(b !== null) : compare(a, b, work)
      if (order !== 0) return sign * order
    }
    return 0
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
