// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression } from '../../parser/ast.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import type { ExpressionCompiler, Scope } from '../expressions/compiled-expression.ts'
import { compilePattern } from '../expressions/match-pattern.ts'
import { type PointsCondition, points, withoutNull } from './condition.ts'
import { termOf, wordsIn } from './key-term.ts'

/** `body MATCH 'percolator obs*'`: the range of the first word, and `patternIn` tells of the others. */
export function ofMatch(
  compiler: ExpressionCompiler,
  source: BinaryExpression,
): PointsCondition | undefined {
  const on = termOf(compiler.parts, source.first)
  if (on?.type !== 'TEXT') return undefined
  const { text, patternIn } = compilePattern(compiler, source.rest[0]?.operand as Expression)
  if (text.columns.size > 0) return undefined
  const evaluate = (scope: Scope): SqlValue => {
    const pattern = patternIn(scope)
    if (pattern === null) return null
    const [first = pattern.prefix as string] = pattern.words
    return first
  }
  const values = (scope: Scope) => withoutNull([evaluate(scope)])
  const value = { ...text, evaluate }
  return { ...points(wordsIn(on.term), source, { several: false, value, values }), patternIn }
}
