// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// What other databases write in the place of a value.

const NO_CAST = 'there are no casts: a value has the type of the place where it stands'
const NO_SUBQUERY =
  'a statement reads one table and nothing else: read the inner one first, and give its values as a parameter'

/** CAST(a AS TEXT) -> a */
const cast: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== keyword.As) return undefined
  const open = openBefore(wrong, at)
  if (imageAt(wrong, open - 1) !== 'CAST') return undefined
  const close = closeAfter(wrong, open)
  const removed = [open - 1, open, ...range(at, close + 1)]
  return { advice: NO_CAST, rewritten: without(wrong, removed) }
}

/** a::text -> a, which the lexer takes for a colon and a parameter. */
const doubleColon: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.image !== ':') return undefined
  const removed: number[] = []
  for (const [index, { image, tokenType }] of tokens.entries()) {
    const next = tokens[index + 1]
    if (image !== ':' || tokenType !== token.MalformedParameter) continue
    if (next?.tokenType !== token.NamedParameter) continue
    removed.push(index, index + 1)
    removed.push(...range(index + 2, index + 2 + typeLengthTokens(wrong, index + 2)))
  }
  return removed.length === 0
    ? undefined
    : { advice: NO_CAST, rewritten: without(wrong, removed), onlyRewritten: true }
}

/** How many tokens the (20) or (10, 2) of a type has. */
function typeLengthTokens({ tokens }: WrongStatement, open: number): number {
  const [first, , end, , farEnd] = tokens.slice(open, open + 5)
  if (first?.tokenType !== token.LeftParenthesis) return 0
  if (end?.tokenType === token.RightParenthesis) return 3
  return farEnd?.tokenType === token.RightParenthesis ? 5 : 0
}

/** a->'x', a->>'x' */
const jsonPath: Habit = ({ tokens, at }) => {
  const [minus, greater] = [tokens[at - 1], tokens[at]]
  if (minus?.image !== '-' || greater?.image.startsWith('>') !== true) return undefined
  if (minus.startOffset + 1 !== greater.startOffset) return undefined
  return {
    advice:
      'there are no paths into JSON: read the whole column, or keep what is looked for in a column',
  }
}

/** now() - INTERVAL '1 day' -> :moment */
const interval: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== token.Text || imageAt(wrong, at - 1) !== 'INTERVAL')
    return undefined
  const advice = 'there is no INTERVAL: give the moment as a parameter'
  const start = at - 5
  const isNow = ['NOW', '(', ')'].every((image, index) => imageAt(wrong, start + index) === image)
  if (!isNow) return { advice }
  const rewritten = rewrite(
    wrong,
    new Map([[start, ':moment'], ...range(start + 1, at + 1).map((index) => [index, ''] as const)]),
  )
  return { advice, rewritten }
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

const MOMENTS: ReadonlySet<string> = new Set([
  ...['CURRENT_TIMESTAMP', 'CURRENT_DATE', 'CURRENT_TIME', 'LOCALTIMESTAMP', 'SYSDATE', 'GETDATE'],
])

function isMoment(name: string): boolean {
  return MOMENTS.has(name.toUpperCase())
}

/** DEFAULT CURRENT_TIMESTAMP -> DEFAULT now() */
const currentTimestamp: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (!isMoment(tokens[at - 1]?.image ?? '')) return undefined
  return {
    advice: 'the moment of the statement is now()',
    rewritten: rewrite(wrong, new Map([[at - 1, 'now()']])),
  }
}

const caseWhen: Habit = (wrong) => {
  if (imageAt(wrong, wrong.at - 1) !== 'CASE') return undefined
  const advice =
    'there is no CASE: coalesce, least and greatest choose among values, and SET … IF among rows'
  return { advice }
}

const overWindow: Habit = ({ tokens, at }) =>
  tokens[at]?.image.toUpperCase() === 'OVER'
    ? { advice: 'there are no window functions: GROUP BY along a key, or count in the client' }
    : undefined

/** substring(a FROM 1), extract(year FROM a), position('x' IN a) */
const wordsInCall: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== keyword.From) return undefined
  const open = openBefore(wrong, at)
  const name = tokens[open - 1]?.image
  if (open < 1 || name === undefined) return undefined
  return {
    advice: `there is no function ${name.toLowerCase()}: take the value apart in the client`,
  }
}

/** (a, b) = (1, 2) */
const rowValue: Habit = ({ tokens, at }) => {
  if (tokens[at]?.tokenType !== token.Comma) return undefined
  const before = tokens[at - 2]?.tokenType
  if (before !== token.LeftParenthesis || tokens[at - 3]?.tokenType === keyword.In) return undefined
  const outer = tokens[at - 3]?.tokenType
  if (outer !== keyword.Where && outer !== keyword.And) return undefined
  return { advice: 'values are compared one by one: a = 1 AND b = 2' }
}

export const EXPRESSION_HABITS: readonly Habit[] = [
  ...[cast, doubleColon, jsonPath, interval, subquery, caseWhen, currentTimestamp, overWindow],
  ...[wordsInCall, rowValue],
]

function imageAt({ tokens }: Pick<WrongStatement, 'tokens'>, index: number): string | undefined {
  return tokens[index]?.image.toUpperCase()
}

function without(wrong: WrongStatement, removed: readonly number[]): string {
  return rewrite(wrong, new Map(removed.map((index) => [index, ''])))
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
