// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import { positionOfToken } from '../builders/cst-position.ts'
import { GENERATED_TYPES } from '../builders/type-names.ts'
import * as token from '../grammar/tokens.ts'
import { ParseError, positionAt, shownToken, syntaxError } from '../parse-error.ts'
import type { Expectation, ExpectedTokens } from './expected-tokens.ts'
import { END_OF_TEXT, expectedWords, joined } from './expected-words.ts'
import { ownCalls } from './sql-calls.ts'
import { ofGeneratedKey } from './sql-definitions.ts'
import { hintFor, REWRITTEN_CHARACTERS_MAX } from './sql-habits.ts'
import { lostTypes, OWN_TYPES, ownTypes } from './sql-types.ts'
import { rewrite, type WrongStatement } from './wrong-statement.ts'

const MALFORMED_WORDS = new Map([
  [token.UnclosedComment, 'the comment that begins here has no end */'],
  [token.UnclosedText, 'the string that begins here has no closing quote'],
  [token.UnclosedName, 'the quoted name that begins here has no closing quote'],
  [token.EmptyName, 'a name cannot be empty'],
  [token.MalformedBytes, "bytes are pairs of hexadecimal digits between quotes: x'0aff'"],
  [token.MalformedNumber, 'this is not a number'],
  [token.MalformedParameter, 'a parameter is written :name or $1'],
  [token.JsonHas, 'a parameter is written :name or $1'],
])

export type Mistake = {
  readonly text: string
  readonly tokens: readonly IToken[]
  /** Which of `tokens` the parser could not take; their number when the text ended too early. */
  readonly at: number
}

/**
 * The error for a text that the parser refused: where, what stood there, what could have, and a hint
 * for a habit of SQL. `check` tells what is wrong with a text, so that no hint is itself wrong.
 */
export function describeMistake(
  mistake: Mistake,
  expectedTokens: ExpectedTokens,
  check: (text: string) => Mistake | undefined,
): ParseError {
  const { text } = mistake
  const { offending, expected, wrong } = wrongStatement(mistake, expectedTokens, check)
  const position = offending ? positionOfToken(offending) : positionAt(text, text.length)
  return syntaxError(wrong.complaint, position, {
    token: offending && shownToken(offending.image),
    expected,
    ...hintFor(wrong),
  })
}

/** The statement that is wrong, and where it begins to be. */
function wrongStatement(
  mistake: Mistake,
  expectedTokens: ExpectedTokens,
  check: (text: string) => Mistake | undefined,
): {
  readonly offending: IToken | undefined
  readonly expected: readonly string[]
  readonly wrong: WrongStatement
} {
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
  const recheck = (other: string): WrongStatement | undefined => {
    const found = check(other)
    return found && wrongStatement(found, expectedTokens, check).wrong
  }
  const expected = expectedWords(expectation)
  const complaint = complaintOf(offending, expected)
  const wrong = { text, tokens: statementTokens(tokens, start), at: at - start, complaint, recheck }
  return { offending, expected, wrong }
}

function complaintOf(offending: IToken | undefined, expected: readonly string[]): string {
  const malformed = offending && MALFORMED_WORDS.get(offending.tokenType)
  const found = offending === undefined ? END_OF_TEXT : `'${shownToken(offending.image)}'`
  return malformed ?? `expected ${joined(expected)}, found ${found}`
}

/** An error of a type of another database, with the definition to write instead. */
export function withOwnTypes(
  error: unknown,
  { text, tokens }: Pick<Mistake, 'text' | 'tokens'>,
  check: (text: string) => Mistake | undefined,
): unknown {
  if (!(error instanceof ParseError)) return error
  const type = tokens.findIndex(({ startOffset }) => startOffset === error.offset)
  if (type < 0) return error
  const before = tokens.slice(0, type)
  const start = before.findLastIndex(({ tokenType }) => tokenType === token.Semicolon) + 1
  const wrong = { text, tokens: statementTokens(tokens, start), at: type - start }
  const lost = lostTypes(wrong)
  if (lost !== undefined)
    return new ParseError(error.code, error.message, error, { ...error, hint: lost })
  const types = new Map([...ownTypes(wrong), ...ownCalls(wrong)])
  const isGenerated = GENERATED_TYPES.has(tokens[type]?.image.toUpperCase() ?? '')
  if (!isGenerated && !types.has(wrong.at)) return error
  const { advice, rewritten } = isGenerated
    ? ofGeneratedKey(wrong, types)
    : { advice: error.hint ?? OWN_TYPES, rewritten: rewrite(wrong, types) }
  const isRight = rewritten.length <= REWRITTEN_CHARACTERS_MAX && check(rewritten) === undefined
  const hint = isRight
    ? { hint: `${advice}: ${rewritten}`, suggestion: rewritten }
    : { hint: advice }
  return new ParseError(error.code, error.message, error, { ...error, ...hint })
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
