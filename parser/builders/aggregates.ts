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

/** What only aggregates have: the * between the parentheses, DISTINCT, and FILTER. */
type Marks = {
  readonly star: IToken | undefined
  readonly distinct: IToken | undefined
  readonly filter: Expression | undefined
}

/** The aggregate that was written like a call. Throws ParseError for one that is none. */
export function buildAggregate(call: CallExpression, marks: Marks): Expression {
  const { position, function: name } = call
  const { star, distinct, filter } = marks
  if (!isAggregate(name)) throw noAggregate(call, marks)
  if (filter !== undefined) refuseAggregates(filter)
  const filtered = filter === undefined ? {} : { filter }
  if (star !== undefined) {
    if (name === 'count') return { kind: 'aggregate', function: name, ...filtered, position }
    throw noStar(name, star)
  }
  const [operand, second] = call.arguments
  if (operand === undefined || second !== undefined) throw wrongNumber(call)
  refuseAggregates(operand)
  const once = distinct === undefined ? {} : ({ distinct: true } as const)
  return { kind: 'aggregate', function: name, operand, ...once, ...filtered, position }
}

function noStar(name: string, star: IToken): ParseError {
  return syntaxError(`only COUNT takes *, not ${shown(name)}`, positionOfToken(star), {
    token: '*',
    expected: ['an expression'],
  })
}

function noAggregate({ function: name, position }: CallExpression, marks: Marks): ParseError {
  if (marks.star !== undefined) return noStar(name, marks.star)
  const word = marks.distinct === undefined ? 'FILTER' : 'DISTINCT'
  const message = `only an aggregate has ${word}, and ${shown(name)} is none`
  return syntaxError(message, position, { token: shown(name) })
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
  const place = 'the projection, HAVING or ORDER BY of a SCAN, outside of other aggregates'
  const message = `${shown(name)} belongs in ${place}`
  const call = name === 'count' ? 'COUNT(*)' : `${shown(name)}(column)`
  return syntaxError(message, position, {
    token: shown(name),
    hint: `groups of rows are read by: SCAN ${call} FROM table WHERE … GROUP BY …`,
  })
}

const shown = (name: string): string => name.toUpperCase()
