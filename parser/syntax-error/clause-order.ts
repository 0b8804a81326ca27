// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import { type Advice, piece, type WrongStatement } from './wrong-statement.ts'

/** How each clause begins, in the order in which all statements have them. */
const CLAUSES = [
  [keyword.On],
  [keyword.As, keyword.Of],
  [keyword.Use],
  [keyword.Where],
  [keyword.If],
  [keyword.Group],
  [keyword.Having],
  [keyword.Order],
  [keyword.Limit],
  [keyword.For],
  [keyword.Returning],
] as const

/** LIMIT 5 WHERE a = 1 -> WHERE a = 1 LIMIT 5 */
export function clausesInDisorder(wrong: WrongStatement): Advice | undefined {
  const starts = clauseStarts(wrong)
  const clauses = starts.map(({ at, rank }, index) => ({
    rank,
    source: piece(wrong, at, starts[index + 1]?.at),
  }))
  const sorted = clauses.toSorted((left, right) => left.rank - right.rank)
  if (sorted.every((clause, index) => clause === clauses[index])) return undefined
  const head = piece(wrong, 0, starts[0]?.at)
  return {
    advice: 'the clauses come in this order',
    rewritten: [head, ...sorted.map(({ source }) => source)].join(' '),
    onlyRewritten: true,
  }
}

/** The first word of each is reserved, so that it is never a name, but for HAVING: what comes of it is parsed again. */
function clauseStarts({ tokens }: WrongStatement): Array<{ at: number; rank: number }> {
  const starts: Array<{ at: number; rank: number }> = []
  tokens.forEach((_, at) => {
    const rank = CLAUSES.findIndex((words) =>
      words.every((word, index) => tokens[at + index]?.tokenType === word),
    )
    if (rank >= 0) starts.push({ at, rank })
  })
  return starts
}
