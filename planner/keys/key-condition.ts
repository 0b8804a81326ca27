// SPDX-License-Identifier: Apache-2.0
import type {
  BinaryExpression,
  ColumnExpression,
  Expression,
  InExpression,
  LikeExpression,
} from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/storage.ts'
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
import { isPrefixPattern, prefixOfPattern } from '../expressions/expression-like.ts'
import { expressionText } from '../expressions/expression-text.ts'
import type { BoundList } from '../expressions/parameters.ts'
import { converted, fits } from '../expressions/type-check.ts'
import { paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { columnAt, partAt, requireColumnOf } from '../row-parts.ts'

/**
 * A condition of a WHERE that compares one column with what does not depend on the row: the only
 * kind that can bound a key. The values depend on parameters and are computed at execution.
 */
export type KeyCondition = {
  /** The position of the column among the table's. */
  readonly column: number
  /** The condition as it was parsed, for the filter and for EXPLAIN. */
  readonly source: Expression
  /** False when rows inside the bounds may still fail the condition, so that it filters as well. */
  readonly exact: boolean
} & (
  | {
      readonly kind: 'points'
      readonly several: boolean
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

/** Conditions by the column that they are on. */
export type ConditionsByColumn = ReadonlyMap<number, readonly KeyCondition[]>

export function byColumn(conditions: readonly KeyCondition[]): ConditionsByColumn {
  return Map.groupBy(conditions, ({ column }) => column)
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
  if (condition !== undefined && partAt(compiler.parts, condition.column).offset === 0) {
    return condition
  }
  compiler.slots.keepFirst(slotsBefore)
  return undefined
}

function conditionOf(compiler: ExpressionCompiler, source: Expression): KeyCondition | undefined {
  switch (source.kind) {
    case 'binary':
      return isComparison(source) ? ofComparison(compiler, source) : undefined
    case 'between': {
      if (source.negated || source.operand.kind !== 'column') return undefined
      const column = columnOf(compiler, source.operand)
      const lower = fixedValue(compiler, source.lower, column.type)
      const upper = fixedValue(compiler, source.upper, column.type)
      if (lower === undefined || upper === undefined) return undefined
      const bounds = { lower: inclusive(lower), upper: inclusive(upper) }
      return { kind: 'range', column: column.index, source, exact: true, ...bounds }
    }
    case 'in':
      return source.negated ? undefined : ofIn(compiler, source)
    case 'like':
      return source.negated ? undefined : ofLike(compiler, source)
    case 'isNull': {
      if (source.negated || source.operand.kind !== 'column') return undefined
      const column = columnOf(compiler, source.operand)
      const values: readonly SqlValue[] = column.notNull ? [] : [null]
      return points(column.index, source, { several: false, values: () => values })
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
  const columnFirst = source.first.kind === 'column'
  const columnSide = columnFirst ? source.first : rest.operand
  if (columnSide.kind !== 'column') return undefined
  const column = columnOf(compiler, columnSide)
  const value = fixedValue(compiler, columnFirst ? rest.operand : source.first, column.type)
  if (value === undefined) return undefined
  const written = rest.operator as ComparisonOperator
  const operator = columnFirst ? written : MIRRORED[written]
  switch (operator) {
    case '=':
      return points(column.index, source, {
        several: false,
        values: (scope) => withoutNull([value.evaluate(scope)]),
      })
    case '<':
    case '<=': {
      const upper = { value, inclusive: operator === '<=' }
      return { kind: 'range', column: column.index, source, exact: true, upper }
    }
    case '>':
    case '>=': {
      const lower = { value, inclusive: operator === '>=' }
      return { kind: 'range', column: column.index, source, exact: true, lower }
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

function ofIn(compiler: ExpressionCompiler, source: InExpression): KeyCondition | undefined {
  if (source.operand.kind !== 'column') return undefined
  const column = columnOf(compiler, source.operand)
  if ('kind' in source.list) {
    const slot = addListSlot(compiler, source.list, column.type)
    const list = (scope: Scope): BoundList => {
      const bound = scope.parameters[slot]
      return bound?.kind === 'list' ? bound.list : NO_LIST
    }
    return points(column.index, source, {
      several: true,
      values: (scope) => list(scope).values,
      identities: (scope) => list(scope).identities,
    })
  }
  const items: CompiledExpression[] = []
  for (const item of source.list) {
    const value = fixedValue(compiler, item, column.type)
    if (value === undefined) return undefined
    items.push(value)
  }
  const values = (scope: Scope): readonly SqlValue[] => {
    scope.work.spend(NODE_UNITS * items.length)
    return eachOnce(column.type, withoutNull(items.map((item) => item.evaluate(scope))), scope)
  }
  return points(column.index, source, { several: items.length > 1, values })
}

/** Only a pattern known now can be told to ask for nothing but its prefix. */
function ofLike(compiler: ExpressionCompiler, source: LikeExpression): KeyCondition | undefined {
  if (source.operand.kind !== 'column') return undefined
  const column = columnOf(compiler, source.operand)
  const pattern = column.type === 'TEXT' ? fixedValue(compiler, source.pattern, 'TEXT') : undefined
  if (pattern === undefined) return undefined
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
  return { kind: 'prefix', column: column.index, source, exact, text }
}

function points(
  column: number,
  source: Expression,
  of: {
    readonly several: boolean
    values(scope: Scope): readonly SqlValue[]
    identities?(scope: Scope): Identities
  },
): KeyCondition {
  return { kind: 'points', column, source, exact: true, ...of }
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

function columnOf(
  { parts }: ExpressionCompiler,
  column: ColumnExpression,
): { readonly index: number; readonly type: SqlType; readonly notNull: boolean } {
  const index = requireColumnOf(parts, column)
  const { type, notNull } = columnAt(parts, index)
  return { index, type, notNull }
}

/** The expression as a value of the column's type, when it is the same for every row. */
function fixedValue(
  compiler: ExpressionCompiler,
  expression: Expression,
  type: SqlType,
): CompiledExpression | undefined {
  const value = compiler.compile(expression, type)
  return value.columns.size === 0 && fits(value.type, type) ? converted(value, type) : undefined
}
