// SPDX-License-Identifier: Apache-2.0

import { SIMILAR_TYPES } from '../builders/type-names.ts'
import { isDecimal } from '../grammar/expression-grammar.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { lostAmong, OWN_TYPES, typeLengthAt } from './sql-types.ts'
import { type Habit, listAt, piece, rewrite, type WrongStatement } from './wrong-statement.ts'

// What other databases write in the place of a value.

export const NO_SUBQUERY =
  'a statement has no other inside: read the inner one first, and give its values as a parameter, or one value by INTO'

export const NO_TABLE_FUNCTION =
  'rows come from a table alone: no VALUES and no function makes them'

/** a::varchar(20), CAST(a AS FLOAT(8)) -> a::TEXT, CAST(a AS REAL); all of them, wherever the mistake is. */
export const foreignCastType: Habit = (wrong) => {
  const replaced = new Map<number, string>()
  const types: string[] = []
  for (const [index, { tokenType }] of wrong.tokens.entries()) {
    const isCast =
      tokenType === keyword.As && imageAt(wrong, openBefore(wrong, index) - 1) === 'CAST'
    if (!isCast && tokenType !== token.CastMark) continue
    const type = imageAt(wrong, index + 1) ?? ''
    types.push(type)
    const similar = SIMILAR_TYPES.get(type)
    if (similar !== undefined) replaced.set(index + 1, similar)
    if (isDecimal(similar ?? type)) continue
    for (const length of typeLengthAt(wrong.tokens, index + 2)) replaced.set(length, '')
  }
  const lost = lostAmong(types)
  if (lost !== undefined) return { advice: lost }
  if (replaced.size === 0) return undefined
  return { advice: OWN_TYPES, rewritten: rewrite(wrong, replaced), onlyRewritten: true }
}

/** INTERVAL 1 DAY, INTERVAL '1' DAY -> INTERVAL '1 day' */
const interval: Habit = (wrong) => {
  const { tokens, at } = wrong
  const [unit, start] = imageAt(wrong, at - 1) === 'INTERVAL' ? [at + 1, at] : [at, at - 1]
  if (imageAt(wrong, start - 1) !== 'INTERVAL') return undefined
  const count = tokens[start]?.image.replaceAll("'", '')
  const text = `'${count} ${tokens[unit]?.image.toLowerCase()}'`
  return {
    advice: "a length of time has its unit within the quotes, INTERVAL '2 hours'",
    rewritten: rewrite(
      wrong,
      new Map([
        [start, text],
        [unit, ''],
      ]),
    ),
  }
}

/** a IN (SELECT …) -> a IN :values */
const subquery: Habit = (wrong) => {
  const { tokens, at } = wrong
  const isInner = tokens[at]?.tokenType === keyword.Select || tokens[at]?.tokenType === keyword.Scan
  const isExists = tokens[at]?.tokenType === keyword.Exists && imageAt(wrong, at + 1) === '('
  const isTable =
    tokens[at]?.tokenType === token.LeftParenthesis && tokens[at - 1]?.tokenType === keyword.From
  if (isExists || isTable) return { advice: NO_SUBQUERY }
  if (!isInner || tokens[at - 1]?.tokenType !== token.LeftParenthesis) return undefined
  if (tokens[at - 2]?.tokenType !== keyword.In) return { advice: NO_SUBQUERY }
  const inner = range(at, closeAfter(wrong, at - 1) + 1)
  const replaced = new Map([[at - 1, ':values'], ...inner.map((index) => [index, ''] as const)])
  return { advice: NO_SUBQUERY, rewritten: rewrite(wrong, replaced) }
}

/** IF(a, b, c) -> CASE WHEN a THEN b ELSE c END */
const ifCall: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== keyword.If || imageAt(wrong, at + 1) !== '(') return undefined
  const [condition, value, other] = listAt(wrong, at + 1)
  if (other === undefined) return undefined
  const inner = range(at + 1, closeAfter(wrong, at + 1) + 1)
  const replaced = new Map(inner.map((index) => [index, '']))
  replaced.set(at, `CASE WHEN ${condition} THEN ${value} ELSE ${other} END`)
  const rewritten = rewrite(wrong, replaced)
  return { advice: 'a choice between values is CASE', rewritten, onlyRewritten: true }
}

/** a ILIKE 'X%' -> lower(a) LIKE 'x%' */
const ilike: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (imageAt(wrong, at) !== 'ILIKE') return undefined
  const [not, pattern] = [imageAt(wrong, at - 1) === 'NOT', tokens[at + 1]]
  const name = not ? at - 2 : at - 1
  const isName = token.isOf(tokens[name]?.tokenType ?? token.Star, keyword.Name)
  if (!isName || pattern?.tokenType !== token.Text)
    return { advice: "LIKE on lower(…) ignores case: lower(name) LIKE 'a%'" }
  const start = imageAt(wrong, name - 1) === '.' ? name - 2 : name
  const column =
    start === name ? tokens[name]?.image : `${tokens[start]?.image}.${tokens[name]?.image}`
  const replaced = new Map(range(start, name + 1).map((index) => [index, '']))
  replaced.set(name, `lower(${column})`)
  replaced.set(at, 'LIKE')
  replaced.set(at + 1, pattern.image.toLowerCase())
  const isWithin = pattern.image.startsWith("'%")
  const advice = `${isWithin ? `words are found by MATCH, and ` : ''}LIKE on lower(…) ignores case`
  return { advice, rewritten: rewrite(wrong, replaced) }
}

/** SELECT DISTINCT ON (a) … */
const distinctOn: Habit = ({ tokens, at }) =>
  tokens[at]?.tokenType === keyword.On && tokens[at - 1]?.tokenType === keyword.Distinct
    ? {
        advice:
          'the first row of each group: GROUP BY with MIN or MAX, or a SCAN … LIMIT 1 for each',
      }
    : undefined

const overWindow: Habit = ({ tokens, at }) =>
  tokens[at]?.image.toUpperCase() === 'OVER'
    ? { advice: 'there are no window functions: GROUP BY, or count in the client' }
    : undefined

/** substring(a FROM 1 FOR 2), extract(year FROM a), position('x' IN a): between arguments stands a comma */
const wordsInCall: Habit = (wrong) => {
  const { tokens, at } = wrong
  const isPosition = tokens[at - 1]?.tokenType === keyword.In
  if (tokens[at]?.tokenType !== keyword.From && !isPosition) return undefined
  const open = openBefore(wrong, at)
  const name = imageAt(wrong, open - 1)
  if (open < 1 || name === undefined) return undefined
  const words = isPosition
    ? [at - 1]
    : range(at, closeAfter(wrong, open)).filter((index) => {
        const type = tokens[index]?.tokenType
        return type === keyword.From || type === keyword.For
      })
  const replaced = new Map<number, string>()
  for (const word of words) {
    replaced.set(word - 1, `${tokens[word - 1]?.image},`)
    replaced.set(word, '')
  }
  if (name === 'EXTRACT') replaced.set(at - 1, `'${tokens[at - 1]?.image.toLowerCase()}',`)
  if (name === 'SUBSTRING') replaced.set(open - 1, 'substr')
  return {
    advice: 'between the arguments of a function stands a comma',
    rewritten: rewrite(wrong, replaced),
    onlyRewritten: isPosition,
  }
}

/** trim(BOTH 'x' FROM a), trim(LEADING FROM a) -> trim(a, 'x'), ltrim(a) */
const trimOf: Habit = (wrong) => {
  const { tokens, at } = wrong
  const open = openBefore(wrong, at)
  const name = TRIMS.get(imageAt(wrong, open + 1) ?? '')
  const from = tokens.findIndex(
    ({ tokenType }, index) => index > open && tokenType === keyword.From,
  )
  if (imageAt(wrong, open - 1) !== 'TRIM' || name === undefined || from < 0) return undefined
  const close = closeAfter(wrong, open)
  const [characters, value] = [piece(wrong, open + 2, from), piece(wrong, from + 1, close)]
  const replaced = new Map(range(open, close + 1).map((index) => [index, '']))
  replaced.set(open - 1, `${name}(${[value, characters].filter((each) => each !== '').join(', ')})`)
  const advice = 'between the arguments of a function stands a comma'
  return { advice, rewritten: rewrite(wrong, replaced), onlyRewritten: true }
}

const TRIMS: ReadonlyMap<string, string> = new Map([
  ['BOTH', 'trim'],
  ['LEADING', 'ltrim'],
  ['TRAILING', 'rtrim'],
])

/** SET (a, b) = (1, 2) -> SET a = 1, b = 2 */
const assignedRow: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== token.LeftParenthesis) return undefined
  if (tokens[at - 1]?.tokenType !== keyword.SetWord) return undefined
  const middle = closeAfter(wrong, at) + 1
  const [columns, values] = [listAt(wrong, at), listAt(wrong, middle + 1)]
  if (tokens[middle]?.tokenType !== token.Equal || columns.length !== values.length)
    return undefined
  const replaced = new Map(range(at, closeAfter(wrong, middle + 1) + 1).map((index) => [index, '']))
  replaced.set(at, columns.map((column, index) => `${column} = ${values[index]}`).join(', '))
  return { advice: 'each column is assigned by itself', rewritten: rewrite(wrong, replaced) }
}

/** a = ANY($1), a <> ALL(:list) -> a IN $1, a NOT IN :list; all of them, wherever the mistake is. */
export const anyOf: Habit = (wrong) => {
  const replaced = new Map<number, string>()
  for (const [index, { image }] of wrong.tokens.entries()) {
    const isAll = image.toUpperCase() === 'ALL'
    if (!isAll && !/^(ANY|SOME)$/i.test(image)) continue
    const isOne = imageAt(wrong, index + 1) === '(' && imageAt(wrong, index + 3) === ')'
    const operator = imageAt(wrong, index - 1)
    const isFit = isAll ? operator === '<>' || operator === '!=' : operator === '='
    if (!isOne || !isFit || !/^[:$]/.test(imageAt(wrong, index + 2) ?? '')) continue
    replaced.set(index - 1, isAll ? 'NOT IN' : 'IN')
    for (const mark of [index, index + 1, index + 3]) replaced.set(mark, '')
  }
  if (replaced.size === 0) return undefined
  return {
    advice: 'a list is asked by IN',
    rewritten: rewrite(wrong, replaced),
    onlyRewritten: true,
  }
}

/** FROM generate_series(1, 10), FROM t, json_each(a) */
const tableFunction: Habit = ({ tokens, at }) =>
  tokens[at]?.tokenType === token.LeftParenthesis && tokens[at - 2]?.tokenType === keyword.From
    ? { advice: NO_TABLE_FUNCTION }
    : undefined

export const EXPRESSION_HABITS: readonly Habit[] = [
  ...[interval, subquery, ifCall, ilike, distinctOn, overWindow, trimOf, wordsInCall],
  ...[assignedRow, tableFunction],
]

function imageAt({ tokens }: Pick<WrongStatement, 'tokens'>, index: number): string | undefined {
  return tokens[index]?.image.toUpperCase()
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** The parenthesis that is open at a token, or -1. */
function openBefore({ tokens }: WrongStatement, at: number): number {
  let depth = 0
  for (let index = at - 1; index >= 0; index -= 1) {
    const type = tokens[index]?.tokenType
    if (type === token.RightParenthesis) depth += 1
    if (type === token.LeftParenthesis) {
      if (depth === 0) return index
      depth -= 1
    }
  }
  return -1
}

/** The parenthesis that closes the one at `open`, or the last token. */
function closeAfter({ tokens }: WrongStatement, open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index += 1) {
    const type = tokens[index]?.tokenType
    if (type === token.LeftParenthesis) depth += 1
    if (type === token.RightParenthesis) depth -= 1
    if (depth === 0) return index
  }
  return tokens.length - 1
}
