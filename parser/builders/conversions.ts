// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type { CastExpression, Expression, TypeName } from '../ast.ts'
import { isDecimal } from '../grammar/expression-grammar.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { only, positionOfToken } from './cst-position.ts'
import { lostType, SIMILAR_TYPES, TYPE_NAMES } from './type-names.ts'

/** Throws `ParseError` for an unknown type, and a DECIMAL of a size that there is not. */
export function buildType({ children }: cst.TypeNameCstNode): TypeName {
  const token = only(children.Name)
  const position = positionOfToken(token)
  const text = token.image.toUpperCase()
  if (isDecimal(text)) return { text: 'DECIMAL', ...buildSize(token, children.typeSize), position }
  if (TYPE_NAMES.includes(text)) return { text, position }
  const similar = SIMILAR_TYPES.get(text)
  throw syntaxError(`there is no type ${shownToken(token.image)}`, position, {
    token: shownToken(token.image),
    expected: TYPE_NAMES,
    hint: similar === undefined ? lostType(text) : `${text} is written ${similar}`,
  })
}

export const DECIMAL_HINT =
  'a DECIMAL says how many digits it has and how many of them stand behind the point: DECIMAL(18, 2)'
const DECIMAL_DIGITS_MAX = 38

function buildSize(
  token: IToken,
  nodes: readonly cst.TypeSizeCstNode[] | undefined,
): Pick<TypeName, 'size'> {
  if (nodes === undefined) return {}
  const [precision = 0, scale, more] = only(nodes).children.Integer.map(({ image }) =>
    Number(image),
  )
  const isSize = scale !== undefined && more === undefined
  if (isSize && precision >= 1 && precision <= DECIMAL_DIGITS_MAX && scale <= precision) {
    return { size: { precision, scale } }
  }
  throw syntaxError('this is no size of a DECIMAL', positionOfToken(token), {
    token: shownToken(token.image),
    hint: isSize
      ? `a DECIMAL has 1 to ${DECIMAL_DIGITS_MAX} digits, and no more of them behind the point`
      : DECIMAL_HINT,
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
