// SPDX-License-Identifier: Apache-2.0
import type { Expression, ScanStatement } from '../../parser/ast.ts'
import { keyPositions, type TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { columnsOf } from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { fixedTerms } from '../keys/key-order.ts'
import {
  keySortParts,
  literalLimit,
  type PlannedOrder,
  planOrder,
  requireSortable,
  type SortPart,
} from '../sorting/sort-plan.ts'
import { type AggregationPlan, AggregationPlanning, isAggregating } from './aggregation-plan.ts'
import { planScanLookups } from './lookups/plan-lookups.ts'
import type { StatementTables } from './lookups/statement-tables.ts'
import type { Access, AggregatePlan, RangeScanPlan, RowProjection, TopRowsPlan } from './plan.ts'
import { type GroupNeeds, planWay, type Way } from './plan-access.ts'
import { planProjection, projectedExpressions } from './projection.ts'

/** The plan of a SCAN of rows, or of groups of rows. Throws PlanError. */
export function planScan(
  statement: ScanStatement,
  tables: StatementTables,
  table: TableDefinition,
  rule: readonly Expression[],
): RangeScanPlan | AggregatePlan {
  return isAggregating(statement)
    ? planGroups(statement, tables, table, rule)
    : planRows(statement, tables, table, rule)
}

/**
 * Along a key that gives the order; or, of a declared number of rows, by the way that the statement without ORDER BY
 * would take, keeping the first of them.
 */
function planRows(
  statement: ScanStatement,
  tables: StatementTables,
  table: TableDefinition,
  rule: readonly Expression[],
): RangeScanPlan {
  const compiler = createExpressionCompiler(tables.parts)
  const projection = planProjection(compiler, statement.projection)
  const order = planOrder(compiler, statement)
  const all = columnsOf([{ columns: projection.reads }, { columns: order.reads }])
  const joined = planScanLookups(compiler, tables, statement, all)
  const { lookups, filtersLater } = joined
  const readsOf = (reads: ReadonlySet<number>) => (lookups === undefined ? reads : joined.reads)
  const inOrder: Way = { reads: readsOf(projection.reads), isOrdered: true, isGrouped: false }
  const sorted: Way = { reads: readsOf(order.reads), isOrdered: false, isGrouped: false }
  const needs =
    statement.limit === undefined
      ? { ways: [inOrder], ifLimited: sorted, order, filtersLater }
      : { ways: [inOrder, sorted], order, filtersLater }
  const { access, way } = planWay(compiler, table, joined.own, needs, rule)
  const { position } = statement
  const slots = compiler.slots.all
  const plan = { table, position, slots, projection, ...access, ...(lookups && { lookups }) }
  if (way === inOrder) return { kind: 'rangeScan', ...plan }
  return { kind: 'rangeScan', ...plan, top: topRows(statement, table, order, plan) }
}

type TopPlanned = Pick<RangeScanPlan, keyof Access | 'lookups'> & {
  readonly projection: RowProjection
}

function topRows(
  { limit }: ScanStatement,
  table: TableDefinition,
  { parts, texts }: PlannedOrder,
  { path, covering, reads, projection, lookups }: TopPlanned,
): TopRowsPlan {
  requireSortable(literalLimit(limit) ?? 0, limit?.position)
  const held = (covering && path.bounds.key.holds) || []
  const atHand = new Set([...keyPositions(table), ...reads, ...held])
  // Rows that were looked up are not looked up again.
  const isAtHand =
    lookups !== undefined || [...projection.reads].every((column) => atHand.has(column))
  return {
    parts: [...parts, ...keySortParts(table)],
    texts,
    ...(isAtHand ? {} : { fetches: [...projection.reads].sort((a, b) => a - b) }),
  }
}

/**
 * Along a key that gives the groups, one after the other, or by the way that the statement without GROUP BY would take,
 * holding all of them. Their order is that of the key too, or of a declared number of groups.
 */
function planGroups(
  statement: ScanStatement,
  tables: StatementTables,
  table: TableDefinition,
  rule: readonly Expression[],
): AggregatePlan {
  const rows = createExpressionCompiler(tables.parts)
  const projected = projectedExpressions(rows.parts, statement.projection)
  const planning = new AggregationPlanning(rows, statement, projected)
  const projection = planProjection(planning.compiler, statement.projection)
  planning.planHaving(statement)
  const order = planOrder(planning.compiler, statement)
  const aggregation = planning.plan()
  const { parts } = aggregation
  const { own, lookups, filtersLater, reads } = planScanLookups(
    rows,
    tables,
    statement,
    aggregation.reads,
  )
  const groups = parts.length === 0 ? undefined : groupNeedsOf(aggregation)
  const ways = [
    { reads, isOrdered: true, isGrouped: true },
    { reads, isOrdered: false, isGrouped: true },
    { reads, isOrdered: false, isGrouped: false },
  ] as const
  const [inOrder, , anyhow] = ways
  const isPlain = statement.orderBy.length > 0 && statement.limit === undefined
  const request = { order, filtersLater, ...(groups && { groups }) }
  const needs = isPlain
    ? { ...request, ways: [inOrder], ifLimited: anyhow }
    : { ...request, ways: statement.orderBy.length === 0 ? [inOrder, anyhow] : ways }
  const { access, way } = planWay(rows, table, own, needs, rule)
  const isHeld = parts.length > 0 && !way.isGrouped
  const made = { ...aggregation, isHeld }
  // A row without a match is left out, so the first one on the walk need not be the one that decides.
  const walk = lookups ? { ...access, aggregation: made, lookups } : towardsExtreme(access, made)
  const { position } = statement
  const plan = { table, position, slots: rows.slots.all, projection, ...walk }
  if (way.isOrdered || statement.orderBy.length === 0) return { kind: 'aggregate', ...plan }
  requireSortable(literalLimit(statement.limit) ?? 0, statement.limit?.position)
  const ties = parts.map(({ type }, slot) => groupTie(type, slot))
  return {
    kind: 'aggregate',
    ...plan,
    top: { parts: [...order.parts, ...ties], texts: order.texts },
  }
}

/** Groups that nothing else tells apart come by their values. */
function groupTie(type: SqlType, slot: number): SortPart {
  return { type, descending: false, evaluate: ({ aggregates }) => aggregates?.[slot] as SqlValue }
}

/** A value that is the same for all rows parts none of them. */
function groupNeedsOf({ parts }: Pick<AggregationPlan, 'parts'>): GroupNeeds {
  const parting = parts.filter(({ value }) => !value.isConstant)
  const terms = parting.flatMap(({ term }) => term ?? [])
  const position = parts[0]?.source.position
  return {
    terms: terms.length === parting.length ? terms : undefined,
    ...(position && { position }),
  }
}

/**
 * The least or greatest value of the column that orders the walk stands at one of its ends: the walk
 * begins there, and ends with the first value that is not NULL.
 */
function towardsExtreme(
  access: Access,
  aggregation: AggregationPlan,
): Access & { readonly aggregation: AggregationPlan } {
  const [only, ...others] = aggregation.aggregates
  const { bounds } = access.path
  const fixed = fixedTerms(bounds)
  const ordering = bounds.key.order.find(({ term }) => !fixed.has(term))
  const name = only?.source.function
  const isPlain = only?.filter === undefined && others.length === 0
  const applies = isPlain && (name === 'min' || name === 'max') && aggregation.parts.length === 0
  if (!applies || ordering === undefined || ordering.term !== only?.term) {
    return { ...access, aggregation }
  }
  const reverse = (name === 'max') !== ordering.descending
  const path = { ...access.path, reverse }
  // NULL comes before the least value in ascending order, and after the greatest in descending order.
  const decidedBy = name === 'max' || !ordering.nullable ? 'firstRow' : 'firstValue'
  return { ...access, path, aggregation: { ...aggregation, decidedBy } }
}
