// SPDX-License-Identifier: Apache-2.0
import type {
  BetweenExpression,
  BinaryExpression,
  BinaryOperator,
  InExpression,
  IsNullExpression,
} from '../parser/ast.ts'
import { compareValues, type SqlType, type SqlValue } from '../storage/storage.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  type Scope,
} from './compiled-expression.ts'
import { compileAlike, typeMismatch } from './type-check.ts'
import { identityOf } from './value-identity.ts'

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

export function isComparisonOperator(operator: BinaryOperator): operator is ComparisonOperator {
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
  const { type, parts } = compileAlike(compiler, [comparison.first, rest.operand])
  if (operator !== '=' && operator !== '<>') requireOrder(type, operator, rest.position)
  const [left, right] = parts as [CompiledExpression, CompiledExpression]
  const satisfies = SATISFIES[operator]
  const evaluate = (scope: Scope): SqlValue => {
    const a = left.evaluate(scope)
    if (a === null) return null
    const b = right.evaluate(scope)
    return b === null ? null : satisfies(compareValues(type as SqlType, a, b))
  }
  return { type: 'BOOLEAN', position: comparison.position, evaluate, ...dependenceOf(parts) }
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
  const atLeast = (a: SqlValue, b: SqlValue): boolean | null =>
    a === null || b === null ? null : compareValues(type as SqlType, a, b) >= 0
  const evaluate = (scope: Scope): SqlValue => {
    const value = operand.evaluate(scope)
    const aboveLower = atLeast(value, lower.evaluate(scope))
    const belowUpper = atLeast(upper.evaluate(scope), value)
    if (aboveLower === false || belowUpper === false) return between.negated
    return aboveLower === null || belowUpper === null ? null : !between.negated
  }
  return { type: 'BOOLEAN', position: between.position, evaluate, ...dependenceOf(parts) }
}

/** A value that is not found is unknown, rather than absent, when NULL is in the list. */
export function compileIn(
  compiler: ExpressionCompiler,
  membership: InExpression,
): CompiledExpression {
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
  const evaluate = (scope: Scope): SqlValue => {
    const value = operand.evaluate(scope)
    if (value === null) return null
    let unknown = false
    for (const item of items) {
      const member = item.evaluate(scope)
      if (member === null) unknown = true
      else if (compareValues(type as SqlType, value, member) === 0) return !membership.negated
    }
    return unknown ? null : membership.negated
  }
  return { type: 'BOOLEAN', position: membership.position, evaluate, ...dependenceOf(parts) }
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
  const { key, position } = membership.list as Exclude<InExpression['list'], readonly unknown[]>
  const slot = compiler.slots.add({ key, type, list: true, position })
  const evaluate = (scope: Scope): SqlValue => {
    const value = operand.evaluate(scope)
    const bound = scope.parameters[slot]
    if (bound?.kind !== 'list') return null
    const { identities, hasNull } = bound.list
    if (value === null) return identities.size === 0 && !hasNull ? membership.negated : null
    if (identities.has(identityOf(type, value))) return !membership.negated
    return hasNull ? null : membership.negated
  }
  return { ...operand, type: 'BOOLEAN', position: membership.position, evaluate }
}

export function compileIsNull(
  compiler: ExpressionCompiler,
  isNull: IsNullExpression,
): CompiledExpression {
  // Any JSON value can be asked whether it is NULL, so a parameter alone needs no other type.
  const wanted = isNull.operand.kind === 'parameter' ? 'JSON' : undefined
  const operand = compiler.compile(isNull.operand, wanted)
  const evaluate = (scope: Scope): SqlValue => (operand.evaluate(scope) === null) !== isNull.negated
  return { ...operand, type: 'BOOLEAN', position: isNull.position, evaluate }
}

function requireOrder(
  type: ExpressionType,
  operator: string,
  position: CompiledExpression['position'],
): void {
  if (type !== 'JSON') return
  throw typeMismatch(`JSON has no order, so ${operator} cannot compare it.`, position)
}
