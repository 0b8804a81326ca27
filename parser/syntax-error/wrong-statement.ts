// SPDX-License-Identifier: Apache-2.0

import type { IToken, TokenType } from 'chevrotain'
import { Comma, DoubleEqual, LeftParenthesis, RightParenthesis } from '../grammar/tokens.ts'

/** One wrong statement: its tokens, which of them was refused, and the whole text around it. */
export type WrongStatement = {
  readonly text: string
  readonly tokens: readonly IToken[]
  /** The number of tokens when the statement ended too early. */
  readonly at: number
  /** What could have stood there, and what does. */
  readonly complaint: string
  /** What is wrong with another text; undefined when it is right. */
  readonly recheck: (text: string) => WrongStatement | undefined
}

/** A recognised habit. `rewritten` is shown only when it is a right statement of this dialect. */
export type Advice = {
  readonly advice: string
  readonly rewritten?: string | undefined
  /** The advice rests on the rewriting: without a right one there is none. */
  readonly onlyRewritten?: boolean
}

/** Says what to write instead, where it recognises a habit of SQL or a common slip. */
export type Habit = (wrong: WrongStatement) => Advice | undefined

/** The statement with some of its tokens, by number, replaced; an empty text removes the token. */
export function rewrite(
  { text, tokens }: Pick<WrongStatement, 'text' | 'tokens'>,
  replacements: ReadonlyMap<number, string>,
): string {
  let rewritten = ''
  tokens.forEach((each, index) => {
    const next = tokens[index + 1]
    const end = each.startOffset + each.image.length
    const replacement = replacements.get(index)
    rewritten += replacement ?? each.image
    if (next === undefined) return
    // What is removed takes the space after it along, if there is one before it, or else the one before it.
    if (replacement === '' && /\s$/.test(rewritten)) {
      const isEnd = next.tokenType === Comma || next.tokenType === RightParenthesis
      if (isEnd && end === next.startOffset) rewritten = rewritten.trimEnd()
      return
    }
    rewritten += text.slice(end, next.startOffset)
  })
  return rewritten.trim()
}

/** The first token of a type, or -1. */
export function indexOf({ tokens }: WrongStatement, type: TokenType): number {
  return tokens.findIndex(({ tokenType }) => tokenType === type)
}

/** The source of some of the tokens, with `==` put right on the way. */
export function piece({ text, tokens }: WrongStatement, from: number, to = tokens.length): string {
  let source = ''
  let end: number | undefined
  for (const each of tokens.slice(from, to)) {
    if (end !== undefined) source += text.slice(end, each.startOffset)
    source += each.tokenType === DoubleEqual ? '=' : each.image
    end = each.startOffset + each.image.length
  }
  return source
}

/** The sources of the parts, between commas, of the parentheses that open at a token. */
export function listAt(wrong: WrongStatement, open: number): readonly string[] {
  return partsOf(wrong, open + 1)
}

/** The sources of the parts, between commas, from a token to the parenthesis that closes them, or to the end. */
export function partsOf(wrong: WrongStatement, from: number): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = from
  let at = from
  for (; at < wrong.tokens.length && depth >= 0; at += 1) {
    const type = wrong.tokens[at]?.tokenType
    if (type === LeftParenthesis) depth += 1
    if (type === RightParenthesis) depth -= 1
    if (depth < 0 || (depth === 0 && type === Comma)) {
      if (at > start) parts.push(piece(wrong, start, at))
      start = at + 1
    }
  }
  if (at > start) parts.push(piece(wrong, start, at))
  return parts
}
