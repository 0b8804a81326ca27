// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Advice, type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Slips of the pen, and marks that other languages use: what is wrong whichever the statement is.

export const doubleEqual: Habit = (wrong) => {
  if (wrong.tokens[wrong.at]?.tokenType !== token.DoubleEqual) return undefined
  const all = wrong.tokens.flatMap((each, index) =>
    each.tokenType === token.DoubleEqual ? [[index, '='] as const] : [],
  )
  return { advice: 'equality is a single =', rewritten: rewrite(wrong, new Map(all)) }
}

export const trailingComma: Habit = (wrong) => {
  const comma = wrong.at - 1
  if (wrong.tokens[comma]?.tokenType !== token.Comma) return undefined
  const rewritten = rewrite(wrong, new Map([[comma, '']]))
  return { advice: 'drop the comma before it', rewritten, onlyRewritten: true }
}

/** 'it's' is the string 'it', glued to a name and an unclosed string. */
export const quoteInsideString: Habit = ({ tokens, at }) => {
  const previous = tokens[at - 1]
  const next = tokens[at]
  if (previous?.tokenType !== token.Text || next === undefined) return undefined
  if (previous.startOffset + previous.image.length !== next.startOffset) return undefined
  if (!token.isOf(next.tokenType, keyword.Name)) return undefined
  return { advice: "a quote inside a string is written twice: 'it''s'" }
}

export const reservedWordAsName: Habit = (wrong) => {
  const word = wrong.tokens[wrong.at]
  if (word === undefined || !keyword.RESERVED_WORDS.includes(word.tokenType)) return undefined
  const rewritten = rewrite(wrong, new Map([[wrong.at, `"${word.image}"`]]))
  const advice = `${word.tokenType.name} is a reserved word, quoted it is a name`
  return { advice, rewritten, onlyRewritten: true }
}

export const foreignCharacter: Habit = (wrong) => {
  const image = wrong.tokens[wrong.at]?.image ?? ''
  const source = rewrite(wrong, new Map())
  switch (image.charAt(0)) {
    case '`':
      return {
        advice: 'names are quoted by double quotes',
        rewritten: outsideTexts(source, /`([^`"]+)`/g, (name) => `"${name}"`),
      }
    case '[':
      return {
        advice: 'names are quoted by double quotes',
        // Without [ inside, or each of many open brackets would look for its end again.
        rewritten: outsideTexts(source, /\[([^[\]"]+)\]/g, (name) => `"${name}"`),
      }
    case '‘':
    case '’':
    case '“':
    case '”':
      return {
        advice: 'quotes are straight',
        rewritten: outsideTexts(source, /([‘’“”])/g, (quote) => (/[‘’]/.test(quote) ? "'" : '"')),
      }
    case '#':
      return { advice: 'a comment begins with --' }
    case '?':
      return {
        advice: 'a parameter is $1, $2, … or :name',
        rewritten: rewrite(wrong, numbered(wrong)),
        onlyRewritten: true,
      }
    case '@':
      return {
        advice: 'a parameter begins with a colon',
        rewritten: outsideTexts(source, /@(\w+)/g, (name) => `:${name}`),
        onlyRewritten: true,
      }
    default:
      return undefined
  }
}

/** A source with something replaced that is no part of a text, a quoted name or a comment. */
function outsideTexts(source: string, mark: RegExp, instead: (found: string) => string): string {
  const rewritten = (from: number, to?: number) =>
    source.slice(from, to).replace(mark, (_, found: string) => instead(found))
  let result = ''
  let end = 0
  for (const { 0: quoted, index } of source.matchAll(QUOTED)) {
    result += rewritten(end, index) + quoted
    end = index + quoted.length
  }
  return result + rewritten(end)
}

/** A comment that does not end reaches to the end: else each of its beginnings would look for one. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g

/** Each ? with its number. */
function numbered({ tokens }: WrongStatement): ReadonlyMap<number, string> {
  const marks = tokens.flatMap(({ image }, index) => (image === '?' ? [index] : []))
  return new Map(marks.map((index, number) => [index, `$${number + 1}`]))
}

export const chainedComparison: Habit = (wrong) => {
  const { tokens, at } = wrong
  const type = tokens[at]?.tokenType
  if (type === undefined || !token.isOf(type, token.ComparisonOperator)) return undefined
  const before = tokens.slice(0, at).map(({ tokenType }) => tokenType)
  if (tokens[at - 2]?.image === '||') return orByBars(at - 2, wrong)
  const chained = before.some((each) => token.isOf(each, token.ComparisonOperator))
  if (!chained || !before.includes(keyword.Where)) return undefined
  return { advice: 'comparisons do not chain: write a < b AND b < c, or b BETWEEN a AND c' }
}

/** a = 1 || b = 2 -> a = 1 OR b = 2 */
function orByBars(bars: number, wrong: WrongStatement): Advice {
  const rewritten = rewrite(wrong, new Map([[bars, 'OR']]))
  return { advice: '|| joins texts, and OR conditions', rewritten }
}
