// SPDX-License-Identifier: Apache-2.0
import type {
  BinaryExpression,
  Expression,
  InExpression,
  LikeExpression,
  LogicalExpression,
} from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type {
  CompiledExpression,
  ExpressionCompiler,
  Scope,
} from '../expressions/compiled-expression.ts'
import {
  addListSlot,
  type ComparisonOperator,
  isComparison,
} from '../expressions/expression-comparison.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { isPrefixPattern, prefixOfPattern } from '../expressions/like-pattern.ts'
import { isMatch } from '../expressions/match-pattern.ts'
import type { BoundList } from '../expressions/parameters.ts'
import { paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { partAt } from '../row-parts.ts'
import { fixedValue, type KeyBound, type KeyCondition, points, withoutNull } from './condition.ts'
import { columnOfTerm, type KeyTerm, type TermMeant, termOf } from './key-term.ts'
import { ofMatch } from './match-condition.ts'
import { ofMember } from './member-condition.ts'

/** The parts of a condition that must all hold; parentheses around an AND make no difference. */
export function conjunctsOf(where: Expression | undefined): readonly Expression[] {
  const conjuncts: Expression[] = []
  const open = where === undefined ? [] : [where]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'logical' && next.operator === 'AND') open.push(...next.operands.toReversed())
    else conjuncts.push(next)
  }
  return conjuncts
}

/** The same, each once however often it is written: what thousands of them ask is asked once. */
export function distinctConjunctsOf(where: Expression | undefined): readonly Expression[] {
  const conjuncts = conjunctsOf(where)
  if (conjuncts.length < 2) return conjuncts
  const byText = new Map<string, Expression>()
  for (const conjunct of conjuncts) {
    const text = expressionText(conjunct)
    // Two calls of uuid() have two values.
    const name = text.includes('uuid(') ? `${byText.size} ${text}` : text
    if (!byText.has(name)) byText.set(name, conjunct)
  }
  return [...byText.values()]
}

/** Conditions by what they are on. */
export type ConditionsByTerm = ReadonlyMap<KeyTerm, readonly KeyCondition[]>

export function byTerm(conditions: readonly KeyCondition[]): ConditionsByTerm {
  return Map.groupBy(conditions.flatMap(ofEachTerm), ({ term }) => term)
}

/** Rows among those of an IN have in each column one of its values there. */
function ofEachTerm(condition: KeyCondition): readonly KeyCondition[] {
  if (condition.kind !== 'points' || condition.row === undefined) return [condition]
  const { row, valuesAt } = condition
  return row.map((term, at) => ({
    ...condition,
    term,
    values: (scope) => valuesAt?.(scope, at) ?? [],
  }))
}

/** What the condition is on. */
export function termsOf({ term, row }: KeyCondition): readonly KeyTerm[] {
  return row ?? [term]
}

/**
 * The condition as one on a column of the first table, which alone is walked, or undefined when it can only filter
 * rows.
 */
export function keyConditionOf(
  compiler: ExpressionCompiler,
  source: Expression,
): KeyCondition | undefined {
  const slotsBefore = compiler.slots.all.length
  const condition = conditionOf(compiler, source)
  const isOwn = (term: KeyTerm) => partAt(compiler.parts, columnOfTerm(term)).offset === 0
  if (condition !== undefined && termsOf(condition).every(isOwn)) return condition
  compiler.slots.keepFirst(slotsBefore)
  return undefined
}

function conditionOf(compiler: ExpressionCompiler, source: Expression): KeyCondition | undefined {
  switch (source.kind) {
    case 'binary':
      if (isComparison(source)) return ofComparison(compiler, source)
      return isMatch(source) ? ofMatch(compiler, source) : ofMember(compiler, source)
    case 'between': {
      const on = source.negated ? undefined : termOf(compiler.parts, source.operand)
      if (on === undefined) return undefined
      const lower = fixedValue(compiler, source.lower, on.type)
      const upper = fixedValue(compiler, source.upper, on.type)
      if (lower === undefined || upper === undefined) return undefined
      const bounds = { lower: inclusive(lower), upper: inclusive(upper) }
      return { kind: 'range', term: on.term, source, exact: true, ...bounds }
    }
    case 'in':
      return source.negated ? undefined : ofIn(compiler, source)
    case 'like':
      return source.negated ? undefined : ofLike(compiler, source)
    case 'isNull': {
      const on = source.negated ? undefined : termOf(compiler.parts, source.operand)
      if (on === undefined) return undefined
      const values: readonly SqlValue[] = on.notNull ? [] : [null]
      return points(on.term, source, { several: false, values: () => values })
    }
    case 'logical':
      return source.operator === 'OR' ? ofRowsBehind(compiler, source) : undefined
    default:
      return undefined
  }
}

function ofComparison(
  compiler: ExpressionCompiler,
  source: BinaryExpression,
): KeyCondition | undefined {
  const rest = source.rest[0] as BinaryExpression['rest'][number]
  if (source.first.kind === 'row') return ofRows(compiler, source)
  const first = termOf(compiler.parts, source.first)
  const on = first ?? termOf(compiler.parts, rest.operand)
  if (on === undefined) return undefined
  const { term } = on
  const value = fixedValue(compiler, first ? rest.operand : source.first, on.type)
  if (value === undefined) return undefined
  const written = rest.operator as ComparisonOperator
  const operator = first ? written : MIRRORED[written]
  switch (operator) {
    case '=':
      return points(term, source, {
        several: false,
        value,
        values: (scope) => withoutNull([value.evaluate(scope)]),
      })
    case '<':
    case '<=': {
      const upper = { values: [value], inclusive: operator === '<=' }
      return { kind: 'range', term, source, exact: true, upper }
    }
    case '>':
    case '>=': {
      const lower = { values: [value], inclusive: operator === '>=' }
      return { kind: 'range', term, source, exact: true, lower }
    }
    case '<>':
      return undefined
  }
}

/** What stands for the operator when its sides change places. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** (a, b) > (:x, :y), either way round; of rows that are equal the parser has made their values. */
function ofRows(compiler: ExpressionCompiler, source: BinaryExpression): KeyCondition | undefined {
  const rest = source.rest[0] as BinaryExpression['rest'][number]
  const [left, right] = [valuesOf(source.first), valuesOf(rest.operand)]
  const first = rowTermsOf(compiler, left)
  const on = first ?? rowTermsOf(compiler, right)
  const values = on && fixedRow(compiler, first ? right : left, on)
  const written = rest.operator as ComparisonOperator
  const operator = first ? written : MIRRORED[written]
  if (on === undefined || values === undefined || !/^[<>]=?$/.test(operator)) return undefined
  const row = on.map(({ term }) => term)
  const bound = { values, inclusive: operator.endsWith('=') }
  return {
    ...{ kind: 'range', term: row[0] as KeyTerm, row, source, exact: true },
    ...(operator.startsWith('<') ? { upper: bound } : { lower: bound }),
  }
}

/**
 * a > :x OR (a = :x AND …), the rows behind one in an order of several directions: by its first column. Any choice of
 * which each part says so of `a` is one.
 */
function ofRowsBehind(
  compiler: ExpressionCompiler,
  source: LogicalExpression,
): KeyCondition | undefined {
  const [far, ...others] = source.operands
  if (far?.kind !== 'binary' || far.first.kind !== 'column') return undefined
  const [{ operator, operand } = { operator: '=' as const }] = far.rest
  if (operand === undefined || !/^[<>]=?$/.test(operator)) return undefined
  const same = `${expressionText(far.first)} = ${expressionText(operand)}`
  const isSame = (other: Expression) =>
    conjunctsOf(other).some((conjunct) => expressionText(conjunct) === same)
  if (!others.every(isSame)) return undefined
  const inclusive = operator.startsWith('<') ? ('<=' as const) : ('>=' as const)
  const rest = [{ ...(far.rest[0] as BinaryExpression['rest'][number]), operator: inclusive }]
  const bound = { ...far, rest }
  const condition = ofComparison(compiler, bound)
  return condition && { ...condition, source, bound, exact: false }
}

function ofRowIn(compiler: ExpressionCompiler, source: InExpression): KeyCondition | undefined {
  const on = rowTermsOf(compiler, valuesOf(source.operand))
  if (on === undefined || 'kind' in source.list) return undefined
  const rows: Array<readonly CompiledExpression[]> = []
  for (const item of source.list) {
    const values = fixedRow(compiler, valuesOf(item), on)
    if (values === undefined) return undefined
    rows.push(values)
  }
  const row = on.map(({ term }) => term)
  const tuples = (scope: Scope) => {
    const byIdentity = new Map<string, readonly SqlValue[]>()
    for (const values of rows) {
      scope.work.spend(NODE_UNITS * values.length)
      const tuple = values.map((value) => value.evaluate(scope))
      if (tuple.includes(null)) continue
      const identities = tuple.map((value, index) => {
        return String(paidIdentityOf((on[index] as TermMeant).type, value, scope.work))
      })
      byIdentity.set(JSON.stringify(identities), tuple)
    }
    return [...byIdentity.values()]
  }
  const several = rows.length > 1
  const valuesAt = (scope: Scope, at: number) => {
    const values = tuples(scope).map((tuple) => tuple[at] as SqlValue)
    return eachOnce((on[at] as TermMeant).type, values, scope)
  }
  const values = (scope: Scope) => valuesAt(scope, 0)
  const condition = points(row[0] as KeyTerm, source, { several, values })
  return { ...condition, row, tuples, valuesAt, exact: false }
}

function valuesOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'row' ? expression.values : []
}

/** What the values of a row are on, each another term; undefined where one of them is no term. */
function rowTermsOf(
  { parts }: ExpressionCompiler,
  values: readonly Expression[],
): readonly TermMeant[] | undefined {
  const meant = values.flatMap((value) => termOf(parts, value) ?? [])
  const isEach = new Set(meant.map(({ term }) => term)).size === values.length
  return isEach && values.length > 0 ? meant : undefined
}

function fixedRow(
  compiler: ExpressionCompiler,
  values: readonly Expression[],
  on: readonly TermMeant[],
): readonly CompiledExpression[] | undefined {
  if (values.length !== on.length) return undefined
  const fixed = on.flatMap(
    ({ type }, index) => fixedValue(compiler, values[index] as Expression, type) ?? [],
  )
  return fixed.length === on.length ? fixed : undefined
}

function ofIn(compiler: ExpressionCompiler, source: InExpression): KeyCondition | undefined {
  if (source.operand.kind === 'row') return ofRowIn(compiler, source)
  const on = termOf(compiler.parts, source.operand)
  if (on === undefined) return undefined
  const { term, type } = on
  if ('kind' in source.list) {
    const slot = addListSlot(compiler, source.list, type)
    const list = (scope: Scope): BoundList => {
      const bound = scope.parameters[slot]
      return bound?.kind === 'list' ? bound.list : NO_LIST
    }
    return points(term, source, {
      several: true,
      values: (scope) => list(scope).values,
      identities: (scope) => list(scope).identities,
    })
  }
  const items: CompiledExpression[] = []
  for (const item of source.list) {
    const value = fixedValue(compiler, item, type)
    if (value === undefined) return undefined
    items.push(value)
  }
  const values = (scope: Scope): readonly SqlValue[] => {
    scope.work.spend(NODE_UNITS * items.length)
    return eachOnce(type, withoutNull(items.map((item) => item.evaluate(scope))), scope)
  }
  return points(term, source, { several: items.length > 1, values })
}

/** Only a pattern known now can be told to ask for nothing but its prefix. */
function ofLike(compiler: ExpressionCompiler, source: LikeExpression): KeyCondition | undefined {
  const on = termOf(compiler.parts, source.operand)
  const pattern = on?.type === 'TEXT' ? fixedValue(compiler, source.pattern, 'TEXT') : undefined
  if (on === undefined || pattern === undefined) return undefined
  const known =
    source.pattern.kind === 'literal' && source.pattern.type === 'text'
      ? source.pattern.value
      : null
  if (known !== null && prefixOfPattern(known) === '') return undefined
  const text = (scope: Scope): string | null => {
    const value = pattern.evaluate(scope)
    return value === null ? null : prefixOfPattern(value as string)
  }
  const exact = known !== null && isPrefixPattern(known)
  return { kind: 'prefix', term: on.term, source, exact, text }
}

function eachOnce(
  type: SqlType,
  values: readonly SqlValue[],
  { work }: Scope,
): readonly SqlValue[] {
  if (values.length < 2) return values
  return [...new Map(values.map((value) => [paidIdentityOf(type, value, work), value])).values()]
}

const NO_LIST: BoundList = { values: [], identities: new Map(), hasNull: false }

function inclusive(value: CompiledExpression): KeyBound {
  return { values: [value], inclusive: true }
}
