// SPDX-License-Identifier: Apache-2.0
import type {
  BinaryExpression,
  Expression,
  InExpression,
  LikeExpression,
} from '../../parser/ast.ts'
import { jsonMembers, kindAt, type SqlType, type SqlValue } from '../../storage/values/values.ts'
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
import type { BoundList } from '../expressions/parameters.ts'
import { converted, fits } from '../expressions/type-check.ts'
import { paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { partAt } from '../row-parts.ts'
import { columnOfTerm, type KeyTerm, membersOf, termOf } from './key-term.ts'

/**
 * A condition of a WHERE that compares one column, or a path into one, with what does not depend on the row: the only
 * kind that can bound a key. The values depend on parameters and are computed at execution.
 */
export type KeyCondition = {
  readonly term: KeyTerm
  /** The condition as it was parsed, for the filter and for EXPLAIN. */
  readonly source: Expression
  /** False when rows inside the bounds may still fail the condition, so that it filters as well. */
  readonly exact: boolean
} & (
  | {
      readonly kind: 'points'
      readonly several: boolean
      /** The expression of the one value, where it is one. */
      readonly value?: CompiledExpression
      /** Each value once. */
      values(scope: Scope): readonly SqlValue[]
      /** The identities of the same, where they are known already. */
      identities?(scope: Scope): Identities
    }
  | { readonly kind: 'range'; readonly lower?: KeyBound; readonly upper?: KeyBound }
  | { readonly kind: 'prefix'; text(scope: Scope): string | null }
)

type Identities = BoundList['identities']

export type KeyBound = { readonly value: CompiledExpression; readonly inclusive: boolean }

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
  return Map.groupBy(conditions, ({ term }) => term)
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
  const column = condition && columnOfTerm(condition.term)
  if (column !== undefined && partAt(compiler.parts, column).offset === 0) return condition
  compiler.slots.keepFirst(slotsBefore)
  return undefined
}

function conditionOf(compiler: ExpressionCompiler, source: Expression): KeyCondition | undefined {
  switch (source.kind) {
    case 'binary':
      return isComparison(source) ? ofComparison(compiler, source) : ofMember(compiler, source)
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
    default:
      return undefined
  }
}

function ofComparison(
  compiler: ExpressionCompiler,
  source: BinaryExpression,
): KeyCondition | undefined {
  const rest = source.rest[0] as BinaryExpression['rest'][number]
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
      const upper = { value, inclusive: operator === '<=' }
      return { kind: 'range', term, source, exact: true, upper }
    }
    case '>':
    case '>=': {
      const lower = { value, inclusive: operator === '>=' }
      return { kind: 'range', term, source, exact: true, lower }
    }
    case '<>':
      return undefined
  }
}

/** `tags ? 'x'`, and `tags @> '["x"]'` as far as its first member goes. */
function ofMember(
  compiler: ExpressionCompiler,
  source: BinaryExpression,
): KeyCondition | undefined {
  const { operator, operand } = source.rest.at(-1) as BinaryExpression['rest'][number]
  if (operator !== '?' && operator !== '@>') return undefined
  const on = membersOf(compiler.parts, source)
  if (on === undefined) return undefined
  if (operator === '@>') {
    const [member] = membersIn(operand)
    if (member === undefined) return undefined
    const values = [member]
    return { ...points(on.term, source, { several: false, values: () => values }), exact: false }
  }
  const text = fixedValue(compiler, operand, 'TEXT')
  if (text === undefined) return undefined
  const value = {
    ...text,
    evaluate(scope: Scope): SqlValue {
      const requested = text.evaluate(scope)
      return requested === null ? null : JSON.stringify(requested)
    },
  }
  const values = (scope: Scope) => withoutNull([value.evaluate(scope)])
  return points(on.term, source, { several: false, value, values })
}

/** The members of an array that is written down; none of what is no array or no JSON. */
function membersIn(operand: Expression): Iterable<string> {
  if (operand.kind !== 'literal' || operand.type !== 'text') return []
  const text = operand.value.trim()
  if (kindAt(text, 0) !== 'array') return []
  try {
    JSON.parse(text)
  } catch {
    return []
  }
  return jsonMembers(text, { spend: () => {} })
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

function ofIn(compiler: ExpressionCompiler, source: InExpression): KeyCondition | undefined {
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

function points(
  term: KeyTerm,
  source: Expression,
  of: Omit<Extract<KeyCondition, { kind: 'points' }>, 'kind' | 'term' | 'source' | 'exact'>,
): KeyCondition {
  return { kind: 'points', term, source, exact: true, ...of }
}

/** NULL equals nothing. */
function withoutNull(values: readonly SqlValue[]): readonly SqlValue[] {
  return values.filter((value) => value !== null)
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
  return { value, inclusive: true }
}

/** The expression as a value of the type, when it is the same for every row. */
function fixedValue(
  compiler: ExpressionCompiler,
  expression: Expression,
  type: SqlType,
): CompiledExpression | undefined {
  const value = compiler.compile(expression, type)
  return value.columns.size === 0 && fits(value.type, type) ? converted(value, type) : undefined
}
