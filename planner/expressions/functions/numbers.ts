// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../../../parser/ast.ts'
import { checkedInteger } from '../../json/json-value.ts'
import { PlanError } from '../../plan-error.ts'
import { type CompiledExpression, nodeOf } from '../compiled-expression.ts'
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
  round: taking(1, 2, compileRound),
  floor: taking(1, 1, (call) => compileWhole(call, Math.floor)),
  ceil: taking(1, 1, (call) => compileWhole(call, Math.ceil)),
  sign: taking(1, 1, compileSign),
}

function compileAbs(of: Call): CompiledExpression {
  const { call } = of
  const argument = compileNumber(of)
  return derived(call, argument, argument.type, (value) => {
    if (typeof value === 'number') return Math.abs(value)
    const integer = value as bigint
    return integer < 0n ? checkedInteger(-integer, { position: call.position }) : integer
  })
}

/** To the nearest whole number, or to a number of decimals (0 to 15); a half goes away from zero. */
function compileRound(of: Call): CompiledExpression {
  const { compiler, call } = of
  const argument = compileNumber(of)
  const decimals =
    call.arguments.length > 1 ? compileAs(compiler, argumentAt(call, 1), 'INTEGER') : undefined
  const parts = decimals === undefined ? [argument] : [argument, decimals]
  return nodeOf(argument.type, call.position, parts, (units) => (scope) => {
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

function withExponent(size: number, by: number): string {
  const [digits, exponent = '0'] = size.toString().split('e')
  return `${digits}e${Number(exponent) + by}`
}

/** An INTEGER is whole already. */
function compileWhole(of: Call, whole: (value: number) => number): CompiledExpression {
  const argument = compileNumber(of)
  return derived(of.call, argument, argument.type, (value) =>
    typeof value === 'number' ? finite(whole(value), of.call.position) : value,
  )
}

/** −1, 0 or 1, of the type of its argument. */
function compileSign(of: Call): CompiledExpression {
  const argument = compileNumber(of)
  return derived(of.call, argument, argument.type, (value) => {
    if (typeof value === 'number') return value === 0 ? 0 : Math.sign(value)
    const integer = value as bigint
    return integer === 0n ? 0n : integer < 0n ? -1n : 1n
  })
}
