// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import { ParseError, type Parser } from '../../parser/parser.ts'
import { ServerError } from '../errors/server-error.ts'

/** A line of its own, so that places in the condition are found by leaving that line out. */
const BEFORE = 'SCAN * FROM t WHERE\n'

/**
 * A condition of the dialect that came alone, as `where=`. It is parsed as the WHERE of a SCAN and has
 * to be nothing but that. Places count from its own beginning. Throws ParseError, and
 * `syntax_error` for a text that continues after the condition.
 */
export function parseCondition(parser: Parser, text: string): Expression {
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
