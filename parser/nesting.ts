// SPDX-License-Identifier: Apache-2.0

import type { IToken, TokenType } from 'chevrotain'
import { Is, Literal, Name, Not } from './grammar/keywords.ts'
import {
  LeftParenthesis,
  Parameter,
  RightParenthesis,
  Semicolon,
  Sign,
  tokensOf,
} from './grammar/tokens.ts'

const PREFIXES = new Set([Not, ...tokensOf(Sign)])
/** After an operand comes a binary minus or the NOT of NOT IN; after IS the one of IS NOT NULL. */
const NO_PREFIX_AFTER = new Set([RightParenthesis, Is, ...tokensOf(Name, Literal, Parameter)])

export type Nesting = {
  /** The greatest number of open parentheses and prefix operators before one place. */
  readonly deepest: number
  /** The first token deeper than the limit. */
  readonly tooDeep: IToken | undefined
}

/**
 * Measures how deep the parser, and all who walk its tree, would recurse; called before parsing.
 *
 *   NOT (a = - (b))    NOT 1, its parenthesis 2, the minus 3, the inner parenthesis 4: nesting 4
 *   a - b - c          0: a minus between operands is no prefix
 */
export function measureNesting(tokens: readonly IToken[], limit: number): Nesting {
  // What each open parenthesis added: itself and the prefix operators just before it.
  let openParentheses: number[] = []
  let depth = 0
  let prefixes = 0
  let deepest = 0
  let tooDeep: IToken | undefined
  let previous: TokenType = Semicolon
  for (const token of tokens) {
    const type = token.tokenType
    if (type === LeftParenthesis) {
      openParentheses.push(1 + prefixes)
      depth += 1 + prefixes
      prefixes = 0
    } else if (PREFIXES.has(type) && !NO_PREFIX_AFTER.has(previous)) {
      prefixes += 1
    } else {
      prefixes = 0
      if (type === RightParenthesis) depth -= openParentheses.pop() ?? 0
      if (type === Semicolon) {
        openParentheses = []
        depth = 0
      }
    }
    const here = depth + prefixes
    if (here > deepest) deepest = here
    if (here > limit && tooDeep === undefined) tooDeep = token
    previous = type
  }
  return { deepest, tooDeep }
}
