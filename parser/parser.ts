// SPDX-License-Identifier: Apache-2.0

import type { IToken, Lexer } from 'chevrotain'
import type { Statement } from './ast.ts'
import { buildScript } from './ast-builder.ts'
import { ExpectedTokens } from './expected-tokens.ts'
import { Grammar } from './grammar.ts'
import { ParseError, type ParseErrorCode } from './parse-error.ts'
import { STATEMENT_CACHE_LIMITS } from './parser-limits.ts'
import { StatementCache, type StatementCacheLimits } from './statement-cache.ts'
import { describeMistake } from './syntax-error.ts'
import { checkText, checkTokens, statementAt } from './text-limits.ts'
import { createLexer } from './tokens.ts'

export { PARSER_LIMITS } from './parser-limits.ts'
export { ParseError, type ParseErrorCode }

export interface Parser {
  /**
   * The statements of a text, separated by `;`, empty ones left out; the whole text is parsed before
   * anything can run. The result is cached and shared. Throws `ParseError` and nothing else.
   */
  parseScript(text: string): readonly Statement[]
  /** The same for a text that is remembered; undefined for any other, which takes longer. */
  knownScript(text: string): readonly Statement[] | undefined
}

export type ParserOptions = {
  /** Whether to trust the grammar instead of checking it first (20 ms); tests check. */
  readonly skipValidations?: boolean
  readonly cacheLimits?: StatementCacheLimits
}

/** Building a parser takes some 10 ms: a process makes one and uses it for every text. */
export function createParser(options: ParserOptions = {}): Parser {
  return new CachingParser(options)
}

// Estimates of what a cached text occupies: a character, and a token with its share of the tree.
const BYTES_PER_CHARACTER = 2
const BYTES_PER_TOKEN = 200

class CachingParser implements Parser {
  readonly #lexer: Lexer
  readonly #grammar: Grammar
  readonly #cache: StatementCache
  #expectedTokens: ExpectedTokens | undefined

  constructor({ skipValidations = true, cacheLimits = STATEMENT_CACHE_LIMITS }: ParserOptions) {
    this.#lexer = createLexer({ skipValidations })
    this.#grammar = new Grammar({ skipValidations })
    this.#cache = new StatementCache(cacheLimits)
  }

  parseScript(text: string): readonly Statement[] {
    const cached = this.#cache.get(text)
    if (cached !== undefined) return cached
    checkText(text)
    const { tokens } = this.#lexer.tokenize(text)
    const statements = this.#checkAndParse(text, tokens)
    const bytes = text.length * BYTES_PER_CHARACTER + tokens.length * BYTES_PER_TOKEN
    this.#cache.add(text, statements, bytes)
    return statements
  }

  knownScript(text: string): readonly Statement[] | undefined {
    return this.#cache.get(text)
  }

  #checkAndParse(text: string, tokens: IToken[]): readonly Statement[] {
    try {
      checkTokens(tokens)
      return this.#parse(text, tokens)
    } catch (error) {
      throw error instanceof ParseError
        ? error.inStatement(statementAt(tokens, error.offset))
        : error
    }
  }

  #parse(text: string, tokens: IToken[]): readonly Statement[] {
    const script = this.#grammar.parse(tokens)
    const wrong = this.#grammar.errors[0]?.token
    if (wrong === undefined) return buildScript(script, text)
    const found = tokens.indexOf(wrong)
    const mistake = { text, tokens, at: found < 0 ? tokens.length : found }
    throw describeMistake(mistake, this.#expected(), (other) => this.#parses(other))
  }

  #parses(text: string): boolean {
    this.#grammar.parse(this.#lexer.tokenize(text).tokens)
    return this.#grammar.errors.length === 0
  }

  #expected(): ExpectedTokens {
    this.#expectedTokens ??= new ExpectedTokens(this.#grammar.scriptRule())
    return this.#expectedTokens
  }
}
