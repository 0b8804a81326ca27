// SPDX-License-Identifier: Apache-2.0
import type {
  BetweenExpression,
  BinaryExpression,
  BinaryOperator,
  InExpression,
  IsNullExpression,
  ParameterExpression,
} from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  nodeOf,
  type Scope,
  unitsOf,
} from './compiled-expression.ts'
import { parameterText } from './parameters.ts'
import { compileRowComparison, compileRowIn, isAmongRows } from './row-values.ts'
import { compileAlike, typeMismatch } from './type-check.ts'
import { comparisonOf, paidIdentityOf } from './value-work.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/** Comparisons and membership. Each answers NULL where NULL leaves the truth unknown. */

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** Whether an order (negative, zero, positive) satisfies the operator. */
const SATISFIES: Readonly<Record<ComparisonOperator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function isComparisonOperator(operator: BinaryOperator): operator is ComparisonOperator {
  return Object.hasOwn(SATISFIES, operator)
}

/** The parser never chains a comparison with another one. */
export function isComparison(expression: BinaryExpression): boolean {
  return expression.rest.some((part) => isComparisonOperator(part.operator))
}

export function compileComparison(
  compiler: ExpressionCompiler,
  comparison: BinaryExpression,
): CompiledExpression {
  const rest = comparison.rest[0] as BinaryExpression['rest'][number]
  const operator = rest.operator as ComparisonOperator
  if (comparison.first.kind === 'row' || rest.operand.kind === 'row') {
    return compileRowComparison(compiler, comparison, SATISFIES[operator])
  }
  const { type, parts } = compileAlike(compiler, [comparison.first, rest.operand])
  if (operator !== '=' && operator !== '<>') requireOrder(type, operator, rest.position)
  const [left, right] = parts as [CompiledExpression, CompiledExpression]
  const satisfies = SATISFIES[operator]
  const compare = comparisonOf(type as SqlType)
  return nodeOf('BOOLEAN', comparison.position, parts, (units) => (scope) => {
    scope.work.spend(units)
    const a = left.evaluate(scope)
    if (a === null) return null
    const b = right.evaluate(scope)
    return b === null ? null : satisfies(compare(a, b, scope.work))
  })
}

export function compileBetween(
  compiler: ExpressionCompiler,
  between: BetweenExpression,
): CompiledExpression {
  const operands = [between.operand, between.lower, between.upper]
  const { type, parts } = compileAlike(compiler, operands)
  requireOrder(type, 'BETWEEN', between.position)
  const [operand, lower, upper] = parts as [
    CompiledExpression,
    CompiledExpression,
    CompiledExpression,
  ]
  const compare = comparisonOf(type as SqlType)
  const atLeast = (a: SqlValue, b: SqlValue, work: WorkMeter): boolean | null =>
    a === null || b === null ? null : compare(a, b, work) >= 0
  return nodeOf('BOOLEAN', between.position, parts, (units) => (scope) => {
    const { work } = scope
    work.spend(units)
    const value = operand.evaluate(scope)
    const aboveLower = atLeast(value, lower.evaluate(scope), work)
    const belowUpper = atLeast(upper.evaluate(scope), value, work)
    if (aboveLower === false || belowUpper === false) return between.negated
    return aboveLower === null || belowUpper === null ? null : !between.negated
  })
}

/** A value that is not found is unknown, rather than absent, when NULL is in the list. */
export function compileIn(
  compiler: ExpressionCompiler,
  membership: InExpression,
): CompiledExpression {
  if (isAmongRows(membership)) return compileRowIn(compiler, membership)
  return Array.isArray(membership.list)
    ? compileInList(compiler, membership, membership.list)
    : compileInParameter(compiler, membership)
}

function compileInList(
  compiler: ExpressionCompiler,
  membership: InExpression,
  list: Extract<InExpression['list'], readonly unknown[]>,
): CompiledExpression {
  const { type, parts } = compileAlike(compiler, [membership.operand, ...list])
  const [operand, ...items] = parts as [CompiledExpression, ...CompiledExpression[]]
  const { negated } = membership
  const isAmong = items.every(({ isLeaf, isConstant }) => isLeaf && isConstant)
    ? searchInSet(compiler, type as SqlType, items)
    : searchInTurn(type as SqlType, items)
  const units = unitsOf([operand])
  const evaluate = (scope: Scope): SqlValue => {
    scope.work.spend(units)
    const value = operand.evaluate(scope)
    if (value === null) return null
    const found = isAmong(value, scope)
    return found === null ? null : found !== negated
  }
  return { type: 'BOOLEAN', position: membership.position, evaluate, ...dependenceOf(parts) }
}

/** Whether a value is one of a list; null when it is not, and NULL is. */
type Search = (value: SqlValue, scope: Scope) => boolean | null

/** What cannot fail is computed whether or not an earlier item is the value. */
function searchInSet(
  { slots }: ExpressionCompiler,
  type: SqlType,
  items: readonly CompiledExpression[],
): Search {
  const slot = slots.addConstant()
  return (value, scope) => {
    const members = scope.constants.set(slot, () => {
      const { work } = scope
      work.spend(NODE_UNITS * items.length)
      return new Set(items.map((item) => paidIdentityOf(type, item.evaluate(scope), work)))
    })
    if (members.has(paidIdentityOf(type, value, scope.work))) return true
    return members.has(null) ? null : false
  }
}

function searchInTurn(type: SqlType, items: readonly CompiledExpression[]): Search {
  const compare = comparisonOf(type)
  return (value, scope) => {
    let unknown = false
    for (const item of items) {
      scope.work.spend(NODE_UNITS)
      const member = item.evaluate(scope)
      if (member === null) unknown = true
      else if (compare(value, member, scope.work) === 0) return true
    }
    return unknown ? null : false
  }
}

function compileInParameter(
  compiler: ExpressionCompiler,
  membership: InExpression,
): CompiledExpression {
  const operand = compiler.compile(membership.operand, undefined)
  if (operand.type === 'NULL') {
    throw typeMismatch('NULL IN a list has no type.', membership.position)
  }
  const type = operand.type
  const slot = addListSlot(compiler, membership.list as ParameterExpression, type)
  return nodeOf('BOOLEAN', membership.position, [operand], (units) => (scope) => {
    scope.work.spend(units)
    const value = operand.evaluate(scope)
    const bound = scope.parameters[slot]
    if (bound?.kind !== 'list') return null
    const { identities, hasNull } = bound.list
    if (value === null) return identities.size === 0 && !hasNull ? membership.negated : null
    if (identities.has(paidIdentityOf(type, value, scope.work))) return !membership.negated
    return hasNull ? null : membership.negated
  })
}

/** The slot of `IN :list`. Throws PlanError for what an earlier statement has read, which is one value. */
export function addListSlot(
  { slots }: ExpressionCompiler,
  { key, position, readType }: ParameterExpression,
  type: SqlType,
): number {
  if (readType === undefined) return slots.add({ key, type, list: true, position })
  const shown = parameterText(key)
  throw new PlanError('type_mismatch', `IN ${shown} wants a list, and ${shown} is one value.`, {
    position,
    hint: `Write IN (${shown}).`,
    fields: { parameter: key },
  })
}

export function compileIsNull(
  compiler: ExpressionCompiler,
  isNull: IsNullExpression,
): CompiledExpression {
  // Any JSON value can be asked whether it is NULL, so a parameter alone needs no other type.
  const wanted = isNull.operand.kind === 'parameter' ? 'JSON' : undefined
  const operand = compiler.compile(isNull.operand, wanted)
  return nodeOf('BOOLEAN', isNull.position, [operand], (units) => (scope) => {
    scope.work.spend(units)
    return (operand.evaluate(scope) === null) !== isNull.negated
  })
}

function requireOrder(
  type: ExpressionType,
  operator: string,
  position: CompiledExpression['position'],
): void {
  if (type !== 'JSON') return
  throw typeMismatch(`JSON has no order, so ${operator} cannot compare it.`, position)
}
