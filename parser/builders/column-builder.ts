// SPDX-License-Identifier: Apache-2.0

import type { ColumnClause, Expression } from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { columnOf } from './clause-builder.ts'
import { buildType } from './conversions.ts'
import { only, positionOfNode, positionOfToken } from './cst-position.ts'
import { buildLiteral, nameText } from './literal.ts'

/** Throws `ParseError` for an unknown type, a second DEFAULT, and a default that calls anything else. */
export function buildColumn({ children }: cst.ColumnClauseCstNode): ColumnClause {
  const constraints = children.columnConstraint ?? []
  const [defaulted, again] = constraints.filter((each) => each.children.DEFAULT !== undefined)
  if (again !== undefined) {
    throw syntaxError('a second DEFAULT', positionOfNode(again), { token: 'DEFAULT' })
  }
  return {
    name: columnOf(children),
    type: buildType(only(children.typeName)),
    notNull: constraints.some((each) => each.children.NOT !== undefined),
    ...(defaulted !== undefined && {
      default: buildDefault(only(defaulted.children.defaultValue)),
    }),
  }
}

/** Throws `ParseError` for a default that calls anything else than now() and uuid(). */
export function buildDefault({ children }: cst.DefaultValueCstNode): Expression {
  if (children.Literal !== undefined) return buildLiteral(only(children.Literal))
  if (children.NumberLiteral !== undefined) {
    const sign = only(children.Sign)
    return {
      kind: 'unary',
      operator: sign.image as '-' | '+',
      operand: buildLiteral(only(children.NumberLiteral)),
      position: positionOfToken(sign),
    }
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
