// SPDX-License-Identifier: Apache-2.0
import type { IToken, Lexer, TokenType } from 'chevrotain'
import { Literal, Null } from './grammar/keywords.ts'
import { isOf, Malformed, Semicolon } from './grammar/tokens.ts'

/** So much of a text is looked at, however long it is. */
export const SHAPE_READ_CHARACTERS = 8_192
const SHAPE_CHARACTERS_MAX = 500
const CUT = '…'

/**
 * A statement without its values, for people who want to know what is running: each literal is a `?`, lists of them are
 * one, comments are left out. What is not well-formed is cut off, for it may be part of a literal. With `end`, only
 * what stands before the first token of that type.
 *
 *     INSERT INTO t (id, a) VALUES (1, 'x'), (2, 'y')   ->   INSERT INTO t (id, a) VALUES (?, …), …
 */
export function statementShape(lexer: Lexer, text: string, end?: TokenType): string {
  const isAllRead = text.length <= SHAPE_READ_CHARACTERS
  const read = lexer.tokenize(isAllRead ? text : text.slice(0, SHAPE_READ_CHARACTERS)).tokens
  return shapeUntil(read, end, isAllRead)
}

/** The same of the one statement that begins at `offset` of a text. */
export function shapeOfOne(lexer: Lexer, text: string, offset: number): string {
  return statementShape(lexer, text.slice(offset), Semicolon)
}

/** The same where the tokens of the whole text are at hand. */
export function shapeOfLexed(tokens: readonly IToken[], offset: number): string {
  const own = tokens.slice(tokens.findIndex(({ startOffset }) => startOffset >= offset))
  return shapeUntil(own, Semicolon, true)
}

/** Of the tokens up to one of the type `end`, if there is one. */
function shapeUntil(
  read: readonly IToken[],
  end: TokenType | undefined,
  isAllRead: boolean,
): string {
  const endsAt = read.findIndex(({ tokenType }) => tokenType === end)
  const isWhole = isAllRead || endsAt >= 0
  const tokens = endsAt < 0 ? read : read.slice(0, endsAt)
  // The last token of a text that was cut may have been longer.
  const seen = isWhole ? tokens : tokens.slice(0, -1)
  const wrong = seen.findIndex(({ tokenType }) => isOf(tokenType, Malformed))
  const sound = wrong < 0 ? seen : seen.slice(0, wrong)
  const shape = withoutLists(joined(sound))
  if (shape.length > SHAPE_CHARACTERS_MAX) {
    return `${shape.slice(0, SHAPE_CHARACTERS_MAX).toWellFormed()}${CUT}`
  }
  return isWhole && wrong < 0 ? shape : `${shape} ${CUT}`.trimStart()
}

/** With one blank wherever there is something between two tokens. */
function joined(tokens: readonly IToken[]): string {
  let text = ''
  let end = 0
  for (const { image, tokenType, startOffset } of tokens) {
    const word = isOf(tokenType, Literal) && tokenType !== Null ? '?' : image
    text += text !== '' && startOffset > end ? ` ${word}` : word
    end = startOffset + image.length
  }
  return text
}

function withoutLists(text: string): string {
  return text
    .replaceAll(/\?(?:, ?\?)+/g, `?, ${CUT}`)
    .replaceAll(/(\(\?(?:, …)?\))(?:, ?\(\?(?:, …)?\))+/g, `$1, ${CUT}`)
}
