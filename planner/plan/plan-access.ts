// SPDX-License-Identifier: Apache-2.0
import type {
  DeleteStatement,
  Expression,
  Position,
  ScanStatement,
  SetStatement,
} from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import {
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
} from '../expressions/compiled-expression.ts'
import { compileAs } from '../expressions/type-check.ts'
import type { AccessPath, AccessQuestion, Candidate } from '../keys/access-path.ts'
import { type CandidateKey, candidateKeys, covers } from '../keys/candidate-key.ts'
import type { KeyCondition } from '../keys/condition.ts'
import { byTerm, distinctConjunctsOf, keyConditionOf, termsOf } from '../keys/key-condition.ts'
import { groupsFollow, walkingDirection } from '../keys/key-order.ts'
import { boundsOf, conditionsOf, type KeyBounds, lacksMember } from '../keys/key-range.ts'
import { columnOfTerm, type KeyTerm } from '../keys/key-term.ts'
import { chooseAccess, unbounded } from '../keys/rules.ts'
import { NO_ORDER, type PlannedOrder } from '../sorting/sort-plan.ts'
import { whereHint } from './either-value.ts'
import type { Access } from './plan.ts'
import { filterOf } from './row-filter.ts'
import { compileRule, createRuleCompiler } from './row-rule.ts'

/** What a statement asks of the way to its rows. */
export type AccessNeeds = {
  /** What a key may have to give, in the order of preference: the first that a key can serve is taken. */
  readonly ways: readonly Way[]
  /** What would be served as well if the statement had a LIMIT. */
  readonly ifLimited?: Way
  readonly order?: PlannedOrder
  readonly groups?: GroupNeeds
  /** True with conditions on tables that are looked up: with those, too, a walk of the whole table needs leave. */
  readonly filtersLater?: boolean
}

export type Way = {
  /** Places of the columns that the statement itself looks at on the walk. */
  readonly reads: ReadonlySet<number>
  /** The walk comes in the order of the ORDER BY. */
  readonly isOrdered: boolean
  /** Rows of a group follow each other. */
  readonly isGrouped: boolean
}

export type GroupNeeds = {
  /** Undefined where groups are made by what no key has. */
  readonly terms: readonly KeyTerm[] | undefined
  readonly position?: Position
}

type WalkStatement = ScanStatement | SetStatement | DeleteStatement

const WORDS = { scan: 'SCAN', set: 'SET', delete: 'DELETE' } as const

/** The way to rows in whatever order, of which these columns are looked at. */
export function planAccess(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: WalkStatement,
  { reads }: Pick<Way, 'reads'>,
  rule: readonly Expression[] = [],
): Access {
  const needs = { ways: [{ reads, isOrdered: false, isGrouped: false }] }
  return planWay(compiler, table, statement, needs, rule).access
}

/** The way to the rows of a statement, and what is left of the WHERE to filter them by. */
export function planWay(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: WalkStatement,
  needs: AccessNeeds,
  rule: readonly Expression[] = [],
): { readonly access: Access; readonly way: Way } {
  const keys = candidateKeys(table)
  const conjuncts = conjunctsOfWhere(compiler, keys, statement.where)
  const bounding = byTerm(
    conjuncts.flatMap(({ condition, filter }) =>
      condition === undefined || filter !== undefined ? [] : [condition],
    ),
  )
  const { order = NO_ORDER, groups } = needs
  const questionOf = (way: Way): AccessQuestion => ({
    statement: WORDS[statement.kind],
    position: statement.position,
    table,
    candidates: keys.map((key) =>
      candidateOf(key, boundsOf(key, bounding), { conjuncts, needs, way }),
    ),
    ...(statement.hint === undefined ? {} : { hint: statement.hint }),
    hasWhere: statement.where !== undefined || needs.filtersLater === true,
    whereHint: () => whereHint(table, statement.where),
    conditions: conjuncts.flatMap(({ condition }) => condition ?? []),
    orderBy: order.terms ?? [],
    ...(order.position && { orderPosition: order.position }),
    ...(groups && { groupBy: groups.terms ?? [] }),
    ...(groups?.position && { groupPosition: groups.position }),
  })
  const {
    path: chosen,
    rejected,
    question,
    at,
  } = chooseAccess(needs.ways.map(questionOf), needs.ifLimited && questionOf(needs.ifLimited))
  const way = needs.ways[at] as Way
  const ruler = createRuleCompiler(compiler, table)
  const ruling = rule.map((source) => rulingConjunct(ruler, source))
  const path = withinRule(chosen, ruling)
  const limitSource = statement.limit
  const limit = limitSource === undefined ? undefined : compileAs(compiler, limitSource, 'INTEGER')
  const access = {
    path,
    rejected,
    ...filtersOf(compiler, path, { conjuncts: [...ruling, ...conjuncts], reads: way.reads }),
    unbounded: () => unbounded(withoutPatterns(question)),
    ...(limit === undefined || limitSource === undefined ? {} : { limit, limitSource }),
  }
  return { access, way }
}

/** A pattern that turned out to bound nothing would not bound another index either. */
function withoutPatterns(question: AccessQuestion): AccessQuestion {
  return { ...question, conditions: question.conditions.filter(({ kind }) => kind !== 'prefix') }
}

/**
 * One part of the WHERE. With a `condition` and no `filter` it can bound a key; one that only filters
 * may have a condition all the same, on what no key has.
 */
type Conjunct = {
  readonly source: Expression
  readonly condition?: KeyCondition
  readonly filter?: CompiledExpression
  /** Of a rule: nothing that the client wrote is computed of a row that does not meet it. */
  readonly isRule?: true
}

function rulingConjunct(compiler: ExpressionCompiler, source: Expression): Conjunct {
  const condition = keyConditionOf(compiler, source)
  const filter = compileRule(compiler, source)
  return { source, filter, isRule: true, ...(condition === undefined ? {} : { condition }) }
}

/**
 * The way is that of a store with no other rows, and so are the rows that the client's conditions are computed of: the
 * rule only shortens it.
 */
function withinRule(path: AccessPath, ruling: readonly Conjunct[]): AccessPath {
  if (ruling.length === 0) return path
  const conditions = ruling.flatMap(({ condition }) => condition ?? [])
  const all = byTerm([...conditionsOf(path.bounds), ...conditions])
  return { ...path, bounds: byWholeWords(boundsOf(path.bounds.key, all), ruling) }
}

/**
 * How many words begin with one would tell of rows that the rule hides, unless the bounds before them see to the rule.
 */
function byWholeWords(bounds: KeyBounds, ruling: readonly Conjunct[]): KeyBounds {
  const { points, match } = bounds
  if (match === undefined) return bounds
  const before = points.slice(0, match.at).flat()
  const seenTo = new Set(before.flatMap(({ exact, source }) => (exact ? source : [])))
  if (ruling.every(({ source }) => seenTo.has(source))) return bounds
  const inexact = (points[match.at] ?? []).map((condition) => ({ ...condition, exact: false }))
  return { ...bounds, points: points.with(match.at, inexact), match: { ...match, isRuled: true } }
}

function conjunctsOfWhere(
  compiler: ExpressionCompiler,
  keys: readonly CandidateKey[],
  where: Expression | undefined,
): readonly Conjunct[] {
  const inKeys = new Set(keys.flatMap((key) => key.parts.map((part) => part.term)))
  return distinctConjunctsOf(where).map((source): Conjunct => {
    const slotsBefore = compiler.slots.all.length
    const condition = keyConditionOf(compiler, source)
    if (condition !== undefined && termsOf(condition).some((term) => inKeys.has(term)))
      return { source, condition }
    compiler.slots.keepFirst(slotsBefore)
    // Compiled before a key is chosen: a wrong name or type is the better message to give.
    const filter = compileAs(compiler, source, 'BOOLEAN')
    return condition === undefined ? { source, filter } : { source, condition, filter }
  })
}

function candidateOf(
  key: CandidateKey,
  bounds: KeyBounds,
  request: {
    readonly conjuncts: readonly Conjunct[]
    readonly needs: AccessNeeds
    readonly way: Way
  },
): Candidate {
  const { needs, way, conjuncts } = request
  const ordered = way.isOrdered ? directionFor(bounds, needs.order) : 'forward'
  const grouped = !way.isGrouped || givesGroups(bounds, needs.groups)
  const lacking = lacksMember(bounds)
  const direction = grouped && !lacking ? ordered : undefined
  const unordered = ordered === undefined ? 'order' : undefined
  const misses = lacking ? 'member' : grouped ? unordered : 'groups'
  const filtering = notSeenTo(bounds, conjuncts).flatMap(({ condition, filter }) => {
    if (filter !== undefined) return [...filter.columns]
    return condition === undefined ? [] : termsOf(condition).map(columnOfTerm)
  })
  const covering = covers(key, way.reads) && covers(key, filtering)
  return { key, bounds, direction, misses, covering }
}

function directionFor(bounds: KeyBounds, order: PlannedOrder = NO_ORDER): Candidate['direction'] {
  return order.terms && walkingDirection(bounds, order.terms)
}

function givesGroups(bounds: KeyBounds, groups: GroupNeeds | undefined): boolean {
  if (groups === undefined) return true
  return groups.terms !== undefined && groupsFollow(bounds, groups.terms)
}

/** The parts of the WHERE that rows within the bounds may still fail. */
function notSeenTo(bounds: KeyBounds, conjuncts: readonly Conjunct[]): readonly Conjunct[] {
  const done = new Set(conditionsOf(bounds).flatMap(({ exact, source }) => (exact ? source : [])))
  return conjuncts.filter(({ source }) => !done.has(source))
}

/** What filters by the columns that the key holds, and what needs the row. */
function filtersOf(
  compiler: ExpressionCompiler,
  { bounds }: AccessPath,
  request: { readonly conjuncts: readonly Conjunct[]; readonly reads: ReadonlySet<number> },
): Pick<Access, 'keyFilter' | 'rowFilter' | 'reads' | 'covering'> {
  const { key } = bounds
  const parts = notSeenTo(bounds, request.conjuncts).map(({ source, filter, isRule }) => ({
    source,
    isRule,
    filter: filter ?? compileAs(compiler, source, 'BOOLEAN'),
  }))
  const isOfKey = (columns: Iterable<number>) => key.index !== undefined && covers(key, columns)
  const rules = parts.filter(({ isRule }) => isRule)
  const isRuledByKey = rules.every(({ filter }) => isOfKey(filter.columns))
  const isBeforeRow = (part: (typeof parts)[number]) =>
    isOfKey(part.filter.columns) && (isRuledByKey || part.isRule === true)
  const ofKey = parts.filter(isBeforeRow)
  const placeOf = ({ filter, isRule }: (typeof parts)[number]) =>
    isRule ? 0 : isOfKey(filter.columns) ? 1 : 2
  // In the order in which they would come without a rule.
  const ofRow = parts
    .filter((part) => !isBeforeRow(part))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
  const keyFilter = filterOf(ofKey)
  const rowFilter = filterOf(ofRow)
  const reads = columnsOf([{ columns: request.reads }, ...ofRow.map(({ filter }) => filter)])
  return {
    reads: [...reads].sort((a, b) => a - b),
    covering: isOfKey(reads),
    ...(keyFilter === undefined ? {} : { keyFilter }),
    ...(rowFilter === undefined ? {} : { rowFilter }),
  }
}
