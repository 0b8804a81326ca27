// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import { positionOfToken } from './builders/cst-position.ts'
import { Grant } from './grammar/keywords.ts'
import {
  ClaimParameter,
  EXPRESSION_TOKENS,
  LeftParenthesis,
  NumberedParameter,
  Parameter,
  RightParenthesis,
  Semicolon,
  tokensOf,
} from './grammar/tokens.ts'
import { measureNesting } from './nesting.ts'
import {
  limitExceeded,
  type ParseError,
  positionAt,
  shownToken,
  syntaxError,
} from './parse-error.ts'
import { PARSER_LIMITS } from './parser-limits.ts'

const PARAMETERS = tokensOf(Parameter)
const START = { line: 1, column: 1, offset: 0 } as const

/** What can be said of a text before it is cut into tokens. Throws `ParseError`. */
export function checkText(text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > PARSER_LIMITS.statementTextBytesMax) {
    throw limitExceeded('statementTextBytesMax', bytes, START)
  }
  if (!text.isWellFormed()) {
    const position = positionAt(text, text.search(/\p{Surrogate}/u))
    throw syntaxError('the text is not well-formed Unicode: half of a surrogate pair', position)
  }
  checkTokenCount(text)
}

// One match for each token, or fewer. What is not closed reaches to the end, which keeps the search linear.
const ROUGH_TOKEN = new RegExp(
  [
    ...[String.raw`--[^\n\r]*`, String.raw`\/\*[\s\S]*?(?:\*\/|$)`],
    ...[`x?'[^']*(?:''[^']*)*(?:'|$)`, `"[^"]*(?:""[^"]*)*(?:"|$)`],
    ...[String.raw`[a-z_]\w*`, String.raw`\.?\d[\w.]*`, String.raw`[:$?@]\w*`],
    ...['<=|>=|<>|!=|==', String.raw`\|\|`, String.raw`\S`],
  ].join('|'),
  'gi',
)

/**
 * The lexer cuts the whole text before anyone can stop it, which takes half a second for a megabyte
 * of marks. Counting roughly is ten times as fast and ends at the limit.
 */
function checkTokenCount(text: string): void {
  const { tokensMax } = PARSER_LIMITS
  // A token has one character at least, so most texts need no counting.
  if (text.length <= tokensMax) return
  let count = 0
  for (const { index } of text.matchAll(ROUGH_TOKEN)) {
    count += 1
    if (count > tokensMax) throw limitExceeded('tokensMax', count, positionAt(text, index))
  }
}

/**
 * Keeps the limits that bound the time and the stack of parsing, over the tokens alone, so that a
 * text beyond them costs no more than cutting it into tokens. Throws `ParseError`.
 */
export function checkTokens(tokens: readonly IToken[]): void {
  const nesting = measureNesting(tokens, PARSER_LIMITS.nestingMax)
  if (nesting.tooDeep !== undefined) {
    throw limitExceeded('nestingMax', nesting.deepest, positionOfToken(nesting.tooDeep))
  }
  checkCount(tokens, 'statementsMax', startsStatement)
  checkCount(tokens, 'expressionNodesMax', (token) => EXPRESSION_TOKENS.has(token.tokenType))
  checkParameters(tokens)
}

/**
 * What is parsed in one turn is bounded: by the nodes that it makes, and by the parentheses inside others,
 * each leads through the whole grammar of expressions. Throws `ParseError`.
 */
export function checkTurn(tokens: readonly IToken[]): void {
  let depth = 0
  checkCount(tokens, 'statementNodesMax', ({ tokenType }) => {
    if (tokenType === Semicolon) depth = 0
    if (tokenType === RightParenthesis) depth -= 1
    if (tokenType !== LeftParenthesis) return EXPRESSION_TOKENS.has(tokenType)
    depth += 1
    return depth > 1
  })
}

function checkCount(
  tokens: readonly IToken[],
  limitName: 'statementsMax' | 'expressionNodesMax' | 'statementNodesMax',
  counts: (token: IToken, previous: IToken | undefined) => boolean,
): void {
  let count = 0
  let excess: IToken | undefined
  let previous: IToken | undefined
  for (const token of tokens) {
    if (counts(token, previous)) {
      count += 1
      if (count === PARSER_LIMITS[limitName] + 1) excess = token
    }
    previous = token
  }
  if (excess !== undefined) throw limitExceeded(limitName, count, positionOfToken(excess))
}

/** Which statement the place in the text belongs to, from 0; empty statements do not count. */
export function statementAt(tokens: readonly IToken[], offset: number): number {
  let begun = 0
  let previous: IToken | undefined
  for (const token of tokens) {
    if (token.startOffset > offset) break
    if (startsStatement(token, previous)) begun += 1
    previous = token
  }
  return Math.max(0, begun - 1)
}

function startsStatement(token: IToken, previous: IToken | undefined): boolean {
  if (token.tokenType === Semicolon) return false
  return previous === undefined || previous.tokenType === Semicolon
}

function checkParameters(tokens: readonly IToken[]): void {
  const limit = PARSER_LIMITS.parametersMax
  const different = new Set<string>()
  let excess: IToken | undefined
  let first: IToken | undefined
  for (const [at, token] of tokens.entries()) {
    if (startsStatement(token, tokens[at - 1])) first = token
    if (!PARAMETERS.has(token.tokenType)) continue
    if (token.tokenType === ClaimParameter && first?.tokenType !== Grant)
      throw claimElsewhere(token)
    const number = token.tokenType === NumberedParameter ? Number(token.image.slice(1)) : 0
    if (number > limit) throw limitExceeded('parametersMax', number, positionOfToken(token))
    different.add(token.image)
    if (different.size > limit) excess ??= token
  }
  if (excess !== undefined) {
    throw limitExceeded('parametersMax', different.size, positionOfToken(excess))
  }
}

function claimElsewhere(token: IToken): ParseError {
  const image = shownToken(token.image)
  return syntaxError(`${image} stands in the WHERE of a GRANT only`, positionOfToken(token), {
    token: image,
    hint: 'Give the value as a parameter.',
  })
}
