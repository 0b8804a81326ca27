// SPDX-License-Identifier: Apache-2.0

import type { Position } from './ast.ts'
import { PARSER_LIMIT_WORDS, PARSER_LIMITS, type ParserLimitName } from './parser-limits.ts'

export type ParseErrorCode = 'syntax_error' | 'limit_exceeded'

export type ParseErrorDetails = {
  /** The text of the offending token, shortened; absent at the end of the text. */
  readonly token?: string | undefined
  /** What could have stood there, in words: "a table name", "','". */
  readonly expected?: readonly string[] | undefined
  /** What to write instead; holds the rewritten statement where a habit of SQL was recognised. */
  readonly hint?: string | undefined
  /** That statement alone. */
  readonly suggestion?: string | undefined
  readonly limitName?: ParserLimitName | undefined
  /** The bound that was exceeded, and the figure found. Both only with `limit_exceeded`. */
  readonly limit?: number | undefined
  readonly actual?: number | undefined
  /** Which statement of the text is wrong, from 0; absent where no statement was found yet. */
  readonly statement?: number | undefined
}

/** The one error that parsing throws. The position is of the whole text: see `Position`. */
export class ParseError extends Error {
  override readonly name = 'ParseError'
  readonly code: ParseErrorCode
  readonly line: number
  readonly column: number
  readonly offset: number
  readonly token: string | undefined
  readonly expected: readonly string[] | undefined
  readonly hint: string | undefined
  readonly suggestion: string | undefined
  readonly limitName: ParserLimitName | undefined
  readonly limit: number | undefined
  readonly actual: number | undefined
  readonly statement: number | undefined

  constructor(
    code: ParseErrorCode,
    message: string,
    position: Position,
    details: ParseErrorDetails = {},
  ) {
    super(message)
    this.code = code
    this.line = position.line
    this.column = position.column
    this.offset = position.offset
    this.token = details.token
    this.expected = details.expected
    this.hint = details.hint
    this.suggestion = details.suggestion
    this.limitName = details.limitName
    this.limit = details.limit
    this.actual = details.actual
    this.statement = details.statement
  }

  /** The same error, said of that statement. */
  inStatement(statement: number): ParseError {
    return new ParseError(this.code, this.message, this, { ...this, statement })
  }
}

export function syntaxError(
  message: string,
  position: Position,
  details: Pick<ParseErrorDetails, 'token' | 'expected' | 'hint' | 'suggestion'> = {},
): ParseError {
  return new ParseError('syntax_error', message, position, details)
}

export function limitExceeded(
  limitName: ParserLimitName,
  actual: number,
  position: Position,
): ParseError {
  const limit = PARSER_LIMITS[limitName]
  const message = `${actual} ${PARSER_LIMIT_WORDS[limitName]}, at most ${limit} are allowed`
  return new ParseError('limit_exceeded', message, position, { limitName, limit, actual })
}

const SHOWN_CHARACTERS_MAX = 60

/** The text of a token as an error shows it: a whole megabyte of string literal would not help. */
export function shownToken(image: string): string {
  if (image.length <= SHOWN_CHARACTERS_MAX) return image
  return `${image.slice(0, SHOWN_CHARACTERS_MAX).toWellFormed()}…`
}

/** Where `offset` lies in `text`; a line ends with \n, \r\n or \r, as the lexer counts them. */
export function positionAt(text: string, offset: number): Position {
  const lineEnd = /\r\n?|\n/g
  let line = 1
  let lineStart = 0
  for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
    if (lineEnd.lastIndex > offset) break
    line += 1
    lineStart = lineEnd.lastIndex
  }
  return { line, column: offset - lineStart + 1, offset }
}

/** `1 value`, `2 values`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
