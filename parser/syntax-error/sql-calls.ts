// SPDX-License-Identifier: Apache-2.0

import { insteadOfFunction, RENAMED_FUNCTIONS } from './foreign-functions.ts'
import { type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Functions that other databases call otherwise, and that stand without parentheses there.

/** With parentheses or without. */
const MOMENTS: ReadonlyMap<string, string> = new Map([
  ...[
    'CURRENT_TIMESTAMP',
    'CURRENT_TIME',
    'LOCALTIMESTAMP',
    'SYSDATE',
    'GETDATE',
    'UTC_TIMESTAMP',
  ].map((name) => [name, 'now()'] as const),
  ['CURRENT_DATE', 'now()::DATE'],
  ['CURDATE', 'now()::DATE'],
])

/** CURRENT_TIMESTAMP -> now(), gen_random_uuid() -> uuid(), ifnull(a, b) -> coalesce(a, b), wherever the mistake is. */
export const foreignCall: Habit = (wrong) => {
  const replaced = ownCalls(wrong)
  if (replaced.size === 0) return undefined
  const written = [...replaced.values()]
  const advice = written.includes('uuid')
    ? 'a new id is uuid()'
    : written.some((each) => each.includes('now'))
      ? 'the moment of the statement is now()'
      : `a function is called ${written.join(', ')} here`
  return { advice, rewritten: rewrite(wrong, replaced), onlyRewritten: true }
}

/** What to write instead of the functions of other databases, by the numbers of the tokens. */
export function ownCalls({ tokens }: Pick<WrongStatement, 'tokens'>): ReadonlyMap<number, string> {
  const replaced = new Map<number, string>()
  for (const [index, { image }] of tokens.entries()) {
    const isCall = tokens[index + 1]?.image === '('
    const moment = MOMENTS.get(image.toUpperCase())
    if (moment === undefined) {
      const name = isCall ? RENAMED_FUNCTIONS.get(image.toLowerCase()) : undefined
      if (name !== undefined) replaced.set(index, name)
      continue
    }
    // A DEFAULT is now() alone, which in a DATE is its day.
    const isDefault = tokens[index - 1]?.image.toUpperCase() === 'DEFAULT'
    const isOfDate = tokens[index - 2]?.image.toUpperCase() === 'DATE'
    if (isDefault && moment !== 'now()' && !isOfDate) continue
    replaced.set(index, isDefault ? 'now()' : moment)
    for (const mark of isCall ? argumentsAt(tokens, index + 1) : []) replaced.set(mark, '')
  }
  return replaced
}

/** The numbers of the tokens of () or (6). */
function argumentsAt(tokens: WrongStatement['tokens'], open: number): readonly number[] {
  if (tokens[open + 1]?.image === ')') return [open, open + 1]
  return tokens[open + 2]?.image === ')' ? [open, open + 1, open + 2] : []
}

/** What to do instead of the first function that is not there. */
export function adviceOfCalls({ tokens }: Pick<WrongStatement, 'tokens'>): string | undefined {
  for (const [index, { image }] of tokens.entries()) {
    if (tokens[index + 1]?.image !== '(') continue
    const instead = insteadOfFunction(image.toLowerCase())
    if (instead !== undefined) return instead
  }
  return undefined
}
