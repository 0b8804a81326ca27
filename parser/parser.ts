// SPDX-License-Identifier: Apache-2.0

import type { IToken, Lexer } from 'chevrotain'
import type { InsertStatement, ScanStatement, Statement } from './ast.ts'
import { buildScript } from './builders/ast-builder.ts'
import { buildInsertedRows } from './builders/row-statement-builder.ts'
import { type PlaceInText, placeInText } from './completion/place-in-text.ts'
import { Grammar } from './grammar/grammar.ts'
import { createLexer } from './grammar/tokens.ts'
import { ParseError } from './parse-error.ts'
import { STATEMENT_CACHE_LIMITS } from './parser-limits.ts'
import { type WrittenStatement, withExplainedScript } from './script/explained-script.ts'
import { type ScriptPart, scriptParts, type TokenRange } from './script/script-parts.ts'
import { StatementCache, type StatementCacheLimits } from './statement-cache.ts'
import {
  SHAPE_READ_CHARACTERS,
  shapeOfLexed,
  shapeOfOne,
  statementShape,
} from './statement-shape.ts'
import { otherLookupOrders } from './suggestions/lookup-order.ts'
import {
  isSameTree,
  type TokenEdit,
  withEdits,
  withNodes,
} from './suggestions/rewritten-statement.ts'
import { ExpectedTokens } from './syntax-error/expected-tokens.ts'
import { describeMistake, type Mistake, withOwnTypes } from './syntax-error/syntax-error.ts'
import { checkText, checkTokens, checkTurn, statementAt } from './text-limits.ts'

export type { PlaceInText } from './completion/place-in-text.ts'
export { shownName } from './completion/shown-name.ts'
export { PARSER_LIMITS } from './parser-limits.ts'
export type { TokenEdit } from './suggestions/rewritten-statement.ts'
export { ParseError }

export interface Parser {
  /**
   * The statements of a text, separated by `;`, empty ones left out; the whole text is parsed before
   * anything can run. The result is cached and shared. Throws `ParseError` and nothing else.
   */
  parseScript(text: string): readonly Statement[]
  /** The same for a text that is not short: between two parts, others may have their turn, and parse as well. */
  parseInParts(text: string): Generator<void, readonly Statement[]>
  /** The same for a text that is remembered; undefined for any other, which takes longer. */
  knownScript(text: string): readonly Statement[] | undefined
  /**
   * The text without its values, short, for people who want to know what is running; of any text. With an `offset` only
   * of the statement that begins there.
   */
  shapeOf(text: string, offset?: number): string
  /** What may be written at an offset of any text. Throws `ParseError` where it is too long. */
  placeIn(text: string, offset: number): PlaceInText
  /**
   * One statement with some of its tokens changed. It is parsed again: undefined unless it is the one expected, node by
   * node.
   */
  rewritten(text: string, edits: readonly TokenEdit[], expected: Statement): string | undefined
  /** The texts of a SCAN with LOOKUP that begin with another of its tables and find the same rows. */
  otherLookupOrders(text: string, scan: ScanStatement): readonly string[]
}

export type ParserOptions = {
  /** Whether to trust the grammar instead of checking it first (20 ms); tests check. */
  readonly skipValidations?: boolean
  readonly cacheLimits?: StatementCacheLimits
}

/** The first parser of a process takes some 20 ms, in which its grammar is analysed; the others share that. */
export function createParser(options: ParserOptions = {}): Parser {
  return new CachingParser(options)
}

/** What parsers may share: nothing is left in it between two texts, or two parts of one. */
type Analysis = { readonly lexer: Lexer; readonly grammar: Grammar }

function analyse(skipValidations: boolean): Analysis {
  return { lexer: createLexer({ skipValidations }), grammar: new Grammar({ skipValidations }) }
}

let trusted: Analysis | undefined

/** The analysis of the grammar that is trusted, once for each process. */
function trustedAnalysis(): Analysis {
  trusted ??= analyse(true)
  return trusted
}

// Estimates of what a cached text occupies: a character, and a token with its share of the tree and of the plan,
// which is kept as long as the tree.
const BYTES_PER_CHARACTER = 2
const BYTES_PER_TOKEN = 450

class CachingParser implements Parser {
  readonly #lexer: Lexer
  readonly #grammar: Grammar
  readonly #cache: StatementCache
  #expectedTokens: ExpectedTokens | undefined
  /** The last text that was parsed, if it is short: what has just been parsed may be asked for its shape. */
  #lexed: { readonly text: string; readonly tokens: readonly IToken[] } | undefined

  constructor({ skipValidations = true, cacheLimits = STATEMENT_CACHE_LIMITS }: ParserOptions) {
    const { lexer, grammar } = skipValidations ? trustedAnalysis() : analyse(false)
    this.#lexer = lexer
    this.#grammar = grammar
    this.#cache = new StatementCache(cacheLimits)
  }

  parseScript(text: string): readonly Statement[] {
    const known = this.knownScript(text)
    if (known !== undefined) return known
    const parts = this.parseInParts(text)
    for (;;) {
      const part = parts.next()
      if (part.done) return part.value
    }
  }

  *parseInParts(text: string): Generator<void, readonly Statement[]> {
    const cached = this.#cache.get(text)
    if (cached !== undefined) return cached
    checkText(text)
    const { tokens } = this.#lexer.tokenize(text)
    yield
    const statements = yield* this.#checkAndParse(text, tokens)
    const bytes = text.length * BYTES_PER_CHARACTER + tokens.length * BYTES_PER_TOKEN
    // Another request may have parsed it meanwhile.
    if (this.#cache.get(text) === undefined) this.#cache.add(text, statements, bytes)
    if (text.length <= SHAPE_READ_CHARACTERS) this.#lexed = { text, tokens }
    return statements
  }

  knownScript(text: string): readonly Statement[] | undefined {
    return this.#cache.get(text)
  }

  shapeOf(text: string, offset?: number): string {
    if (offset === undefined) return statementShape(this.#lexer, text)
    if (this.#lexed?.text === text) return shapeOfLexed(this.#lexed.tokens, offset)
    return shapeOfOne(this.#lexer, text, offset)
  }

  placeIn(text: string, offset: number): PlaceInText {
    checkText(text)
    return placeInText(text, offset, this.#lexer.tokenize(text).tokens, this.#expected())
  }

  rewritten(text: string, edits: readonly TokenEdit[], expected: Statement): string | undefined {
    const rewritten = withEdits(text, this.#lexer.tokenize(text).tokens, edits)
    try {
      return isSameTree(this.parseScript(rewritten), [expected]) ? rewritten : undefined
    } catch {
      return undefined
    }
  }

  otherLookupOrders(text: string, scan: ScanStatement): readonly string[] {
    const [statement] = this.parseScript(text)
    return otherLookupOrders(scan, this.#lexer.tokenize(text).tokens)
      .map(({ edits, expected }) =>
        this.rewritten(text, edits, withNodes(statement as Statement, new Map([[scan, expected]]))),
      )
      .filter((each) => each !== undefined)
  }

  *#checkAndParse(text: string, tokens: IToken[]): Generator<void, readonly Statement[]> {
    try {
      checkTokens(tokens)
      const statements: WrittenStatement[] = []
      for (const part of scriptParts(tokens)) {
        if (part.kind === 'longInsert') statements.push(yield* this.#longInsert(text, tokens, part))
        else statements.push(...(yield* this.#statementsOf(text, tokens, [part.range])))
        yield
      }
      return withExplainedScript(statements)
    } catch (error) {
      throw error instanceof ParseError
        ? error.inStatement(statementAt(tokens, error.offset))
        : error
    }
  }

  /** In the order of the text, so that of two mistakes the first is told. */
  *#longInsert(
    text: string,
    tokens: IToken[],
    { head, rows, tail }: ScriptPart & { readonly kind: 'longInsert' },
  ): Generator<void, InsertStatement> {
    const [insert] = (yield* this.#statementsOf(text, tokens, [head])) as [InsertStatement]
    const inserted = [...insert.rows]
    for (const range of rows) {
      yield
      const tree = yield* this.#tree(text, tokens, [range], (some) => this.#grammar.parseRows(some))
      inserted.push(...buildInsertedRows(tree, insert.columns.length))
    }
    if (tail.to === tail.from) return { ...insert, rows: inserted }
    const [whole] = (yield* this.#statementsOf(text, tokens, [head, tail])) as [InsertStatement]
    return { ...whole, rows: inserted }
  }

  *#statementsOf(
    text: string,
    tokens: IToken[],
    ranges: readonly TokenRange[],
  ): Generator<void, readonly WrittenStatement[]> {
    const tree = yield* this.#tree(text, tokens, ranges, (some) => this.#grammar.parse(some))
    try {
      return buildScript(tree, text)
    } catch (error) {
      throw withOwnTypes(error, { text, tokens }, (other) => this.#check(other))
    }
  }

  /** The tree of these tokens, which follow each other when there is nothing wrong between them. */
  *#tree<Tree>(
    text: string,
    tokens: IToken[],
    ranges: readonly TokenRange[],
    parse: (tokens: IToken[]) => Tree,
  ): Generator<void, Tree> {
    const own = ranges.flatMap(({ from, to }) => tokens.slice(from, to))
    checkTurn(own)
    const tree = parse(own)
    const mistake = this.#mistakeIn(text, tokens, ranges.at(-1)?.to ?? tokens.length)
    if (mistake === undefined) return tree
    // To explain it takes as long as to parse it.
    yield
    throw describeMistake(mistake, this.#expected(), (other) => this.#check(other))
  }

  /** Of what was parsed last; `end` is where those tokens end. */
  #mistakeIn(text: string, tokens: readonly IToken[], end: number): Mistake | undefined {
    const wrong = this.#grammar.errors[0]?.token
    if (wrong === undefined) return undefined
    const found = tokens.indexOf(wrong)
    return { text, tokens, at: found < 0 ? end : found }
  }

  #check(text: string): Mistake | undefined {
    const { tokens } = this.#lexer.tokenize(text)
    this.#grammar.parse(tokens)
    return this.#mistakeIn(text, tokens, tokens.length)
  }

  #expected(): ExpectedTokens {
    this.#expectedTokens ??= new ExpectedTokens(this.#grammar.scriptRule())
    return this.#expectedTokens
  }
}
