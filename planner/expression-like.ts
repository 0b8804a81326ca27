// SPDX-License-Identifier: Apache-2.0
import type { LikeExpression } from '../parser/ast.ts'
import type { SqlValue } from '../storage/storage.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type Scope,
} from './compiled-expression.ts'
import { compileAs } from './type-check.ts'

/** `%` stands for any text, `_` for one code point; there is no escape for either. */
export function compileLike(
  compiler: ExpressionCompiler,
  like: LikeExpression,
): CompiledExpression {
  const operand = compileAs(compiler, like.operand, 'TEXT')
  const pattern = compileAs(compiler, like.pattern, 'TEXT')
  const evaluate = (scope: Scope): SqlValue => {
    const text = operand.evaluate(scope)
    const wanted = pattern.evaluate(scope)
    if (text === null || wanted === null) return null
    return matchesPattern(text as string, wanted as string) !== like.negated
  }
  const dependence = dependenceOf([operand, pattern])
  return { type: 'BOOLEAN', position: like.position, evaluate, ...dependence }
}

/** The text before the first wildcard: what every match begins with. */
export function prefixOfPattern(pattern: string): string {
  const end = pattern.search(/[%_]/)
  return end < 0 ? pattern : pattern.slice(0, end)
}

/** True for `prefix%`, which asks for nothing beyond its prefix. */
export function isPrefixPattern(pattern: string): boolean {
  return prefixOfPattern(pattern).length === pattern.length - 1 && pattern.endsWith('%')
}

/**
 * Matches from the left. When a part fails, only the latest `%` takes one character more: what an
 * earlier one left behind has matched already. So the time is at most the product of the lengths,
 * where trying every `%` anew would be exponential.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0
  let inPattern = 0
  let afterPercent = -1
  let resumeAt = 0
  while (at < text.length) {
    const wanted = pattern[inPattern]
    if (wanted === '%') {
      inPattern += 1
      afterPercent = inPattern
      resumeAt = at
    } else if (wanted === '_') {
      inPattern += 1
      at += codePointLength(text, at)
    } else if (wanted !== undefined && wanted === text[at]) {
      inPattern += 1
      at += 1
    } else if (afterPercent >= 0) {
      resumeAt += codePointLength(text, resumeAt)
      at = resumeAt
      inPattern = afterPercent
    } else return false
  }
  while (pattern[inPattern] === '%') inPattern += 1
  return inPattern === pattern.length
}

function codePointLength(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}
