// SPDX-License-Identifier: Apache-2.0

import type { IToken, TokenType } from 'chevrotain'
import { Case, Else, End, Is, Literal, Name, Not, Then } from './grammar/keywords.ts'
import {
  LeftParenthesis,
  Parameter,
  RightParenthesis,
  Semicolon,
  Sign,
  tokensOf,
} from './grammar/tokens.ts'

const PREFIXES = new Set([Not, ...tokensOf(Sign)])
const OPERANDS = tokensOf(Name, Literal, Parameter)

export type Nesting = {
  /** The greatest number of open parentheses, open CASEs and prefix operators before one place. */
  readonly deepest: number
  /** The first token deeper than the limit. */
  readonly tooDeep: IToken | undefined
}

/**
 * Measures how deep the parser, and all who walk its tree, would recurse; called before parsing.
 *
 *   NOT (a = - (b))    NOT 1, its parenthesis 2, the minus 3, the inner parenthesis 4: nesting 4
 *   a - b - c          0: a minus between operands is no prefix
 *   CASE WHEN -a THEN end ELSE 1 END    CASE 1, the minus 2; `end` is a column where an operand is wanted
 */
export function measureNesting(tokens: readonly IToken[], limit: number): Nesting {
  // What each open parenthesis or CASE added: itself and the prefix operators just before it.
  let open: Array<{ readonly by: TokenType; readonly added: number }> = []
  let depth = 0
  let prefixes = 0
  let deepest = 0
  let tooDeep: IToken | undefined
  // After an operand comes a binary minus or the NOT of NOT IN, and THEN, ELSE and END are no names; after IS comes
  // the NOT of IS NOT NULL.
  let isAfterOperand = false
  for (const token of tokens) {
    const type = token.tokenType
    if (type === LeftParenthesis || type === Case) {
      open.push({ by: type, added: 1 + prefixes })
      depth += 1 + prefixes
      prefixes = 0
      isAfterOperand = false
    } else if (PREFIXES.has(type) && !isAfterOperand) {
      prefixes += 1
    } else {
      prefixes = 0
      const isInCase: boolean = isAfterOperand && open.at(-1)?.by === Case
      if (type === RightParenthesis || (type === End && isInCase)) depth -= open.pop()?.added ?? 0
      if (type === Semicolon) {
        open = []
        depth = 0
      }
      const endsPart: boolean = isInCase && (type === Then || type === Else)
      isAfterOperand = type === Is || type === RightParenthesis || (OPERANDS.has(type) && !endsPart)
    }
    const here = depth + prefixes
    if (here > deepest) deepest = here
    if (here > limit && tooDeep === undefined) tooDeep = token
  }
  return { deepest, tooDeep }
}
