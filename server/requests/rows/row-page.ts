// SPDX-License-Identifier: Apache-2.0
import type { Expression, KeyHint, OrderPart, ScanStatement } from '../../../parser/ast.ts'
import { ParseError, type Parser } from '../../../parser/parser.ts'
import type { Parameters } from '../../../planner/planner.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { CursorOwner } from '../prepared/cursor.ts'
import { checkedParameters, parametersOfText } from '../prepared/query-request.ts'
import { keysOfAll, requireParametersUsed } from '../prepared/unused-parameters.ts'
import { type ListedName, readNameList, readNames, splitDirection, wrongList } from './name-list.ts'
import { columnNamed, NOWHERE, nameOf, projectionOf } from './row-statements.ts'

/** The parameters of `listRows` that say which rows, and in which order. */
export type RowsRequest = {
  readonly table: string
  readonly columns?: string
  readonly where?: string
  readonly params?: string
  readonly index?: string
  readonly order?: string
  readonly cursor?: string
}

/** The SCAN that a page of rows is one of. Throws ParseError and ServerError. */
export function scanOf(parser: Parser, request: RowsRequest): ScanStatement {
  const { table, columns, where, index, order } = request
  return {
    kind: 'scan',
    projection: projectionOf(columns === undefined ? undefined : readNames('columns', columns)),
    table: nameOf(table),
    ...(index === undefined ? {} : { hint: hintOf(index) }),
    ...(where === undefined ? {} : { where: parseCondition(parser, where) }),
    groupBy: [],
    orderBy: order === undefined ? [] : readNameList('order', order).map(orderPartOf),
    position: NOWHERE,
  }
}

/** What a cursor of these rows is bound to; no text of a statement begins like that. */
export function ownerOf(request: RowsRequest, principal: string | undefined): CursorOwner {
  const { table, columns, where, params, index, order } = request
  const sql = JSON.stringify(['rows', table, columns, where, index, order])
  return { sql, params, principal }
}

/** `params`: a JSON object with the values of the `:name` of `where`, and no other. Throws `invalid_request`. */
export function paramsOf(scan: ScanStatement, { params }: RowsRequest): Parameters {
  const parameters = checkedParameters(readParams(params))
  requireParametersUsed(parameters, { keys: keysOfAll([scan]), length: 1 })
  return parameters
}

function readParams(text: string | undefined): Parameters {
  if (text === undefined) return {}
  const params = parametersOfText(text)
  if (params !== undefined && !Array.isArray(params)) return params
  throw new ServerError('invalid_request', 'params is a JSON object, a field for each :name.')
}

/** `primary` is the primary key; an index of that very name can be named in a statement. */
function hintOf(index: string): KeyHint {
  if (index === 'primary') return { kind: 'primaryKey', position: NOWHERE }
  return { kind: 'index', index: nameOf(index), position: NOWHERE }
}

function orderPartOf(listed: ListedName): OrderPart {
  const { name, rest } = splitDirection(listed)
  const direction = rest.toLowerCase()
  if (direction !== '' && direction !== 'asc' && direction !== 'desc') {
    throw wrongList('order', 'asc, desc or nothing follows a name, as in time desc, id')
  }
  return { expression: columnNamed(name), descending: direction === 'desc' }
}

/** A line of its own, so that places in the condition are found by leaving that line out. */
const BEFORE = 'SCAN * FROM t WHERE\n'

/**
 * A condition of the dialect that came alone, as `where=`. It is parsed as the WHERE of a SCAN and has
 * to be nothing but that. Places count from its own beginning. Throws ParseError, and
 * `syntax_error` for a text that continues after the condition.
 */
function parseCondition(parser: Parser, text: string): Expression {
  const [only, ...others] = parseScan(parser, text)
  const isAlone =
    only?.kind === 'scan' &&
    others.length === 0 &&
    only.groupBy.length === 0 &&
    only.orderBy.length === 0 &&
    only.limit === undefined
  if (!isAlone || only.where === undefined) {
    throw new ServerError('syntax_error', 'where is one condition and nothing behind it.', {
      hint: 'order= and limit= are parameters of their own',
    })
  }
  return withPlacesOfText(only.where) as Expression
}

function parseScan(parser: Parser, text: string) {
  try {
    return parser.parseScript(BEFORE + text)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const place = { ...placeOfText(error), column: error.column }
    throw new ParseError(error.code, error.message, place, { ...error, statement: undefined })
  }
}

function placeOfText<P extends { readonly line: number; readonly offset: number }>(place: P): P {
  const line = Math.max(1, place.line - 1)
  return { ...place, line, offset: Math.max(0, place.offset - BEFORE.length) }
}

/** The same tree with its positions moved; the parser's own is shared and stays as it is. */
function withPlacesOfText(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withPlacesOfText)
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === 'position' ? placeOfText(value) : withPlacesOfText(value),
    ]),
  )
}
