// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression, IndexPartClause } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import { type JsonStep, pathText, type SqlType, stepsOf } from '../../storage/values/values.ts'
import { expressionText, nameText } from '../expressions/expression-text.ts'
import { PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { columnAt, type RowPart, requireColumnOf } from '../row-parts.ts'

/**
 * What a part of a key is, a condition is on, and rows are ordered and grouped by: a column, as its position in the
 * row, or what one that is JSON has at a path, as both of them, such as `2->>'city'`. Equal terms have equal values in
 * every row. `2->'tags'[]` are the members there, and `2 words` the words of the TEXT, of which a row has many.
 */
export type KeyTerm = number | string

export type TermMeant = {
  readonly term: KeyTerm
  /** The position of the column in the row. */
  readonly column: number
  readonly path?: readonly JsonStep[]
  readonly type: SqlType
  readonly notNull: boolean
}

/** The position of the column that is looked at. */
export function columnOfTerm(term: KeyTerm): number {
  return typeof term === 'number' ? term : Number.parseInt(term, 10)
}

export function termAt(column: number, path: readonly JsonStep[] | undefined): KeyTerm {
  return path === undefined ? column : `${column}${pathText(path)}`
}

export function membersAt(column: number, path: readonly JsonStep[] = []): KeyTerm {
  return `${column}${pathText(path, '>')}${MEMBERS}`
}

/** The words of a TEXT. */
export function wordsIn(term: KeyTerm): KeyTerm {
  return `${term}${WORDS}`
}

const MEMBERS = '[]'
const WORDS = ' words'

/** As it is written in a statement about its table. */
export function termText({ columns }: TableDefinition, term: KeyTerm): string {
  const path = typeof term === 'number' ? '' : term.replace(/^\d+/, '')
  const name = nameText(columns[columnOfTerm(term)]?.name ?? '')
  if (path.endsWith(MEMBERS)) return `EACH ${name}${path.slice(0, -MEMBERS.length)}`
  return path.endsWith(WORDS) ? `WORDS ${name}${path.slice(0, -WORDS.length)}` : `${name}${path}`
}

/** Undefined for any other expression. Throws PlanError for a column that is unknown or one of several. */
export function termOf(parts: readonly RowPart[], expression: Expression): TermMeant | undefined {
  const steps = stepsIn(expression, '>>')
  if (steps === undefined) return undefined
  const { source, path } = steps
  const column = requireColumnOf(parts, source)
  const { type, notNull } = columnAt(parts, column)
  if (expression.kind === 'column') return { term: column, column, type, notNull }
  if (type !== 'JSON' || path.length === 0) return undefined
  return { term: termAt(column, path), column, path, type: 'TEXT', notNull: false }
}

/** The members that the last operator of a chain, `?` or `@>`, asks about; undefined for what is no column or path. */
export function membersOf(
  parts: readonly RowPart[],
  chain: BinaryExpression,
): TermMeant | undefined {
  const rest = chain.rest.slice(0, -1)
  const steps = stepsIn(rest.length === 0 ? chain.first : { ...chain, rest }, '>')
  if (steps === undefined) return undefined
  const column = requireColumnOf(parts, steps.source)
  if (columnAt(parts, column).type !== 'JSON') return undefined
  return { term: membersAt(column, steps.path), column, type: 'TEXT', notNull: false }
}

type PathOfPart = Pick<IndexPartClause, 'path' | 'each'>

/** The path of a part of a key; undefined for a column. Throws PlanError for one that does not lead to TEXT. */
export function requirePath({ path, each }: PathOfPart): readonly JsonStep[] | undefined {
  if (path === undefined) return undefined
  const steps = stepsIn(path, each === 'members' ? '>' : '>>')?.path
  if (steps !== undefined && steps.length > 0) return steps
  const text = expressionText(path)
  if (each === 'members') {
    throw new PlanError('invalid_request', `The path ${text} of EACH does not lead to JSON.`, {
      position: path.position,
      hint: "A path to JSON ends with -> or #>: EACH meta->'tags', or EACH meta#>'{tags}'.",
    })
  }
  throw new PlanError('invalid_request', `The path ${text} does not lead to a text in JSON.`, {
    position: path.position,
    hint: "A path ends with ->> or #>>, which give TEXT: meta->'address'->>'city', or meta#>>'{address,city}'.",
  })
}

type Steps = {
  readonly source: Extract<Expression, { kind: 'column' }>
  readonly path: readonly JsonStep[]
}

/** A column and what leads into it by literals alone: to TEXT with `>>`, to JSON with `>`. */
function stepsIn(expression: Expression, end: '>>' | '>'): Steps | undefined {
  if (expression.kind === 'column') return { source: expression, path: [] }
  if (expression.kind !== 'binary') return undefined
  const inner = stepsIn(expression.first, '>')
  if (inner === undefined) return undefined
  const path = [...inner.path]
  for (const [position, { operator, operand }] of expression.rest.entries()) {
    const arrow = position === expression.rest.length - 1 ? end : '>'
    if (operator !== `-${arrow}` && operator !== `#${arrow}`) return undefined
    const steps = operator.startsWith('#') ? pathLiteral(operand) : stepLiteral(operand)
    if (steps === undefined) return undefined
    path.push(...steps)
  }
  return { source: inner.source, path }
}

function pathLiteral(operand: Expression): readonly JsonStep[] | undefined {
  if (operand.kind !== 'literal' || operand.type !== 'text') return undefined
  const { jsonNestingMax, jsonPathCharactersMax } = PLANNER_LIMITS
  if (operand.value.length > jsonPathCharactersMax) return undefined
  return stepsOf(operand.value, jsonNestingMax)
}

function stepLiteral(operand: Expression): readonly JsonStep[] | undefined {
  if (operand.kind === 'literal' && operand.type === 'text') return [{ name: operand.value }]
  const isMinus = operand.kind === 'unary' && operand.operator === '-'
  const number = isMinus ? operand.operand : operand
  if (number.kind !== 'literal' || number.type !== 'integer') return undefined
  if (number.value > INDEX_MAX) return undefined
  return [{ index: isMinus ? 0 - Number(number.value) : Number(number.value) }]
}

/** As in the text of a path. */
const INDEX_MAX = 999_999_999n
