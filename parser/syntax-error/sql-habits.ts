// SPDX-License-Identifier: Apache-2.0

import type { TokenType } from 'chevrotain'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { clausesInDisorder } from './clause-order.ts'
import {
  chainedComparison,
  doubleEqual,
  foreignCharacter,
  quoteInsideString,
  reservedWordAsName,
  trailingComma,
} from './slips.ts'
import { foreignCall } from './sql-calls.ts'
import { anyOf, EXPRESSION_HABITS, foreignCastType } from './sql-expressions.ts'
import { foreignPhrase } from './sql-phrases.ts'
import { foreignStatement } from './sql-statements.ts'
import { TABLE_HABITS } from './sql-tables.ts'
import { foreignColumnType, typeLength } from './sql-types.ts'
import { type Habit, piece, rewrite, type WrongStatement } from './wrong-statement.ts'

export const REWRITTEN_CHARACTERS_MAX = 1_000
/** Texts that are tried for one mistake: each is parsed. */
const TRIES_MAX = 12

export type Hint = {
  readonly hint: string
  /** The statement to send instead. The hint ends in it. */
  readonly suggestion?: string
}

/** What to write instead, where the statement shows habits of SQL or common slips. */
export function hintFor(wrong: WrongStatement): Hint | undefined {
  const found = putRight(wrong, { left: TRIES_MAX })
  if (found === undefined) return undefined
  const { text } = found
  const advices = [...new Set(found.advices)].join('; ')
  return text === undefined ? { hint: advices } : { hint: `${advices}: ${text}`, suggestion: text }
}

type Repair = {
  readonly advices: readonly string[]
  readonly text?: string
  /** Nothing was recognised: the advice is what the parser says. */
  readonly isComplaint?: true
}
type Tries = { left: number }

/** One habit is put right, and what is wrong after that is looked at in the same way. */
function putRight(wrong: WrongStatement, tries: Tries): Repair | undefined {
  let unsure: Repair | undefined
  for (const recognise of HABITS) {
    const found = recognise(wrong)
    if (found === undefined) continue
    const { advice, rewritten, onlyRewritten } = found
    const repaired = rewritten === undefined ? undefined : repair(wrong, rewritten, tries)
    if (repaired?.text !== undefined) {
      return { advices: [advice, ...repaired.advices], text: repaired.text }
    }
    const advised = { advices: [advice, ...(repaired?.advices ?? [])] }
    if (onlyRewritten !== true) return advised
    // Quoting a word leads anywhere.
    const leads = repaired?.isComplaint !== true && recognise !== reservedWordAsName
    if (repaired !== undefined && leads) unsure ??= advised
  }
  return unsure
}

function repair(wrong: WrongStatement, rewritten: string, tries: Tries): Repair | undefined {
  if (rewritten.length > REWRITTEN_CHARACTERS_MAX || tries.left === 0) return undefined
  tries.left -= 1
  const next = wrong.recheck(rewritten)
  if (next === undefined) return { advices: [], text: rewritten }
  return putRight(next, tries) ?? { advices: [`after that, ${next.complaint}`], isComplaint: true }
}

const READS_A_RANGE: ReadonlySet<TokenType> = new Set([
  ...[keyword.Limit, keyword.Order, keyword.Use, keyword.Group, keyword.Distinct],
])

const readByRange: Habit = (wrong) => {
  const [first] = wrong.tokens
  if (first?.tokenType !== keyword.Get) return undefined
  const type = wrong.tokens[wrong.at]?.tokenType
  const walks = type === undefined || READS_A_RANGE.has(type)
  if (!walks) return undefined
  return {
    advice: 'GET reads rows by a full key, SCAN walks rows in key order',
    rewritten: rewrite(wrong, new Map([[0, 'SCAN']])),
    onlyRewritten: true,
  }
}

const guardOfRange: Habit = (wrong) => {
  if (wrong.tokens[0]?.tokenType !== keyword.Scan) return undefined
  if (wrong.tokens[wrong.at]?.tokenType !== keyword.For) return undefined
  return {
    advice: 'FOR UPDATE guards the rows of a GET, which names a full key',
    rewritten: rewrite(wrong, new Map([[0, 'GET']])),
  }
}

const hintInParentheses: Habit = (wrong) => {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== token.LeftParenthesis) return undefined
  if (tokens[at - 1]?.tokenType !== keyword.Index) return undefined
  const rewritten = rewrite(
    wrong,
    new Map([
      [at, ''],
      [at + 2, ''],
    ]),
  )
  return { advice: 'USE INDEX names one index', rewritten, onlyRewritten: true }
}

const limitWithOffset: Habit = ({ tokens, at }) => {
  if (tokens[at]?.tokenType !== token.Comma) return undefined
  return tokens[at - 2]?.tokenType === keyword.Limit ? { advice: NO_OFFSET } : undefined
}

const NO_OFFSET =
  'there is no OFFSET: follow the cursor of the page, or continue behind its last row by a key that no two rows share, WHERE id > :last ORDER BY id'

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    OFFSET: NO_OFFSET,
    HAVING: 'HAVING comes after GROUP BY',
    NULLS: 'NULL comes first in ascending order, and last in descending order',
  }),
)

const foreignWord: Habit = ({ tokens, at }) => {
  const advice = WORDS.get(tokens[at]?.image.toUpperCase() ?? '')
  return advice === undefined ? undefined : { advice }
}

/** FETCH FIRST 5 ROWS ONLY, and SCAN TOP 5 …, SCAN TOP (5) …, SCAN FIRST 5 … */
const rowCount: Habit = (wrong) => {
  const { tokens, at } = wrong
  const advice = 'a number of rows is given by LIMIT'
  if (tokens[at]?.image.toUpperCase() === 'FETCH') {
    const count = tokens.findIndex(
      ({ tokenType }, index) => index > at && tokenType === token.Integer,
    )
    if (count < 0) return { advice }
    return { advice, rewritten: `${piece(wrong, 0, at)} LIMIT ${tokens[count]?.image}` }
  }
  if (!/^(TOP|FIRST)$/i.test(tokens[1]?.image ?? '')) return undefined
  const isInside = tokens[2]?.tokenType === token.LeftParenthesis
  const count = isInside ? 3 : 2
  if (tokens[count]?.tokenType !== token.Integer) return undefined
  const rest = piece(wrong, isInside ? count + 2 : count + 1)
  const rewritten = `${tokens[0]?.image} ${rest} LIMIT ${tokens[count]?.image}`
  return { advice, rewritten, onlyRewritten: true }
}

/** The first that recognises something decides. */
const HABITS: readonly Habit[] = [
  foreignCastType,
  foreignColumnType,
  foreignCall,
  anyOf,
  foreignStatement,
  foreignPhrase,
  ...EXPRESSION_HABITS,
  doubleEqual,
  quoteInsideString,
  trailingComma,
  readByRange,
  guardOfRange,
  hintInParentheses,
  clausesInDisorder,
  foreignCharacter,
  chainedComparison,
  typeLength,
  limitWithOffset,
  rowCount,
  foreignWord,
  ...TABLE_HABITS,
  reservedWordAsName,
]
