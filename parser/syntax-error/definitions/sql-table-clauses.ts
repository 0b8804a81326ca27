// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../../grammar/keywords.ts'
import * as token from '../../grammar/tokens.ts'
import { type Advice, type Habit, piece, rewrite, type WrongStatement } from '../wrong-statement.ts'

// What other databases write in a CREATE TABLE and behind it.

const STORED_ALIKE = 'a table ends with its columns: all are stored in the same way'
const NOT_COMPUTED =
  'no column is computed: write its value with the others, or compute it where it is read'
const AS_OTHER = 'a table is created with its columns, and filled by INSERT'
const OWN_INDEX = 'an index is a statement of its own: CREATE INDEX name ON table (column, …)'

export const foreignTableClause: Habit = (wrong) => {
  for (const recognise of [options, copied, computed, choice, index, checkAlone]) {
    const found = recognise(wrong)
    if (found !== undefined) return found
  }
  return undefined
}

/** CREATE TABLE t (…) ENGINE=InnoDB, CREATE TABLE t (…) WITHOUT ROWID, STRICT */
function options(wrong: WrongStatement): Advice | undefined {
  const open = wrong.tokens.findIndex(({ tokenType }) => tokenType === token.LeftParenthesis)
  const end = open < 0 ? -1 : endOf(wrong, open + 1, false)
  if (open < 0 || wrong.at <= end) return undefined
  return { advice: STORED_ALIKE, rewritten: piece(wrong, 0, end + 1) }
}

/** CREATE TABLE t AS SELECT …, CREATE TABLE t LIKE other, CREATE TABLE t (LIKE other) */
function copied({ tokens, at }: WrongStatement): Advice | undefined {
  const isLike = tokens[at]?.tokenType === keyword.Like
  if (isLike && (at === 3 || at === 4)) {
    const rewritten = `SHOW CREATE TABLE ${tokens[at + 1]?.image}`
    return { advice: 'the definition of the other table is shown by', rewritten }
  }
  return at === 3 && tokens[at]?.tokenType === keyword.As ? { advice: AS_OTHER } : undefined
}

/** b INTEGER GENERATED ALWAYS AS (a * 2) STORED, b INTEGER AS (a * 2) */
function computed(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const as = tokens.findIndex(
    ({ tokenType }, each) => each >= at - 1 && each <= at + 2 && tokenType === keyword.As,
  )
  if (as < 0 || tokens[as + 1]?.tokenType !== token.LeftParenthesis) return undefined
  const generated = [as - 2, as - 3].find((each) => tokens[each]?.tokenType === keyword.Generated)
  const from = generated ?? as
  return { advice: NOT_COMPUTED, rewritten: without(wrong, from, endOf(wrong, from, true)) }
}

/** a ENUM('x', 'y') -> a TEXT CHECK (a IN ('x', 'y')) */
function choice(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const type = tokens[at - 1]?.image.toUpperCase()
  if (tokens[at]?.tokenType !== token.LeftParenthesis || type !== 'ENUM') return undefined
  const end = endOf(wrong, at + 1, false)
  const name = tokens[at - 2]?.image
  const check = `TEXT CHECK (${name} IN ${piece(wrong, at, end + 1)})`
  const removed = new Map(range(at, end + 1).map((each) => [each, '']))
  const rewritten = rewrite(wrong, new Map([...removed, [at - 1, check]]))
  return { advice: 'a choice among values is a CHECK', rewritten }
}

/** , KEY byName (name) and , INDEX byName (name), which look like columns of a strange type */
function index(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[at]?.tokenType !== token.LeftParenthesis) return undefined
  const word = at - 2
  if (!/^(KEY|INDEX)$/i.test(tokens[word]?.image ?? '')) return undefined
  if (tokens[word - 1]?.tokenType !== token.Comma) return undefined
  return { advice: OWN_INDEX, rewritten: without(wrong, word - 1, endOf(wrong, word, true)) }
}

/** CHECK a > 0 -> CHECK (a > 0) */
function checkAlone(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const advice = 'the condition of a CHECK stands in parentheses'
  if (tokens[at - 1]?.tokenType !== keyword.Check) return undefined
  const end = endOf(wrong, at, true)
  const removed = new Map(range(at + 1, end).map((each) => [each, '']))
  return {
    advice,
    rewritten: rewrite(wrong, new Map([...removed, [at, `(${piece(wrong, at, end)})`]])),
  }
}

function without(wrong: WrongStatement, from: number, to: number): string {
  return rewrite(wrong, new Map(range(from, to).map((each) => [each, ''])))
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, each) => from + each)
}

/** The token that closes the parentheses which a token is in; or, where commas count, the comma before. */
function endOf({ tokens }: WrongStatement, from: number, commas: boolean): number {
  let depth = 0
  for (let at = from; at < tokens.length; at += 1) {
    const type = tokens[at]?.tokenType
    if (type === token.LeftParenthesis) depth += 1
    if (type === token.RightParenthesis) depth -= 1
    if (depth < 0 || (commas && depth === 0 && type === token.Comma)) return at
  }
  return tokens.length
}
