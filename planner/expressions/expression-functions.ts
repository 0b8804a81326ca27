// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/storage.ts'
import { checkedInteger } from '../json/json-value.ts'
import { PlanError } from '../plan-error.ts'
import { suggestion } from '../unknown-name.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  NO_COLUMNS,
  type Scope,
  unitsOf,
} from './compiled-expression.ts'
import { finite } from './expression-arithmetic.ts'
import { changedCase, codePoints } from './text-work.ts'
import { compileAlike, compileAs, isNumber, isOpen, typeMismatch } from './type-check.ts'
import { comparisonOf } from './value-work.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

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
  now: { arguments: { min: 0, max: 0 }, compile: compileNow },
  uuid: { arguments: { min: 0, max: 0 }, compile: compileUuid },
  coalesce: { arguments: ANY_NUMBER, compile: compileCoalesce },
  length: { arguments: { min: 1, max: 1 }, compile: compileLength },
  lower: { arguments: { min: 1, max: 1 }, compile: (call) => compileCase(call, 'lower') },
  upper: { arguments: { min: 1, max: 1 }, compile: (call) => compileCase(call, 'upper') },
  abs: { arguments: { min: 1, max: 1 }, compile: compileAbs },
  round: { arguments: { min: 1, max: 2 }, compile: compileRound },
  least: { arguments: ANY_NUMBER, compile: (call) => compileExtreme(call, -1) },
  greatest: { arguments: ANY_NUMBER, compile: (call) => compileExtreme(call, 1) },
}

const AGGREGATES = 'COUNT, SUM, MIN, MAX and AVG'

/** In lower case, without aggregates. */
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
    const { hint, fields } = suggestion(name, FUNCTION_NAMES, { function: name })
    const known = `There are ${FUNCTION_NAMES.join(', ')}, and of groups ${AGGREGATES}.`
    throw new PlanError('invalid_request', `There is no function ${name}.`, {
      position,
      hint: hint === undefined ? known : `${hint} ${known}`,
      fields,
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

function compileNow({ call: { position } }: Call): CompiledExpression {
  const evaluate = ({ functions }: Scope): SqlValue => functions.now
  return { type: 'TIMESTAMP', position, evaluate, ...OF_NOTHING, isConstant: true }
}

/** Another one at each call, also within a row. */
function compileUuid({ call: { position } }: Call): CompiledExpression {
  const evaluate = ({ functions }: Scope): SqlValue => functions.uuid()
  return { type: 'TEXT', position, evaluate, ...OF_NOTHING, isConstant: false }
}

const OF_NOTHING = { columns: NO_COLUMNS, isLeaf: true, needsRow: false } as const

/**
 * The first argument that is not NULL; those after it are not evaluated. It needs a row only when
 * every argument does: an argument that does without is what to take when there is none.
 */
function compileCoalesce({ compiler, call, wanted }: Call): CompiledExpression {
  const { type, parts } = compileAlike(compiler, call.arguments, wanted)
  const evaluate = (scope: Scope): SqlValue => {
    for (const part of parts) {
      scope.work.spend(NODE_UNITS)
      const value = part.evaluate(scope)
      if (value !== null) return value
    }
    return null
  }
  const needsRow = parts.every((part) => part.needsRow)
  return { type, position: call.position, evaluate, ...dependenceOf(parts), needsRow }
}

/** The smallest or the largest of the arguments; NULL when one of them is. */
function compileExtreme({ compiler, call, wanted }: Call, sign: -1 | 1): CompiledExpression {
  const { type, parts } = compileAlike(compiler, call.arguments, wanted)
  if (type === 'JSON') {
    throw typeMismatch(`JSON has no order, so there is no ${call.function} of it.`, call.position)
  }
  const compare = comparisonOf(type as SqlType)
  const evaluate = (scope: Scope): SqlValue => {
    const { work } = scope
    let best: SqlValue = null
    for (const part of parts) {
      work.spend(NODE_UNITS)
      const value = part.evaluate(scope)
      if (value === null) return null
      if (best === null || compare(value, best, work) * sign > 0) best = value
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
  return derived(call, argument, 'INTEGER', (value, work) =>
    BigInt(typeof value === 'string' ? codePoints(value, work) : (value as Uint8Array).length),
  )
}

function compileCase({ compiler, call }: Call, to: 'lower' | 'upper'): CompiledExpression {
  const argument = compileAs(compiler, argumentAt(call, 0), 'TEXT')
  return derived(call, argument, 'TEXT', (value, work) => changedCase(value as string, to, work))
}

function compileAbs({ compiler, call, wanted }: Call): CompiledExpression {
  const argument = compileNumber(compiler, call, wanted)
  return derived(call, argument, argument.type, (value) => {
    if (typeof value === 'number') return Math.abs(value)
    const integer = value as bigint
    return integer < 0n ? checkedInteger(-integer, { position: call.position }) : integer
  })
}

/** To the nearest whole number, or to a number of decimals (0 to 15); a half goes away from zero. */
function compileRound({ compiler, call, wanted }: Call): CompiledExpression {
  const argument = compileNumber(compiler, call, wanted)
  const decimals =
    call.arguments.length > 1 ? compileAs(compiler, argumentAt(call, 1), 'INTEGER') : undefined
  const parts = decimals === undefined ? [argument] : [argument, decimals]
  const units = unitsOf(parts)
  const evaluate = (scope: Scope): SqlValue => {
    scope.work.spend(units)
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
  change: (value: SqlValue, work: WorkMeter) => SqlValue,
): CompiledExpression {
  const units = unitsOf([argument])
  const evaluate = (scope: Scope): SqlValue => {
    scope.work.spend(units)
    const value = argument.evaluate(scope)
    return value === null ? null : change(value, scope.work)
  }
  return { type, position: call.position, evaluate, ...dependenceOf([argument]) }
}
