// SPDX-License-Identifier: Apache-2.0

import { type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Functions that other databases call otherwise, and that stand without parentheses there.

const CALLS: ReadonlyMap<string, string> = new Map([
  ...['CURRENT_TIMESTAMP', 'CURRENT_TIME', 'LOCALTIMESTAMP', 'SYSDATE', 'GETDATE'].map(
    (name) => [name, 'now()'] as const,
  ),
  ['CURRENT_DATE', "date_trunc('day', now())"],
  ['GEN_RANDOM_UUID', 'uuid()'],
  ['UUID_GENERATE_V4', 'uuid()'],
])

/** CURRENT_TIMESTAMP -> now(), gen_random_uuid() -> uuid(); all of them, wherever the mistake is. */
export const foreignCall: Habit = (wrong) => {
  const replaced = ownCalls(wrong)
  if (replaced.size === 0) return undefined
  const makesIds = [...replaced.values()].includes('uuid()')
  const advice = makesIds ? 'a new id is uuid()' : 'the moment of the statement is now()'
  return { advice, rewritten: rewrite(wrong, replaced), onlyRewritten: true }
}

/** What to write instead of the functions of other databases, by the numbers of the tokens. */
export function ownCalls({ tokens }: Pick<WrongStatement, 'tokens'>): ReadonlyMap<number, string> {
  const replaced = new Map<number, string>()
  for (const [index, { image }] of tokens.entries()) {
    const call = CALLS.get(image.toUpperCase())
    if (call === undefined) continue
    const isDefault = tokens[index - 1]?.image.toUpperCase() === 'DEFAULT'
    replaced.set(index, isDefault && call.includes('now') ? 'now()' : call)
    const isCalled = tokens[index + 1]?.image === '(' && tokens[index + 2]?.image === ')'
    if (isCalled) for (const mark of [index + 1, index + 2]) replaced.set(mark, '')
  }
  return replaced
}
