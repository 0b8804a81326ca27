// SPDX-License-Identifier: Apache-2.0

/** The bounds of the parser, unit last. `docs/limits.md` and `GET /v1/limits` list the same. */
export const PARSER_LIMITS = {
  /** One text, in bytes of UTF-8. */
  statementTextBytesMax: 1024 * 1024,
  /** Parentheses and CASEs open at one place, plus the prefix operators (NOT, -, +) written before it. */
  nestingMax: 64,
  /** Words, values and marks of one text, whatever they mean. */
  tokensMax: 100_000,
  /** Names, values, parameters and operators of one text. */
  expressionNodesMax: 20_000,
  /**
   * The same of one statement, with the parentheses inside others, which take as long to parse. Of a long
   * INSERT each few rows count by themselves. What is within it is parsed in one turn.
   */
  statementNodesMax: 12_000,
  /** Statements of one text, without the empty ones. */
  statementsMax: 1_000,
  /** Different parameters of one text; also the highest number that may follow `$`. */
  parametersMax: 10_000,
  /** Of one statement before a place where it is to be completed; behind more, nothing is offered. */
  completionTokensMax: 2_000,
} as const

export type ParserLimitName = keyof typeof PARSER_LIMITS

/** How an error message calls each limit. */
export const PARSER_LIMIT_WORDS: Readonly<Record<ParserLimitName, string>> = {
  statementTextBytesMax: 'bytes of statement text',
  nestingMax: 'levels of nesting',
  tokensMax: 'words, values and marks',
  expressionNodesMax: 'expression nodes',
  statementNodesMax: 'expression nodes and inner parentheses in one statement',
  statementsMax: 'statements in one text',
  parametersMax: 'parameters',
  completionTokensMax: 'words, values and marks before the place',
}

/** The bounds of the statement cache; both hold at any time. */
export const STATEMENT_CACHE_LIMITS = {
  entriesMax: 1_000,
  /** An estimate: the text, what the parser made of it, and its plan. */
  bytesMax: 32 * 1024 * 1024,
  /** A larger text is parsed each time, so that one bulk load does not empty the cache. */
  entryBytesMax: 2 * 1024 * 1024,
} as const
