// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import { Insert, Values } from '../grammar/keywords.ts'
import { Comma, LeftParenthesis, RightParenthesis, Semicolon } from '../grammar/tokens.ts'

/** Tokens of a text, `to` exclusive. */
export type TokenRange = { readonly from: number; readonly to: number }

/**
 * Whole statements, or one INSERT of many rows in pieces:
 *
 *     INSERT INTO t (a) VALUES (1), (2), … (99),   (100), … (199),   (200), …   ON CONFLICT DO NOTHING
 *     head, a statement of its own                  rows              rows       tail; after the head a statement
 */
export type ScriptPart =
  | { readonly kind: 'statements'; readonly range: TokenRange }
  | {
      readonly kind: 'longInsert'
      readonly head: TokenRange
      readonly rows: readonly TokenRange[]
      readonly tail: TokenRange
    }

/** About as many tokens as are parsed in half a millisecond. */
const PART_TOKENS = 256

/** Cuts a text where it can be parsed piece by piece; what is wrong with it is wrong with a piece. */
export function* scriptParts(tokens: readonly IToken[]): Generator<ScriptPart, undefined> {
  let from = 0
  for (const statement of statementRanges(tokens)) {
    const isLong = statement.to - statement.from > 2 * PART_TOKENS
    const cut = isLong ? cutInsert(tokens, statement) : undefined
    if (cut === undefined && statement.to - from < PART_TOKENS) continue
    const to = cut === undefined ? statement.to : statement.from
    if (to > from) yield { kind: 'statements', range: { from, to } }
    if (cut !== undefined) yield cut
    from = statement.to
  }
  if (from < tokens.length) yield { kind: 'statements', range: { from, to: tokens.length } }
}

function* statementRanges(tokens: readonly IToken[]): Generator<TokenRange, undefined> {
  let from = 0
  for (let at = 0; at <= tokens.length; at += 1) {
    if (at < tokens.length && tokens[at]?.tokenType !== Semicolon) continue
    if (at > from) yield { from, to: at }
    from = at + 1
  }
}

/** Undefined for anything but an INSERT of rows in parentheses. */
function cutInsert(tokens: readonly IToken[], statement: TokenRange): ScriptPart | undefined {
  if (tokens[statement.from]?.tokenType !== Insert) return undefined
  const own = tokens.slice(statement.from, statement.to)
  const values = own.findIndex(({ tokenType }) => tokenType === Values)
  if (values < 0) return undefined
  const rowsFrom = statement.from + values + 1
  const { pieces, to } = cutRows(tokens, { from: rowsFrom, to: statement.to })
  const [first, ...rows] = pieces
  if (first === undefined || rows.length === 0) return undefined
  const head = { from: statement.from, to: first.to }
  return { kind: 'longInsert', head, rows, tail: { from: to, to: statement.to } }
}

/** Rows with commas between them, some in each piece, and where they end. A piece takes all that is no row. */
function cutRows(
  tokens: readonly IToken[],
  { from, to }: TokenRange,
): { readonly pieces: readonly TokenRange[]; readonly to: number } {
  const pieces: TokenRange[] = []
  let begin = from
  let depth = 0
  for (let at = from; at < to; at += 1) {
    const type = tokens[at]?.tokenType
    if (type === LeftParenthesis) depth += 1
    if (type === RightParenthesis) depth -= 1
    if (depth > 0 || type !== RightParenthesis) continue
    const end = at + 1
    const isLast = tokens[end]?.tokenType !== Comma || end >= to
    if (isLast) return { pieces: [...pieces, { from: begin, to: end }], to: end }
    if (end - begin < PART_TOKENS || tokens[end + 1]?.tokenType !== LeftParenthesis) continue
    pieces.push({ from: begin, to: end })
    begin = end + 1
  }
  return { pieces: [...pieces, { from: begin, to }], to }
}
