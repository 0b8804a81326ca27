// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type { CastExpression, Expression, LiteralExpression, TypeName } from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { only, positionOfToken } from './cst-position.ts'
import { unquoted } from './literal.ts'
import { lostType, SIMILAR_TYPES, TYPE_NAMES } from './type-names.ts'

/** Throws `ParseError` for an unknown type. */
export function buildType({ children }: cst.TypeNameCstNode): TypeName {
  const token = only(children.Name)
  const position = positionOfToken(token)
  const text = token.image.toUpperCase()
  if (TYPE_NAMES.includes(text)) return { text, position }
  const similar = SIMILAR_TYPES.get(text)
  throw syntaxError(`there is no type ${shownToken(token.image)}`, position, {
    token: shownToken(token.image),
    expected: TYPE_NAMES,
    hint: similar === undefined ? lostType(text) : `${text} is written ${similar}`,
  })
}

/** `a::INTEGER::TEXT`: all of the types are one node. */
export function buildCasts(
  operand: Expression,
  casts: readonly cst.CastTailCstNode[] | undefined,
): Expression {
  if (casts === undefined) return operand
  const types = casts.map(({ children }) => buildType(only(children.typeName)))
  return { kind: 'cast', operand, types, position: operand.position }
}

/** `CAST(a AS INTEGER)`; throws `ParseError` for anything but one expression and its type. */
export function buildCast(
  token: IToken,
  operands: readonly Expression[],
  castType: readonly cst.CastTypeCstNode[] | undefined,
): CastExpression {
  const position = positionOfToken(token)
  const [operand, second] = operands
  if (castType === undefined || operand === undefined || second !== undefined) {
    throw syntaxError('CAST takes one expression and its type', position, {
      token: shownToken(token.image),
      hint: 'a cast is written CAST(a AS TEXT), or a::TEXT',
    })
  }
  const type = buildType(only(only(castType).children.typeName))
  return { kind: 'cast', operand, types: [type], position }
}

const MICROS: ReadonlyMap<string, bigint> = new Map(
  (
    [
      ['microsecond', 1n],
      ['millisecond', 1_000n],
      ['second', 1_000_000n],
      ['minute', 60_000_000n],
      ['hour', 3_600_000_000n],
      ['day', 86_400_000_000n],
      ['week', 604_800_000_000n],
    ] as const
  ).flatMap(([unit, micros]) => [
    [unit, micros],
    [`${unit}s`, micros],
  ]),
)
const CALENDAR_UNIT = /^(?:month|quarter|year|decade|century)s?$/
const DIGITS_MAX = 18

/** `INTERVAL '1 day 2 hours'`: an INTEGER of microseconds, written in words. Throws `ParseError` for other words. */
export function buildInterval({ children }: cst.IntervalCstNode): LiteralExpression {
  const position = positionOfToken(only(children.IntervalMark))
  const token = only(children.Text)
  const words = unquoted(token.image).toLowerCase().trim().split(/\s+/)
  const wrong = (hint: string) =>
    syntaxError('this is no INTERVAL', positionOfToken(token), {
      token: shownToken(token.image),
      hint,
    })
  let value = 0n
  for (let at = 0; at < words.length; at += 2) {
    const [count = '', unit = ''] = words.slice(at, at + 2)
    if (CALENDAR_UNIT.test(unit)) {
      throw wrong('months and years are not equally long: add_months(time, 1) adds them')
    }
    const micros = MICROS.get(unit)
    if (micros === undefined || !/^\d+$/.test(count) || count.length > DIGITS_MAX) {
      throw wrong(
        "it is written as INTERVAL '2 hours 30 minutes', with whole numbers of weeks, days, hours, minutes, seconds, milliseconds and microseconds",
      )
    }
    value += BigInt(count) * micros
  }
  return { kind: 'literal', type: 'integer', value, isInterval: true, position }
}
