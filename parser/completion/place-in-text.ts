// SPDX-License-Identifier: Apache-2.0
import type { IToken } from 'chevrotain'
import { nameText } from '../builders/literal.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { measureNesting } from '../nesting.ts'
import { PARSER_LIMITS } from '../parser-limits.ts'
import type { ExpectedTokens } from '../syntax-error/expected-tokens.ts'
import { expectedWords } from '../syntax-error/expected-words.ts'
import { type Wanted, wantedAfter } from './wanted.ts'

/** What may be written at a place of a text. */
export type PlaceInText = {
  /** Where the word begins that stands before the place, or is cut by it; the place itself where there is none. */
  readonly from: number
  /** What of a name has been written, without quotes. */
  readonly typed: string
  readonly isQuoted: boolean
  readonly wanted: readonly Wanted[]
  /** What could come, in the words of errors. */
  readonly expected: readonly string[]
  /** Names that stand where the statement names its tables, whether there are such tables or not. */
  readonly tables: readonly string[]
  /** What stands before the `.` in front of the place; undefined where there is none. */
  readonly qualifier: string | undefined
  /** What may stand there, with the table that each means. */
  readonly qualifiers: ReadonlyMap<string, string>
  /** The text ends in a statement without `;`, or within a string, a quoted name or a comment. */
  readonly unfinished: boolean
  /** Statements of the text, with one that is not finished and without empty ones. */
  readonly statements: number
}

/** Linear in the text; nothing is wanted where the statement before the place is wrong or very long. */
export function placeInText(
  text: string,
  offset: number,
  tokens: readonly IToken[],
  expectedTokens: ExpectedTokens,
): PlaceInText {
  const whole = { unfinished: isUnfinished(tokens), statements: countStatements(tokens) }
  const word = wordAt(tokens, offset)
  const from = word?.startOffset ?? offset
  const before = tokens.filter((each) => endOf(each) <= from)
  const start = before.findLastIndex(({ tokenType }) => tokenType === token.Semicolon) + 1
  const written = before.slice(start)
  const place = { ...typedIn(text.slice(from, offset)), from, ...whole }
  const isNoPlace = word === undefined && isWithin(text, tokens, offset)
  if (isNoPlace || !isShort(written)) return { ...place, ...NO_PLACE }
  const expectation = expectedTokens.after(written)
  const statement = statementFrom(tokens, start)
  const named = tablesNamed(statement)
  return {
    ...place,
    wanted: wantedAfter(written, expectation),
    expected: expectation.expected.length === 0 ? [] : expectedWords(expectation),
    tables: [...new Set(named.map(({ table }) => table))],
    qualifier: qualifierOf(written),
    qualifiers: new Map([
      ...named.map(({ table, alias }) => [alias, table] as const),
      ...excludedIn(written, named),
    ]),
  }
}

const NO_PLACE = {
  wanted: [],
  expected: [],
  tables: [],
  qualifier: undefined,
  qualifiers: new Map(),
}

function isUnfinished(tokens: readonly IToken[]): boolean {
  const last = tokens.at(-1)
  return last !== undefined && last.tokenType !== token.Semicolon
}

function countStatements(tokens: readonly IToken[]): number {
  return tokens.filter(({ tokenType }, at) => {
    const previous = tokens[at - 1]?.tokenType ?? token.Semicolon
    return tokenType !== token.Semicolon && previous === token.Semicolon
  }).length
}

/** The name or keyword that ends at the offset or goes on beyond it. */
function wordAt(tokens: readonly IToken[], offset: number): IToken | undefined {
  const word = tokens.find((each) => each.startOffset < offset && endOf(each) >= offset)
  if (word === undefined) return undefined
  const { tokenType } = word
  const isWord = tokenType === keyword.Identifier || keyword.KEYWORDS.includes(tokenType)
  const isOpenName = tokenType === token.QuotedIdentifier || tokenType === token.UnclosedName
  const isClosed = tokenType === token.QuotedIdentifier && endOf(word) === offset
  return isWord || (isOpenName && !isClosed) ? word : undefined
}

/** Whether the offset lies within a value or a comment. */
function isWithin(text: string, tokens: readonly IToken[], offset: number): boolean {
  const cut = tokens.find((each) => each.startOffset < offset && endOf(each) >= offset)
  // After a mark, or the closing quote of a text, something else may begin; a number could go on.
  if (cut !== undefined) return endOf(cut) > offset || !ENDS_BY_ITSELF.test(cut.image)
  const previous = tokens.findLast((each) => endOf(each) <= offset)
  const gap = text.slice(previous === undefined ? 0 : endOf(previous), offset)
  const comments = [...gap.matchAll(COMMENT)]
  const last = comments.at(-1)
  return last !== undefined && last.index + last[0].length === gap.length && !/\*\/$/.test(gap)
}

const COMMENT = /--[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/g
const ENDS_BY_ITSELF = /^[^\w:$?@'"]+$|^::$|^@>$|^x?'[\s\S]*'$|^"[\s\S]*"$/i

function typedIn(word: string): Pick<PlaceInText, 'typed' | 'isQuoted'> {
  const isQuoted = word.startsWith('"')
  return { isQuoted, typed: isQuoted ? word.slice(1).replaceAll('""', '"') : word }
}

/** To follow the grammar takes longer than to cut the text into tokens, and goes as deep as its parentheses. */
function isShort(written: readonly IToken[]): boolean {
  if (written.length > PARSER_LIMITS.completionTokensMax) return false
  return measureNesting(written, PARSER_LIMITS.nestingMax).tooDeep === undefined
}

function statementFrom(tokens: readonly IToken[], start: number): readonly IToken[] {
  const end = tokens.findIndex(
    ({ tokenType }, index) => index >= start && tokenType === token.Semicolon,
  )
  return tokens.slice(start, end < 0 ? undefined : end)
}

const BEFORE_TABLES = new Set([
  ...[keyword.From, keyword.Lookup, keyword.Into, keyword.On, keyword.Table, keyword.Describe],
])

type NamedTable = { readonly table: string; readonly alias: string }

function tablesNamed(statement: readonly IToken[]): readonly NamedTable[] {
  return statement.flatMap((each, index) => {
    const previous = statement[index - 1]
    const isTable = previous !== undefined && BEFORE_TABLES.has(previous.tokenType)
    const isOnConflict = previous?.tokenType === keyword.On && each.tokenType === keyword.Conflict
    if (!isTable || isOnConflict || !isName(each)) return []
    const table = nameText(each)
    const [as, alias] = statement.slice(index + 1, index + 3)
    const isAlias = as?.tokenType === keyword.As && alias?.tokenType !== keyword.Of && isName(alias)
    return [{ table, alias: isAlias ? nameText(alias) : table }]
  })
}

function qualifierOf(written: readonly IToken[]): string | undefined {
  const [name, dot] = written.slice(-2)
  return dot?.tokenType === token.Dot && isName(name) ? nameText(name) : undefined
}

/** The row that an upsert would have inserted. */
function excludedIn(
  written: readonly IToken[],
  [into]: readonly NamedTable[],
): ReadonlyArray<readonly [string, string]> {
  const isUpsert = written.some(({ tokenType }) => tokenType === keyword.Update)
  return isUpsert && into !== undefined ? [['excluded', into.table]] : []
}

function isName(each: IToken | undefined): each is IToken {
  return each !== undefined && token.isOf(each.tokenType, keyword.Name)
}

function endOf({ startOffset, image }: IToken): number {
  return startOffset + image.length
}
