// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type { ColumnClause, Expression, IdentityClause } from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { columnOf } from './clause-builder.ts'
import { buildType, DECIMAL_HINT } from './conversions.ts'
import { only, positionOfNode, positionOfToken } from './cst-position.ts'
import { buildLiteral, nameText } from './literal.ts'

/**
 * Throws `ParseError` for an unknown type, a DECIMAL without its size, a second DEFAULT, and a default that calls
 * anything else.
 */
export function buildColumn({ children }: cst.ColumnClauseCstNode): ColumnClause {
  const constraints = children.columnConstraint ?? []
  const [defaulted, again] = constraints.filter((each) => each.children.DEFAULT !== undefined)
  if (again !== undefined) {
    throw syntaxError('a second DEFAULT', positionOfNode(again), { token: 'DEFAULT' })
  }
  const [identity, second] = constraints.flatMap((each) => each.children.identityClause ?? [])
  const other = second ?? (identity && defaulted)
  if (other !== undefined) {
    throw syntaxError('a second source of values', positionOfNode(other), {
      token: other === second ? 'GENERATED' : 'DEFAULT',
      hint: 'what is GENERATED AS IDENTITY has its next number by default',
    })
  }
  const type = buildType(only(children.typeName))
  if (type.text === 'DECIMAL' && type.size === undefined) {
    const token = shownToken(type.text)
    throw syntaxError('a DECIMAL without its size', type.position, { token, hint: DECIMAL_HINT })
  }
  return {
    name: columnOf(children),
    type,
    notNull: constraints.some((each) => each.children.NOT !== undefined),
    ...(defaulted !== undefined && {
      default: buildDefault(only(defaulted.children.defaultValue)),
    }),
    ...(identity !== undefined && { identity: buildIdentity(identity) }),
  }
}

function buildIdentity(node: cst.IdentityClauseCstNode): IdentityClause {
  const { ALWAYS, wholeNumber } = node.children
  return {
    isAlways: ALWAYS !== undefined,
    ...(wholeNumber !== undefined && { startWith: buildWholeNumber(only(wholeNumber)) }),
    position: positionOfNode(node),
  }
}

/** A literal, with the sign before it. */
export function buildWholeNumber({ children }: cst.WholeNumberCstNode): Expression {
  return signed(children.Sign, only(children.Integer))
}

function signed(signs: readonly IToken[] | undefined, number: IToken): Expression {
  const literal = buildLiteral(number)
  const [sign] = signs ?? []
  if (sign === undefined) return literal
  const operator = sign.image as '-' | '+'
  return { kind: 'unary', operator, operand: literal, position: positionOfToken(sign) }
}

/** Throws `ParseError` for a default that calls anything else than now() and uuid(). */
export function buildDefault({ children }: cst.DefaultValueCstNode): Expression {
  if (children.Literal !== undefined) return buildLiteral(only(children.Literal))
  if (children.NumberLiteral !== undefined) {
    return signed(children.Sign, only(children.NumberLiteral))
  }
  const token = only(children.Name)
  const called = nameText(token).toLowerCase()
  if (called !== 'now' && called !== 'uuid') {
    throw syntaxError('only now() and uuid() can be called in DEFAULT', positionOfToken(token), {
      token: shownToken(token.image),
      expected: ['a literal', 'now()', 'uuid()'],
    })
  }
  return { kind: 'call', function: called, arguments: [], position: positionOfToken(token) }
}
