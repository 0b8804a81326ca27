// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../parser/ast.ts'
import { compareRowKeys, compareValues, endOfPrefix, type SqlValue } from '../storage/storage.ts'
import type { CandidateKey, CandidatePart } from './candidate-key.ts'
import type { Scope } from './compiled-expression.ts'
import type { KeyCondition } from './key-condition.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'
import { identityOf } from './value-identity.ts'

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

export function boundsOf(key: CandidateKey, conditions: readonly KeyCondition[]): KeyBounds {
  const points: PointsCondition[][] = []
  for (const part of key.bounding) {
    const fixing = conditions.filter(
      (condition) => condition.kind === 'points' && condition.column === part.column,
    )
    if (fixing.length === 0) break
    points.push(fixing as PointsCondition[])
  }
  const next = key.bounding[points.length]
  const range = conditions.filter(
    (condition) => condition.kind !== 'points' && condition.column === next?.column,
  )
  return { key, points, range: range as RangeCondition[] }
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

export function boundsNothing({ points, range }: KeyBounds): boolean {
  return points.length === 0 && range.length === 0
}

/** The conditions that the bounds make use of. */
export function conditionsOf({ points, range }: KeyBounds): readonly KeyCondition[] {
  return [...points.flat(), ...range]
}

/**
 * The values of the fixed columns, each combination once: in key order, or with `asked` in the order
 * in which the statement lists them, the first column of the key changing slowest.
 */
export function keyTuples(
  { key, points }: KeyBounds,
  scope: Scope,
  order: 'key' | 'asked',
): ReadonlyArray<readonly SqlValue[]> {
  const lists = points.map((conditions, index) => {
    const part = key.bounding[index] as CandidatePart
    const values = commonValues(part, conditions, scope)
    const isSorted = order === 'asked' || values.length < 2
    return isSorted ? values : values.toSorted((a, b) => compareInKey(part, a, b))
  })
  let count = 1
  for (const { length } of lists) count *= length
  requireFewKeys(count, points[0]?.[0]?.source.position)
  const [only] = lists
  if (lists.length === 1 && only !== undefined) return only.map((value) => [value])
  let tuples: Array<readonly SqlValue[]> = [[]]
  for (const values of lists) {
    tuples = tuples.flatMap((tuple) => values.map((value) => [...tuple, value]))
  }
  return tuples
}

/** The ranges, disjoint and in key order; none when the conditions contradict each other. */
export function keyRanges(bounds: KeyBounds, scope: Scope): KeyRange[] {
  const { key } = bounds
  const limits = bounds.range.map((condition) =>
    limitOf(key, bounds.points.length, condition, scope),
  )
  if (limits.some((limit) => limit === undefined)) return []
  const ranges: KeyRange[] = []
  for (const tuple of keyTuples(bounds, scope, 'key')) {
    const prefix = key.encode(tuple)
    let start = prefix
    let end = endOf(prefix)
    for (const limit of limits) {
      const range = (limit as Limit)(tuple)
      if (range.start !== undefined && compareRowKeys(range.start, start) > 0) start = range.start
      if (range.end !== undefined && compareRowKeys(range.end, end) < 0) end = range.end
    }
    if (compareRowKeys(start, end) < 0) ranges.push({ start, end })
  }
  return ranges
}

/** What one condition makes of the keys that begin with a tuple. */
type Limit = (tuple: readonly SqlValue[]) => Partial<KeyRange>

/** Undefined when the condition compares with NULL, which nothing satisfies. */
function limitOf(
  key: CandidateKey,
  column: number,
  condition: RangeCondition,
  scope: Scope,
): Limit | undefined {
  if (condition.kind === 'prefix') {
    const text = condition.text(scope)
    if (text === null) return undefined
    return (tuple) => {
      const start = key.encodeTextPrefix(tuple, text)
      return { start, end: endOf(start) }
    }
  }
  const { descending, nullable } = key.bounding[column] as CandidatePart
  const lower = condition.lower?.value.evaluate(scope)
  const upper = condition.upper?.value.evaluate(scope)
  if (lower === null || upper === null) return undefined
  const lowerInclusive = condition.lower?.inclusive === true
  const upperInclusive = condition.upper?.inclusive === true
  return (tuple) => {
    // All keys of one value lie between its encoding and the end of that as a prefix. A descending
    // column has its larger values first, so there the lower bound ends the range.
    // NULL comes before all values, and is neither less nor greater than any.
    const least = lower !== undefined ? lower : nullable ? null : undefined
    const low = least === undefined ? undefined : key.encode([...tuple, least])
    const high = upper === undefined ? undefined : key.encode([...tuple, upper])
    return descending
      ? {
          ...(high && { start: upperInclusive ? high : endOf(high) }),
          ...(low && { end: lowerInclusive ? endOf(low) : low }),
        }
      : {
          ...(low && { start: lowerInclusive ? low : endOf(low) }),
          ...(high && { end: upperInclusive ? endOf(high) : high }),
        }
  }
}

/** The values that satisfy all conditions on one column, in the order of the first of them. */
function commonValues(
  part: CandidatePart,
  conditions: readonly PointsCondition[],
  scope: Scope,
): readonly SqlValue[] {
  const [only] = conditions
  if (conditions.length === 1 && only !== undefined) return only.values(scope)
  const [first, ...others] = conditions.map((condition) => {
    const values = condition.values(scope)
    return new Map(values.map((value) => [identityOf(part.type, value), value]))
  })
  const shared = [...(first as Map<SqlValue, SqlValue>)]
  return shared
    .filter(([identity]) => others.every((other) => other.has(identity)))
    .map(([, value]) => value)
}

function compareInKey(part: CandidatePart, a: SqlValue, b: SqlValue): number {
  const order = compareValues(part.type, a, b)
  return part.descending ? -order : order
}

/** Every key of a table begins with a byte below FF, so a prefix of one always has an end. */
function endOf(prefix: Uint8Array): Uint8Array {
  return endOfPrefix(prefix) as Uint8Array
}

function requireFewKeys(actual: number, position: Position | undefined): void {
  const max = PLANNER_LIMITS.statementKeysMax
  if (actual <= max) return
  throw new PlanError(
    'limit_exceeded',
    `One statement can name ${max} keys, and this one names ${actual}.`,
    {
      ...(position === undefined ? {} : { position }),
      fields: { limit: 'statementKeysMax', limitValue: max, actual },
    },
  )
}
