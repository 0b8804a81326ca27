// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type { AggregateExpression, AggregateFunction, CallExpression, Expression } from '../ast.ts'
import { partsOf } from '../expression-parts.ts'
import { type ParseError, syntaxError } from '../parse-error.ts'
import { positionOfToken } from './cst-position.ts'

const AGGREGATES: ReadonlySet<string> = new Set<AggregateFunction>([
  ...(['count', 'sum', 'min', 'max', 'avg'] as const),
])

/** Whether a call of this name, in lower case, is of an aggregate. */
export function isAggregate(name: string): name is AggregateFunction {
  return AGGREGATES.has(name)
}

/** The aggregate that was written like a call; `star` is the * between its parentheses, if any. */
export function buildAggregate(call: CallExpression, star: IToken | undefined): Expression {
  const { position, function: name } = call
  if (star !== undefined) {
    if (name === 'count') return { kind: 'aggregate', function: name, position }
    throw syntaxError(`only COUNT takes *, not ${shown(name)}`, positionOfToken(star), {
      token: '*',
      expected: ['an expression'],
    })
  }
  const [operand, second] = call.arguments
  if (operand === undefined || second !== undefined) throw wrongNumber(call)
  refuseAggregates(operand)
  return { kind: 'aggregate', function: name as AggregateFunction, operand, position }
}

function wrongNumber({ function: name, arguments: given, position }: CallExpression): ParseError {
  const hint = given.length === 0 ? HINTS_FOR_NONE[name] : HINTS_FOR_SEVERAL[name]
  const message = `${shown(name)} takes one expression, not ${given.length}`
  return syntaxError(message, position, { token: shown(name), hint })
}

const HINTS_FOR_NONE: Readonly<Record<string, string>> = { count: 'rows are counted by COUNT(*)' }
const HINTS_FOR_SEVERAL: Readonly<Record<string, string>> = {
  min: 'the least of several values in one row is least(a, b)',
  max: 'the greatest of several values in one row is greatest(a, b)',
}

/** Throws ParseError at the first aggregate of an expression that is over a single row. */
export function refuseAggregates(expression: Expression): void {
  if (expression.kind === 'aggregate') throw misplaced(expression)
  for (const part of partsOf(expression)) refuseAggregates(part)
}

function misplaced({ function: name, position }: AggregateExpression): ParseError {
  const message = `${shown(name)} belongs in the projection of a SCAN, outside of other aggregates`
  const call = name === 'count' ? 'COUNT(*)' : `${shown(name)}(column)`
  return syntaxError(message, position, {
    token: shown(name),
    hint: `groups of rows are read by: SCAN ${call} FROM table WHERE … GROUP BY …`,
  })
}

const shown = (name: string): string => name.toUpperCase()
