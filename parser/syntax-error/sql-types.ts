// SPDX-License-Identifier: Apache-2.0

import { GENERATED_TYPES, lostType, SIMILAR_TYPES, TYPE_NAMES } from '../builders/type-names.ts'
import { isDecimal } from '../grammar/expression-grammar.ts'
import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { ownCalls } from './sql-calls.ts'
import { ofGeneratedKey } from './sql-definitions.ts'
import { type Advice, type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// What other databases call the types of columns.

export const OWN_TYPES = `the types are ${TYPE_NAMES.join(', ')}`

/** a VARCHAR(20), b DOUBLE PRECISION in a CREATE TABLE -> a TEXT, b REAL; all of them, wherever the mistake is. */
export const foreignColumnType: Habit = (wrong) => {
  const lost = lostTypes(wrong)
  if (lost !== undefined) return { advice: lost }
  const types = ownTypes(wrong)
  if (types.size === 0) return undefined
  const replaced = new Map([...types, ...ownCalls(wrong)])
  const generated = wrong.tokens.findIndex(
    ({ image }, index) =>
      index > 3 && GENERATED_TYPES.has(image.toUpperCase()) && image !== 'IDENTITY',
  )
  const { advice, rewritten } =
    generated < 0
      ? { advice: OWN_TYPES, rewritten: rewrite(wrong, replaced) }
      : ofGeneratedKey({ ...wrong, at: generated }, replaced)
  return { advice, rewritten, onlyRewritten: true }
}

/** a VARCHAR(20) where the whole cannot be put right. */
export const typeLength: Habit = ({ tokens, at }) => {
  // After a column called family it is the length itself that cannot be understood.
  const open = tokens[at]?.tokenType === token.Integer ? at - 1 : at
  if (tokens[open]?.tokenType !== token.LeftParenthesis) return undefined
  if (tokens[0]?.tokenType !== keyword.Create) return undefined
  const written = tokens[open - 1]?.image.toUpperCase() ?? ''
  const type = SIMILAR_TYPES.get(written) ?? written
  if (!TYPE_NAMES.includes(type) || isDecimal(type)) return undefined
  return { advice: `a type has no length: ${type}` } satisfies Advice
}

/** What to write instead of the types of other databases in a definition of columns, by the numbers of the tokens. */
export function ownTypes({ tokens }: Pick<WrongStatement, 'tokens'>): ReadonlyMap<number, string> {
  const replaced = new Map<number, string>()
  for (const type of typePlaces(tokens)) noteType(tokens, type, replaced)
  return replaced
}

/** What is said of the types of columns that have no like here: no definition can be suggested with them. */
export function lostTypes({ tokens }: Pick<WrongStatement, 'tokens'>): string | undefined {
  return lostAmong(typePlaces(tokens).map((type) => tokens[type]?.image.toUpperCase() ?? ''))
}

/** The same of these names of types. */
export function lostAmong(types: readonly string[]): string | undefined {
  const lost = new Set(types.map(lostType).filter((each) => each !== undefined))
  return lost.size === 0 ? undefined : [...lost].join('; ')
}

/** Where the type of each column stands in the definition of a table or of a column. */
function typePlaces(tokens: WrongStatement['tokens']): readonly number[] {
  const places: number[] = []
  const first = tokens[0]?.tokenType
  if (first !== keyword.Create && first !== keyword.Alter) return places
  let depth = 0
  for (const [index, { tokenType }] of tokens.entries()) {
    if (tokenType === token.LeftParenthesis) depth += 1
    if (tokenType === token.RightParenthesis) depth -= 1
    const begins = tokenType === token.LeftParenthesis || tokenType === token.Comma
    const isColumn = first === keyword.Create ? begins && depth === 1 : isAdded(tokens, index)
    if (isColumn) places.push(index + 2)
  }
  return places
}

/** The word before the name of the column that ALTER TABLE adds. */
function isAdded(tokens: WrongStatement['tokens'], index: number): boolean {
  const word = tokens[index]?.tokenType
  const isFollowed = tokens[index + 1]?.tokenType === keyword.Column
  return word === keyword.Column || (word === keyword.Add && !isFollowed)
}

function noteType(tokens: WrongStatement['tokens'], at: number, replaced: Map<number, string>) {
  const written = tokens[at]?.image.toUpperCase() ?? ''
  const similar = SIMILAR_TYPES.get(written)
  if (isDecimal(similar ?? written)) return noteDecimal(tokens, at, replaced)
  if (similar === undefined && !TYPE_NAMES.includes(written)) return
  if (similar !== undefined) replaced.set(at, similar)
  let next = at + 1
  if (PARTS.has(tokens[next]?.image.toUpperCase() ?? '')) replaced.set(next++, '')
  for (const length of typeLengthAt(tokens, next)) replaced.set(length, '')
  const isZoned = tokens[next + 1]?.image.toUpperCase() === 'TIME'
  if (isZoned) for (const word of [next, next + 1, next + 2]) replaced.set(word, '')
}

/** Its size stays, and the part of it that is missing is added. */
function noteDecimal(tokens: WrongStatement['tokens'], at: number, replaced: Map<number, string>) {
  const { length } = typeLengthAt(tokens, at + 1)
  if (length === 0) replaced.set(at, 'DECIMAL(18, 2)')
  else if (!isDecimal(tokens[at]?.image ?? '')) replaced.set(at, 'DECIMAL')
  if (length === 3) replaced.set(at + 2, `${tokens[at + 2]?.image}, 0`)
}

const PARTS: ReadonlySet<string> = new Set(['PRECISION', 'VARYING', 'UNSIGNED'])

/** The numbers of the tokens of the (20) or (10, 2) of a type, when it has one. */
export function typeLengthAt(tokens: WrongStatement['tokens'], open: number): readonly number[] {
  const [first, , end, , farEnd] = tokens.slice(open, open + 5)
  if (first?.tokenType !== token.LeftParenthesis) return []
  if (end?.tokenType === token.RightParenthesis) return [open, open + 1, open + 2]
  if (farEnd?.tokenType !== token.RightParenthesis) return []
  return [open, open + 1, open + 2, open + 3, open + 4]
}
