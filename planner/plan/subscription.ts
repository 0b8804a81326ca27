// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import {
  type Catalog,
  keyPositions,
  type SqlRow,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { columnsOf, type Scope } from '../expressions/compiled-expression.ts'
import { ConstantValues } from '../expressions/constant-values.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import {
  bindParameters,
  type Claims,
  claimsAsked,
  type Parameters,
} from '../expressions/parameters.ts'
import { compileAs } from '../expressions/type-check.ts'
import { identityOf } from '../expressions/value-work.ts'
import { NODE_UNITS, WorkMeter } from '../expressions/work-meter.ts'
import { primaryKeyOf } from '../keys/candidate-key.ts'
import type { KeyCondition, PointsCondition } from '../keys/condition.ts'
import { byTerm, distinctConjunctsOf, keyConditionOf } from '../keys/key-condition.ts'
import { boundsOf, isFullKey, type KeyRange, keyRanges, keyTuples } from '../keys/key-range.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { requireTableFor } from '../required-rights.ts'
import { rowOf } from '../row-parts.ts'
import { requireIndexOf } from '../unknown-name.ts'
import type { ResultColumn } from './plan.ts'
import { planGetKey } from './plan-key.ts'
import { planProjection } from './projection.ts'
import { compileRule, createRuleCompiler, type ParseRule, ruleConjuncts } from './row-rule.ts'
import { requireSubscribable, rowsRefusal } from './subscribable.ts'

/**
 * A GET or a SCAN as a question to each changed row of its table, for one definition of that table and
 * with its parameters: whether the row is one of the result's, before a change and after it, and as
 * which values. The rows of the same statement at a snapshot are exactly those that match there.
 */
export type SubscriptionPlan = {
  readonly table: TableDefinition
  readonly columns: readonly ResultColumn[]
  /** Places of the columns that a row needs for what follows, ascending; the key's are among them. */
  readonly tableReads: readonly number[]
  readonly route: SubscriptionRoute
  /**
   * What decides beside the statement which rows the subscriber sees: the rule and the claims that it asks for, as a
   * text. Empty without a rule.
   */
  readonly view: string
  /** Throws PlanError for a row that the WHERE cannot be computed of, or at too much work. */
  matches(row: SqlRow, work: WorkMeter): boolean
  /** Values of `columns`. Throws PlanError for a row that one of them cannot be computed of, or at too much work. */
  project(row: SqlRow, work: WorkMeter): SqlValue[]
  /** Values of the primary key, in its order. */
  keyOf(row: SqlRow): SqlValue[]
}

/** Whose rows they are, where the role has rules. */
export type Subscriber = { readonly parseRule: ParseRule; readonly claims: Claims | undefined }

/**
 * Whether the WHERE bounds a key is not asked: only a snapshot walks one, and that is a statement of
 * its own.
 *
 * Throws PlanError: `not_subscribable` for all but a GET or a SCAN whose rows are each decided by
 * themselves; what is wrong with such a statement otherwise; what is wrong with the parameters.
 */
export function planSubscription(
  statement: Statement,
  catalog: Catalog,
  parameters: Parameters,
  { parseRule, claims }: Subscriber,
): SubscriptionPlan {
  requireSubscribable(statement)
  const refusal = rowsRefusal(statement)
  if (refusal !== undefined) throw refusal
  const table = requireTableFor(catalog, statement.table, 'read')
  const compiler = createExpressionCompiler(rowOf(table, statement.alias))
  const projection = planProjection(compiler, statement.projection)
  if (statement.kind === 'get') planGetKey(compiler, table, statement)
  const hint = statement.kind === 'scan' ? statement.hint : undefined
  if (hint?.kind === 'index') requireIndexOf(table, hint.index)
  const conjuncts = distinctConjunctsOf(statement.where).map((source) => ({
    filter: compileAs(compiler, source, 'BOOLEAN'),
    condition: keyConditionOf(compiler, source),
  }))
  // A comparison with a column never fails, and spares what may fail the rows that are none of ours.
  const inOrder = [
    ...conjuncts.filter(({ condition }) => condition !== undefined),
    ...conjuncts.filter(({ condition }) => condition === undefined),
  ]
  const rules = ruleConjuncts(catalog, table, ['read'], parseRule)
  const ruler = createRuleCompiler(compiler, table)
  const ruling = rules.map((source) => ({
    filter: compileRule(ruler, source),
    condition: keyConditionOf(ruler, source),
  }))
  const filters = [...ruling, ...inOrder].map(({ filter }) => filter)
  const work = new WorkMeter()
  const scope: Scope = {
    row: [],
    parameters: bindParameters(compiler.slots.all, { parameters, claims }, work),
    functions: NO_FUNCTIONS,
    work,
    constants: new ConstantValues(KEPT_BYTES_MAX),
  }
  const key = keyPositions(table)
  const reads = columnsOf([...filters, { columns: projection.reads }, { columns: new Set(key) }])
  return {
    table,
    columns: projection.columns,
    view:
      rules.length === 0
        ? ''
        : JSON.stringify([rules.map(expressionText), claimsAsked(compiler.slots.all, claims)]),
    tableReads: [...reads].sort((a, b) => a - b),
    route: routeOf(
      table,
      [...ruling, ...conjuncts].flatMap(({ condition }) => condition ?? []),
      scope,
    ),
    matches(row, work) {
      const ofRow = { ...scope, row, work }
      work.beginRow(statement.position)
      return filters.every(({ evaluate }) => {
        work.spend(NODE_UNITS)
        return evaluate(ofRow) === true
      })
    },
    project(row, work) {
      work.beginRow(statement.position)
      return projection.project({ ...scope, row, work })
    },
    keyOf: (row) => key.map((position) => row[position] as SqlValue),
  }
}

/** No part of a subscription asks what time it is. */
const NO_FUNCTIONS: Scope['functions'] = {
  now: 0n,
  uuid: () => '',
  nextNumbers: () => [],
}

/** A subscription lasts, and many of them are there: long values are computed again rather than kept. */
const KEPT_BYTES_MAX = 16 * 1024

/**
 * How the subscriptions that a changed row may concern are found among many, without a question to
 * each. A row that a route leaves out does not match; one that it lets through may not either.
 */
type SubscriptionRoute =
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
function routeOf(
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
