// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../../../parser/ast.ts'
import { Decimal } from '../../../storage/values/values.ts'
import { checkedDecimal } from '../../json/decimal-text.ts'
import { checkedInteger } from '../../json/json-value.ts'
import { PlanError } from '../../plan-error.ts'
import { type CompiledExpression, nodeOf } from '../compiled-expression.ts'
import { roundedDecimal, signOfDecimal } from '../decimal-arithmetic.ts'
import { finite } from '../expression-arithmetic.ts'
import { compileAs } from '../type-check.ts'
import {
  argumentAt,
  type Call,
  compileNumber,
  type Definitions,
  derived,
  taking,
} from './definition.ts'

export const NUMBER_FUNCTIONS: Definitions = {
  abs: taking(1, 1, compileAbs),
  round: taking(1, 2, (call) => compileRound(call, 'nearest')),
  trunc: taking(1, 2, (call) => compileRound(call, 'truncate')),
  floor: taking(1, 1, (call) => compileWhole(call, 'floor')),
  ceil: taking(1, 1, (call) => compileWhole(call, 'ceil')),
  sign: taking(1, 1, compileSign),
  mod: taking(2, 2, compileMod),
}

function compileAbs(of: Call): CompiledExpression {
  const { call } = of
  const argument = compileNumber(of)
  return derived(call, argument, argument.type, (value) => {
    if (typeof value === 'number') return Math.abs(value)
    if (value instanceof Decimal)
      return value.units < 0n ? new Decimal(-value.units, value.scale) : value
    const integer = value as bigint
    return integer < 0n ? checkedInteger(-integer, { position: call.position }) : integer
  })
}

/** Decimals that `round` and `trunc` leave, at most. */
const DECIMALS_MAX: Readonly<Record<string, number>> = { REAL: 15, INTEGER: 15, DECIMAL: 38 }

/** To a number of decimals, or to a whole number: to the nearest (a half away from zero), or towards zero. */
function compileRound(of: Call, rounding: 'nearest' | 'truncate'): CompiledExpression {
  const { compiler, call } = of
  const argument = compileNumber(of)
  const decimals =
    call.arguments.length > 1 ? compileAs(compiler, argumentAt(call, 1), 'INTEGER') : undefined
  const parts = decimals === undefined ? [argument] : [argument, decimals]
  const max = DECIMALS_MAX[argument.type] ?? 15
  return nodeOf(argument.type, call.position, parts, (units) => (scope) => {
    scope.work.spend(units)
    const value = argument.evaluate(scope)
    const digits = decimals === undefined ? 0n : decimals.evaluate(scope)
    if (value === null || digits === null) return null
    if ((digits as bigint) < 0n || (digits as bigint) > max) {
      throw new PlanError('out_of_range', `${call.function} takes 0 to ${max} decimals.`, {
        position: call.position,
      })
    }
    if (value instanceof Decimal) {
      const rounded = roundedDecimal(value, Number(digits), rounding)
      return checkedDecimal(rounded, { position: call.position })
    }
    if (typeof value !== 'number') return value
    return rounding === 'nearest'
      ? roundReal(value, Number(digits), call)
      : truncatedReal(value, Number(digits), call)
  })
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

function truncatedReal(value: number, decimals: number, call: CallExpression): number {
  if (Math.abs(value) >= 2 ** 52) return value
  const whole = Math.trunc(Number(withExponent(Math.abs(value), decimals)))
  const size = Number(withExponent(whole, -decimals))
  return finite(value < 0 ? -size : size, call.position)
}

function withExponent(size: number, by: number): string {
  const [digits, exponent = '0'] = size.toString().split('e')
  return `${digits}e${Number(exponent) + by}`
}

/** An INTEGER is whole already. */
function compileWhole(of: Call, rounding: 'floor' | 'ceil'): CompiledExpression {
  const argument = compileNumber(of)
  return derived(of.call, argument, argument.type, (value) => {
    if (value instanceof Decimal) return roundedDecimal(value, 0, rounding)
    return typeof value === 'number' ? finite(Math[rounding](value), of.call.position) : value
  })
}

/** mod(a, b) is a % b. */
function compileMod({ compiler, call, wanted }: Call): CompiledExpression {
  const { position } = call
  const rest = { operator: '%', operand: argumentAt(call, 1), position } as const
  const first = argumentAt(call, 0)
  return compiler.compile({ kind: 'binary', first, rest: [rest], position }, wanted)
}

/** −1, 0 or 1, of the type of its argument. */
function compileSign(of: Call): CompiledExpression {
  const argument = compileNumber(of)
  return derived(of.call, argument, argument.type, (value) => {
    if (typeof value === 'number') return value === 0 ? 0 : Math.sign(value)
    if (value instanceof Decimal) return signOfDecimal(value)
    const integer = value as bigint
    return integer === 0n ? 0n : integer < 0n ? -1n : 1n
  })
}
