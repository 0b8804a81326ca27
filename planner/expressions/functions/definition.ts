// SPDX-License-Identifier: Apache-2.0
import type { CallExpression, Expression } from '../../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import { limitExceeded } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import {
  type CompiledExpression,
  type ExpressionCompiler,
  type ExpressionType,
  nodeOf,
} from '../compiled-expression.ts'
import { compileAs, isNumber, isOpen, typeMismatch } from '../type-check.ts'
import type { WorkMeter } from '../work-meter.ts'

export type Call = {
  readonly compiler: ExpressionCompiler
  readonly call: CallExpression
  readonly wanted: ExpressionType | undefined
}
export type Definition = {
  readonly arguments: { readonly min: number; readonly max: number }
  readonly compile: (call: Call) => CompiledExpression
}
export type Definitions = Readonly<Record<string, Definition>>

export function taking(
  min: number,
  max: number,
  compile: (call: Call) => CompiledExpression,
): Definition {
  return { arguments: { min, max }, compile }
}

export function takingAny(compile: (call: Call) => CompiledExpression): Definition {
  return taking(1, Number.POSITIVE_INFINITY, compile)
}

export function argumentAt(call: CallExpression, index: number): Expression {
  return call.arguments[index] as Expression
}

/** The first argument with the type that it has, or this one where its place tells it. */
export function argumentOf(
  { compiler, call }: Call,
  whenOpen: ExpressionType,
  index = 0,
): CompiledExpression {
  const argument = argumentAt(call, index)
  return compiler.compile(argument, isOpen(argument) ? whenOpen : undefined)
}

export function compileNumber(call: Call): CompiledExpression {
  const argument = argumentOf(call, NUMBERS.has(call.wanted) ? (call.wanted as SqlType) : 'REAL')
  if (isNumber(argument.type) || argument.type === 'NULL') return argument
  const name = call.call.function
  throw typeMismatch(`${name} wants a number, not ${argument.type}.`, argument.position)
}

const NUMBERS: ReadonlySet<ExpressionType | undefined> = new Set<ExpressionType>([
  ...(['INTEGER', 'DECIMAL'] as const),
])

/** All arguments of these types. */
export function argumentsAs(
  { compiler, call }: Call,
  types: readonly SqlType[],
): readonly CompiledExpression[] {
  return call.arguments.map((argument, index) =>
    compileAs(compiler, argument, types[index] as SqlType),
  )
}

/** What `compute` makes of the values of all parts; NULL when one of them is. */
export function computed(
  call: CallExpression,
  parts: readonly CompiledExpression[],
  type: ExpressionType,
  compute: (values: readonly SqlValue[], work: WorkMeter) => SqlValue,
): CompiledExpression {
  return nodeOf(type, call.position, parts, (units) => (scope) => {
    scope.work.spend(units)
    const values: SqlValue[] = []
    for (const part of parts) {
      const value = part.evaluate(scope)
      if (value === null) return null
      values.push(value)
    }
    return compute(values, scope.work)
  })
}

export function derived(
  call: CallExpression,
  argument: CompiledExpression,
  type: ExpressionType,
  change: (value: SqlValue, work: WorkMeter) => SqlValue,
): CompiledExpression {
  return nodeOf(type, call.position, [argument], (units) => (scope) => {
    scope.work.spend(units)
    const value = argument.evaluate(scope)
    return value === null ? null : change(value, scope.work)
  })
}

/** A few characters of text can ask for a value of any length. */
export function requireLength(length: number, { function: name, position }: CallExpression): void {
  const max = PLANNER_LIMITS.concatenationBytesMax
  if (length <= max) return
  const message = `${name} makes values of at most ${max} bytes, and this is longer.`
  throw limitExceeded('concatenationBytesMax', length, message, { position })
}
