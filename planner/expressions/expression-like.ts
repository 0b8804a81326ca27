// SPDX-License-Identifier: Apache-2.0
import type { LikeExpression } from '../../parser/ast.ts'
import { type CompiledExpression, type ExpressionCompiler, nodeOf } from './compiled-expression.ts'
import { matchesPattern } from './like-pattern.ts'
import { compileAs } from './type-check.ts'

/** `%` stands for any text, `_` for one code point; there is no escape for either. */
export function compileLike(
  compiler: ExpressionCompiler,
  like: LikeExpression,
): CompiledExpression {
  const operand = compileAs(compiler, like.operand, 'TEXT')
  const pattern = compileAs(compiler, like.pattern, 'TEXT')
  return nodeOf('BOOLEAN', like.position, [operand, pattern], (units) => (scope) => {
    scope.work.spend(units)
    const text = operand.evaluate(scope)
    const wanted = pattern.evaluate(scope)
    if (text === null || wanted === null) return null
    return matchesPattern(text as string, wanted as string, scope.work) !== like.negated
  })
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
