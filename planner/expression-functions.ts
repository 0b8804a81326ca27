// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../parser/ast.ts'
import { compareValues, type SqlType, type SqlValue } from '../storage/storage.ts'
import {
  type CompiledExpression,
  columnsOf,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  NO_COLUMNS,
  type Scope,
} from './compiled-expression.ts'
import { finite } from './expression-arithmetic.ts'
import { checkedInteger } from './json-value.ts'
import { PlanError } from './plan-error.ts'
import { compileAlike, compileAs, isNumber, isOpen, typeMismatch } from './type-check.ts'
import { suggestion } from './unknown-name.ts'

type Call = {
  readonly compiler: ExpressionCompiler
  readonly call: CallExpression
  readonly wanted: ExpressionType | undefined
}
type Definition = {
  readonly arguments: { readonly min: number; readonly max: number }
  readonly compile: (call: Call) => CompiledExpression
}

const ANY_NUMBER = { min: 1, max: Number.POSITIVE_INFINITY }

/** Every function of the dialect. */
const FUNCTIONS: Readonly<Record<string, Definition>> = {
  now: { arguments: { min: 0, max: 0 }, compile: (call) => world(call, 'TIMESTAMP', now) },
  uuid: { arguments: { min: 0, max: 0 }, compile: (call) => world(call, 'TEXT', uuid) },
  coalesce: { arguments: ANY_NUMBER, compile: compileCoalesce },
  length: { arguments: { min: 1, max: 1 }, compile: compileLength },
  lower: { arguments: { min: 1, max: 1 }, compile: (call) => compileText(call, lowerCase) },
  upper: { arguments: { min: 1, max: 1 }, compile: (call) => compileText(call, upperCase) },
  abs: { arguments: { min: 1, max: 1 }, compile: compileAbs },
  round: { arguments: { min: 1, max: 2 }, compile: compileRound },
  least: { arguments: ANY_NUMBER, compile: (call) => compileExtreme(call, -1) },
  greatest: { arguments: ANY_NUMBER, compile: (call) => compileExtreme(call, 1) },
}

export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS)

/** Throws PlanError invalid_request for an unknown function or a wrong number of arguments. */
export function compileCall(
  compiler: ExpressionCompiler,
  call: CallExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const { function: name, position } = call
  const definition = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  if (definition === undefined) {
    const details = suggestion(name, FUNCTION_NAMES, { function: name })
    throw new PlanError('invalid_request', `There is no function ${name}.`, {
      position,
      ...details,
    })
  }
  const { min, max } = definition.arguments
  const count = call.arguments.length
  if (count >= min && count <= max) return definition.compile({ compiler, call, wanted })
  const expected = min === max ? `${min}` : max === 2 ? `${min} or ${max}` : `at least ${min}`
  const noun = max === 1 || (min === 1 && max > 2) ? 'argument' : 'arguments'
  throw new PlanError('invalid_request', `${name} takes ${expected} ${noun}, not ${count}.`, {
    position,
    fields: { function: name },
  })
}

const now = (scope: Scope): SqlValue => scope.functions.now
const uuid = (scope: Scope): SqlValue => scope.functions.uuid()
const lowerCase = (text: string): string => text.toLowerCase()
const upperCase = (text: string): string => text.toUpperCase()

function world(
  { call }: Call,
  type: SqlType,
  evaluate: (scope: Scope) => SqlValue,
): CompiledExpression {
  return { type, position: call.position, evaluate, columns: NO_COLUMNS, needsRow: false }
}

/**
 * The first argument that is not NULL; those after it are not evaluated. It needs a row only when
 * every argument does: an argument that does without is what to take when there is none.
 */
function compileCoalesce({ compiler, call, wanted }: Call): CompiledExpression {
  const { type, parts } = compileAlike(compiler, call.arguments, wanted)
  const evaluate = (scope: Scope): SqlValue => {
    for (const part of parts) {
      const value = part.evaluate(scope)
      if (value !== null) return value
    }
    return null
  }
  const columns = columnsOf(parts)
  const needsRow = parts.every((part) => part.needsRow)
  return { type, position: call.position, evaluate, columns, needsRow }
}

/** The smallest or the largest of the arguments; NULL when one of them is. */
function compileExtreme({ compiler, call, wanted }: Call, sign: -1 | 1): CompiledExpression {
  const { type, parts } = compileAlike(compiler, call.arguments, wanted)
  if (type === 'JSON') {
    throw typeMismatch(`JSON has no order, so there is no ${call.function} of it.`, call.position)
  }
  const evaluate = (scope: Scope): SqlValue => {
    let best: SqlValue = null
    for (const part of parts) {
      const value = part.evaluate(scope)
      if (value === null) return null
      if (best === null || compareValues(type as SqlType, value, best) * sign > 0) best = value
    }
    return best
  }
  return { type, position: call.position, evaluate, ...dependenceOf(parts) }
}

/** Code points of a TEXT, bytes of BYTES. */
function compileLength({ compiler, call }: Call): CompiledExpression {
  const argument = argumentOf(compiler, call, 'TEXT')
  if (argument.type !== 'TEXT' && argument.type !== 'BYTES' && argument.type !== 'NULL') {
    throw typeMismatch(`length wants TEXT or BYTES, not ${argument.type}.`, argument.position)
  }
  return derived(call, argument, 'INTEGER', (value) =>
    BigInt(typeof value === 'string' ? codePoints(value) : (value as Uint8Array).length),
  )
}

function codePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    // The second half of a pair adds nothing.
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) count += 1
  }
  return count
}

function compileText(
  { compiler, call }: Call,
  change: (text: string) => string,
): CompiledExpression {
  const argument = compileAs(compiler, argumentAt(call, 0), 'TEXT')
  return derived(call, argument, 'TEXT', (value) => change(value as string))
}

function compileAbs({ compiler, call, wanted }: Call): CompiledExpression {
  const argument = compileNumber(compiler, call, wanted)
  return derived(call, argument, argument.type, (value) => {
    if (typeof value === 'number') return Math.abs(value)
    const integer = value as bigint
    return integer < 0n ? checkedInteger(-integer, { position: call.position }) : integer
  })
}

/** To the nearest whole number, or to so many decimals (0 to 15); a half goes away from zero. */
function compileRound({ compiler, call, wanted }: Call): CompiledExpression {
  const argument = compileNumber(compiler, call, wanted)
  const decimals =
    call.arguments.length > 1 ? compileAs(compiler, argumentAt(call, 1), 'INTEGER') : undefined
  const evaluate = (scope: Scope): SqlValue => {
    const value = argument.evaluate(scope)
    const digits = decimals === undefined ? 0n : decimals.evaluate(scope)
    if (value === null || digits === null) return null
    if ((digits as bigint) < 0n || (digits as bigint) > 15n) {
      throw new PlanError('out_of_range', 'round takes 0 to 15 decimals.', {
        position: call.position,
      })
    }
    return typeof value === 'number' ? roundReal(value, Number(digits), call) : value
  }
  const parts = decimals === undefined ? [argument] : [argument, decimals]
  return { type: argument.type, position: call.position, evaluate, ...dependenceOf(parts) }
}

function roundReal(value: number, decimals: number, call: CallExpression): number {
  const size = Math.abs(value)
  // From here on a REAL has no decimals, and its text has an exponent of its own.
  if (size >= 2 ** 52) return value
  // The exponent is moved in the decimal text: 1.005 × 100 in binary is 100.49999999999999.
  const shifted = Math.round(Number(withExponent(size, decimals)))
  const rounded = Number(withExponent(shifted, -decimals))
  return finite(value < 0 ? -rounded : rounded, call.position)
}

function withExponent(size: number, by: number): string {
  const [digits, exponent = '0'] = size.toString().split('e')
  return `${digits}e${Number(exponent) + by}`
}

function compileNumber(
  compiler: ExpressionCompiler,
  call: CallExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const argument = argumentOf(compiler, call, wanted === 'INTEGER' ? 'INTEGER' : 'REAL')
  if (isNumber(argument.type) || argument.type === 'NULL') return argument
  throw typeMismatch(`${call.function} wants a number, not ${argument.type}.`, argument.position)
}

function argumentOf(
  compiler: ExpressionCompiler,
  call: CallExpression,
  whenOpen: ExpressionType,
): CompiledExpression {
  const argument = argumentAt(call, 0)
  return compiler.compile(argument, isOpen(argument) ? whenOpen : undefined)
}

function argumentAt(call: CallExpression, index: number): CallExpression['arguments'][number] {
  return call.arguments[index] as CallExpression['arguments'][number]
}

function derived(
  call: CallExpression,
  argument: CompiledExpression,
  type: ExpressionType,
  change: (value: SqlValue) => SqlValue,
): CompiledExpression {
  const evaluate = (scope: Scope): SqlValue => {
    const value = argument.evaluate(scope)
    return value === null ? null : change(value)
  }
  return { ...argument, type, position: call.position, evaluate }
}
