// SPDX-License-Identifier: Apache-2.0

import type { TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { Scope } from '../expressions/compiled-expression.ts'
import { identityOf } from '../expressions/value-identity.ts'
import { primaryKeyOf } from '../keys/candidate-key.ts'
import { byTerm, type KeyCondition } from '../keys/key-condition.ts'
import {
  boundsOf,
  isFullKey,
  type KeyRange,
  keyRanges,
  keyTuples,
  type PointsCondition,
} from '../keys/key-range.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'

/**
 * How the subscriptions that a changed row may concern are found among many, without a question to
 * each. A row that a route leaves out does not match; one that it lets through may not either.
 */
export type SubscriptionRoute =
  /** The rows with these row keys. */
  | { readonly kind: 'keys'; readonly keys: readonly Uint8Array[] }
  /** The rows with this column, as a position in the table, equal to one of these, by `identityOf`. */
  | {
      readonly kind: 'equals'
      readonly column: number
      readonly identities: ReadonlySet<SqlValue>
    }
  /** The rows whose row keys lie in one of these, which are disjoint and in order. */
  | { readonly kind: 'ranges'; readonly ranges: readonly KeyRange[] }
  | { readonly kind: 'all' }

/**
 * The narrowest that a table of hashes finds: row keys, else a column of the primary key, which the row
 * key tells; then a range of row keys; then any other column, for which rows have to be read.
 */
export function routeOf(
  table: TableDefinition,
  conditions: readonly KeyCondition[],
  scope: Scope,
): SubscriptionRoute {
  const primaryKey = primaryKeyOf(table)
  const bounds = boundsOf(primaryKey, byTerm(conditions))
  if (isFullKey(bounds)) {
    const keys = keyTuples(bounds, scope, 'key').map((tuple) => primaryKey.encode(tuple))
    return { kind: 'keys', keys }
  }
  const inKey = new Set(primaryKey.parts.map(({ term }) => term))
  const points = conditions.filter((condition) => condition.kind === 'points')
  const ofKey = points.filter(({ term }) => inKey.has(term))
  const others = points.filter(({ term }) => !inKey.has(term))
  const byKeyColumn = fewestValues(table, ofKey, scope)
  if (byKeyColumn !== undefined) return byKeyColumn
  if (bounds.points.length === 0 && bounds.range.length > 0) {
    return { kind: 'ranges', ranges: keyRanges(bounds, scope) }
  }
  return fewestValues(table, others, scope) ?? { kind: 'all' }
}

function fewestValues(
  table: TableDefinition,
  conditions: readonly PointsCondition[],
  scope: Scope,
): SubscriptionRoute | undefined {
  const routes = conditions.flatMap((condition) => {
    const column = condition.term
    // What is at a path is not looked up in a row for each subscription.
    if (typeof column !== 'number') return []
    const type = table.columns[column]?.type ?? 'TEXT'
    const identities = condition.values(scope).map((value) => identityOf(type, value))
    return [{ kind: 'equals', column, identities: new Set(identities) } as const]
  })
  const [fewest] = routes.toSorted((a, b) => a.identities.size - b.identities.size)
  if (fewest === undefined) return undefined
  return fewest.identities.size <= PLANNER_LIMITS.statementKeysMax ? fewest : undefined
}
