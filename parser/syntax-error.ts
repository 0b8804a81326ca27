// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import { positionOfToken } from './cst-position.ts'
import type { Expectation, ExpectedTokens } from './expected-tokens.ts'
import { END_OF_TEXT, expectedWords, joined } from './expected-words.ts'
import { type ParseError, positionAt, shownToken, syntaxError } from './parse-error.ts'
import { hintFor } from './sql-habits.ts'
import * as token from './tokens.ts'

const MALFORMED_WORDS = new Map([
  [token.UnclosedComment, 'the comment that begins here has no end */'],
  [token.UnclosedText, 'the string that begins here has no closing quote'],
  [token.UnclosedName, 'the quoted name that begins here has no closing quote'],
  [token.EmptyName, 'a name cannot be empty'],
  [token.MalformedBytes, "bytes are pairs of hexadecimal digits between quotes: x'0aff'"],
  [token.MalformedNumber, 'this is not a number'],
  [token.MalformedParameter, 'a parameter is written :name or $1'],
])

export type Mistake = {
  readonly text: string
  readonly tokens: readonly IToken[]
  /** Which of `tokens` the parser could not take; their number when the text ended too early. */
  readonly at: number
}

/**
 * The error for a text that the parser refused: where, what stood there, what could have, and a hint
 * for a habit of SQL. `parses` tells whether a text is right, so that no hint is itself wrong.
 */
export function describeMistake(
  mistake: Mistake,
  expectedTokens: ExpectedTokens,
  parses: (text: string) => boolean,
): ParseError {
  const { text, tokens } = mistake
  const before = tokens.slice(0, mistake.at)
  const start = before.findLastIndex(({ tokenType }) => tokenType === token.Semicolon) + 1
  let at = mistake.at
  let expectation = expectedTokens.after(tokens.slice(start, at))
  let offending = tokens[at]
  // Where the parser looks two tokens ahead it stops one early: `a NOT 5` at NOT, though 5 is wrong.
  while (offending !== undefined && isExpected(offending, expectation)) {
    at += 1
    expectation = expectedTokens.after(tokens.slice(start, at))
    offending = tokens[at]
  }
  const expected = expectedWords(expectation)
  const position = offending ? positionOfToken(offending) : positionAt(text, text.length)
  const image = offending && shownToken(offending.image)
  const malformed = offending && MALFORMED_WORDS.get(offending.tokenType)
  const found = image === undefined ? END_OF_TEXT : `'${image}'`
  return syntaxError(malformed ?? `expected ${joined(expected)}, found ${found}`, position, {
    token: image,
    expected,
    hint: hintFor({ text, tokens: statementTokens(tokens, start), at: at - start, parses }),
  })
}

function isExpected({ tokenType }: IToken, { expected }: Expectation): boolean {
  return expected.some(({ type }) => token.isOf(tokenType, type))
}

function statementTokens(tokens: readonly IToken[], start: number): readonly IToken[] {
  const end = tokens.findIndex(
    ({ tokenType }, index) => index >= start && tokenType === token.Semicolon,
  )
  return tokens.slice(start, end < 0 ? undefined : end)
}
