// SPDX-License-Identifier: Apache-2.0
import type { CaseExpression, CastExpression } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  nodeOf,
  type Scope,
} from './compiled-expression.ts'
import { conversionOf } from './functions/casts.ts'
import { compileAlike, compileAs, isOpen, perhapsDecimal } from './type-check.ts'
import { comparisonOf } from './value-work.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/**
 * The value of the first branch whose condition is TRUE, else that after ELSE, else NULL. Neither later conditions nor
 * other values are evaluated. It needs a row where any of its parts does.
 */
export function compileCase(
  compiler: ExpressionCompiler,
  expression: CaseExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const { branches, otherwise, position } = expression
  const { operand, conditions, isMet } = compileConditions(compiler, expression)
  const results = branches.map(({ result }) => result)
  const alike = compileAlike(
    compiler,
    otherwise === undefined ? results : [...results, otherwise],
    wanted,
  )
  return perhapsDecimal(alike, (type, parts) => {
    const last = parts[branches.length]
    const evaluate = (scope: Scope): SqlValue => {
      const { work } = scope
      work.spend(NODE_UNITS)
      const value = operand === undefined ? true : operand.evaluate(scope)
      for (const [index, condition] of conditions.entries()) {
        work.spend(NODE_UNITS)
        if (!isMet(value, condition.evaluate(scope), work)) continue
        return (parts[index] as CompiledExpression).evaluate(scope)
      }
      return last === undefined ? null : last.evaluate(scope)
    }
    const all = [...(operand === undefined ? [] : [operand]), ...conditions, ...parts]
    return { type, position, evaluate, ...dependenceOf(all) }
  })
}

type Conditions = {
  readonly operand?: CompiledExpression
  readonly conditions: readonly CompiledExpression[]
  readonly isMet: (operand: SqlValue, condition: SqlValue, work: WorkMeter) => boolean
}

/** With an operand, each condition is a value that it equals. */
function compileConditions(
  compiler: ExpressionCompiler,
  { operand, branches }: CaseExpression,
): Conditions {
  const whens = branches.map(({ when }) => when)
  if (operand === undefined) {
    const conditions = whens.map((when) => compileAs(compiler, when, 'BOOLEAN'))
    return { conditions, isMet: (_operand, condition) => condition === true }
  }
  const { type, parts } = compileAlike(compiler, [operand, ...whens])
  const [first, ...conditions] = parts as [CompiledExpression, ...CompiledExpression[]]
  const compare = comparisonOf(type as SqlType)
  return {
    operand: first,
    conditions,
    isMet: (value, other, work) =>
      value !== null && other !== null && compare(value, other, work) === 0,
  }
}

/** Each type is a cast of what the one before it made. What takes its type from its place takes the first of them. */
export function compileCast(
  compiler: ExpressionCompiler,
  { operand, types, position }: CastExpression,
): CompiledExpression {
  const first = types[0]?.text as SqlType
  const part = compiler.compile(operand, isOpen(operand) ? first : undefined)
  let type = part.type
  const conversions = types.map((next) => {
    const conversion = conversionOf(type, next)
    type = next.text as SqlType
    return conversion
  })
  return nodeOf(type, position, [part], (units) => (scope) => {
    scope.work.spend(units)
    let value = part.evaluate(scope)
    for (const convert of conversions) {
      if (value === null) return null
      value = convert(value, scope.work)
    }
    return value
  })
}
