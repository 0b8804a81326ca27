// SPDX-License-Identifier: Apache-2.0
import type { LikeExpression } from '../parser/ast.ts'
import type { SqlValue } from '../storage/storage.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type Scope,
} from './compiled-expression.ts'
import { matchesPattern } from './like-pattern.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'
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
    const matches = matchesPattern(text as string, wanted as string)
    if (matches === undefined) throw tooLong(like)
    return matches !== like.negated
  }
  const dependence = dependenceOf([operand, pattern])
  return { type: 'BOOLEAN', position: like.position, evaluate, ...dependence }
}

function tooLong({ position }: LikeExpression): PlanError {
  const max = PLANNER_LIMITS.likeStepsMax
  const message = 'The text is too long for a LIKE with _ behind a %.'
  const fields = { limit: 'likeStepsMax', limitValue: max, actual: max + 1 }
  return new PlanError('limit_exceeded', message, { position, fields })
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
