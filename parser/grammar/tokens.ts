// SPDX-License-Identifier: Apache-2.0

import { createToken, Lexer, type TokenType } from 'chevrotain'
import * as keywords from './keywords.ts'
import { Alias, Identifier, KEYWORDS, Literal, Name } from './keywords.ts'

const category = (name: string): TokenType => createToken({ name, pattern: Lexer.NA })

export const Parameter = category('Parameter')
/**
 * What stands between two terms of a chain. `+` and `-` bind tighter than the others of them, which the builder sees
 * to: a level of its own would cost every expression a rule.
 */
export const AdditiveOperator = category('AdditiveOperator')
export const MultiplicativeOperator = category('MultiplicativeOperator')
export const ComparisonOperator = category('ComparisonOperator')
/** Plus and minus before an operand. */
export const Sign = category('Sign')
/** What leads into a JSON value. */
export const JsonArrow = category('JsonArrow')
/** A number, which alone may carry a sign in a DEFAULT. */
export const NumberLiteral = category('NumberLiteral')
/** No rule of the grammar takes one of these, so the parser stops at the first, in text order. */
export const Malformed = category('Malformed')

const WhiteSpace = createToken({ name: 'WhiteSpace', pattern: /\s+/, group: Lexer.SKIPPED })
const LineComment = createToken({
  name: 'LineComment',
  pattern: /--[^\n\r]*/,
  group: Lexer.SKIPPED,
})
const BlockComment = createToken({
  name: 'BlockComment',
  pattern: /\/\*[\s\S]*?\*\//,
  group: Lexer.SKIPPED,
  line_breaks: true,
})

function mark(name: string, image: string, categories: TokenType[] = []): TokenType {
  return createToken({ name, label: `'${image}'`, pattern: image, categories })
}
export const Semicolon = mark('Semicolon', ';')
export const Comma = mark('Comma', ',')
export const LeftParenthesis = mark('LeftParenthesis', '(')
export const RightParenthesis = mark('RightParenthesis', ')')
export const Dot = mark('Dot', '.')
export const Star = mark('Star', '*', [MultiplicativeOperator])
const Slash = mark('Slash', '/', [MultiplicativeOperator])
const Percent = mark('Percent', '%', [MultiplicativeOperator])
const Plus = mark('Plus', '+', [AdditiveOperator, Sign])
const Minus = mark('Minus', '-', [AdditiveOperator, Sign])
const Concatenation = mark('Concatenation', '||', [AdditiveOperator])
const JsonMember = mark('JsonMember', '->', [AdditiveOperator, JsonArrow])
const JsonMemberText = mark('JsonMemberText', '->>', [AdditiveOperator, JsonArrow])
const JsonPath = mark('JsonPath', '#>', [AdditiveOperator, JsonArrow])
const JsonPathText = mark('JsonPathText', '#>>', [AdditiveOperator, JsonArrow])
const JsonContains = mark('JsonContains', '@>', [AdditiveOperator])
/** Before a word or a number it is what other databases write for a parameter. */
export const JsonHas = createToken({
  name: 'JsonHas',
  label: "'?'",
  pattern: /\?(?!\w)/,
  categories: [AdditiveOperator],
})
export const CastMark = mark('CastMark', '::')
export const Equal = mark('Equal', '=', [ComparisonOperator])
const LessOrEqual = mark('LessOrEqual', '<=', [ComparisonOperator])
const GreaterOrEqual = mark('GreaterOrEqual', '>=', [ComparisonOperator])
const Less = mark('Less', '<', [ComparisonOperator])
const Greater = mark('Greater', '>', [ComparisonOperator])
const NotEqual = createToken({
  name: 'NotEqual',
  label: "'<>'",
  pattern: /<>|!=/,
  categories: [ComparisonOperator],
})

// The patterns of literals are written so that no character can be matched in two ways: their time
// stays linear in a text of a megabyte.
export const Text = createToken({
  name: 'Text',
  pattern: /'[^']*(?:''[^']*)*'(?!')/,
  line_breaks: true,
  categories: [Literal],
})
export const Bytes = createToken({
  name: 'Bytes',
  pattern: /x'(?:[0-9a-f]{2})*'/i,
  categories: [Literal],
})
export const Real = createToken({
  name: 'Real',
  pattern: /(?:\d+\.\d+(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])/i,
  categories: [Literal, NumberLiteral],
})
export const Integer = createToken({
  name: 'Integer',
  pattern: /\d+(?![\w.])/,
  categories: [Literal, NumberLiteral],
})
/** A name everywhere else; before a text it begins a length of time. */
export const IntervalMark = createToken({
  name: 'IntervalMark',
  label: 'INTERVAL',
  pattern: /interval(?=\s*')/i,
})
export const NamedParameter = createToken({
  name: 'NamedParameter',
  pattern: /:[A-Za-z_][A-Za-z0-9_]*/,
  categories: [Parameter],
})
export const NumberedParameter = createToken({
  name: 'NumberedParameter',
  pattern: /\$[1-9]\d*(?!\w)/,
  categories: [Parameter],
})
/** What a token of access says of its holder, in the rule of a GRANT. */
export const ClaimParameter = createToken({
  name: 'ClaimParameter',
  pattern: /token\.[A-Za-z_][A-Za-z0-9_]*/i,
  categories: [Parameter],
})
export const QuotedIdentifier = createToken({
  name: 'QuotedIdentifier',
  pattern: /"(?!"(?!"))[^"]*(?:""[^"]*)*"(?!")/,
  line_breaks: true,
  categories: [Name, Alias],
})

function malformed(name: string, pattern: RegExp): TokenType {
  return createToken({ name, pattern, line_breaks: true, categories: [Malformed] })
}
export const UnclosedComment = malformed('UnclosedComment', /\/\*[\s\S]*/)
export const UnclosedText = malformed('UnclosedText', /'[\s\S]*/)
export const MalformedBytes = malformed('MalformedBytes', /x'[^']*'?/i)
export const EmptyName = malformed('EmptyName', /""(?!")/)
export const UnclosedName = malformed('UnclosedName', /"[\s\S]*/)
export const MalformedNumber = malformed('MalformedNumber', /\.?\d[\w.]*/)
export const MalformedParameter = malformed('MalformedParameter', /[:$?@]\w*/)
export const DoubleEqual = malformed('DoubleEqual', /==/)
// Surrogate pairs whole, and a plain range for the rest: the lexer's first-character table refuses
// complements such as \S at the beginning of a pattern.
const UnknownCharacter = malformed(
  'UnknownCharacter',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are meant, too.
  /[\uD800-\uDBFF][\uDC00-\uDFFF]|[\u0000-\uFFFF]/,
)

/** In the order of trial; the well-formed token always comes before its malformed sister. */
const CONCRETE_TOKENS: readonly TokenType[] = [
  ...[WhiteSpace, LineComment, BlockComment, UnclosedComment],
  ...[Bytes, MalformedBytes, ClaimParameter, IntervalMark, ...KEYWORDS, Identifier],
  ...[Text, UnclosedText, Real, Integer, MalformedNumber],
  ...[QuotedIdentifier, EmptyName, UnclosedName],
  ...[JsonMemberText, JsonMember, JsonPathText, JsonPath, JsonContains, JsonHas, CastMark],
  ...[NamedParameter, NumberedParameter, MalformedParameter],
  ...[Semicolon, Comma, Dot, LeftParenthesis, RightParenthesis, Star, Slash, Percent, Plus],
  ...[
    Minus,
    Concatenation,
    DoubleEqual,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Equal,
    Less,
    Greater,
  ],
  UnknownCharacter,
]

/** Everything the grammar speaks of. */
export const VOCABULARY: TokenType[] = [
  ...[
    Name,
    Alias,
    Literal,
    Parameter,
    AdditiveOperator,
    MultiplicativeOperator,
    ComparisonOperator,
  ],
  ...[Sign, JsonArrow, NumberLiteral, Malformed, ...CONCRETE_TOKENS],
]

export function isOf(token: TokenType, category: TokenType): boolean {
  return token === category || (token.CATEGORIES?.includes(category) ?? false)
}

const OPERATOR_WORDS: readonly TokenType[] = [
  ...[keywords.And, keywords.Or, keywords.Not, keywords.In, keywords.Between, keywords.Like],
  ...[keywords.Is, keywords.Case, keywords.When, CastMark],
]

/** The tokens of any of the categories. A look-up in a set is what a loop over all tokens can pay. */
export function tokensOf(...categories: readonly TokenType[]): ReadonlySet<TokenType> {
  return new Set(
    CONCRETE_TOKENS.filter((token) => categories.some((category) => isOf(token, category))),
  )
}

/** The tokens that become, or may become, a node of an expression. */
export const EXPRESSION_TOKENS: ReadonlySet<TokenType> = new Set([
  ...OPERATOR_WORDS,
  ...tokensOf(Name, Literal, Parameter),
  ...tokensOf(AdditiveOperator, MultiplicativeOperator, ComparisonOperator),
])

/** Without `ensureOptimizations` a pattern that defeats the first-character table goes unnoticed. */
export function createLexer(options: { skipValidations: boolean }): Lexer {
  return new Lexer([...CONCRETE_TOKENS], {
    ensureOptimizations: true,
    positionTracking: 'full',
    skipValidations: options.skipValidations,
  })
}
