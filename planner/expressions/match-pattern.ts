// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression, Position } from '../../parser/ast.ts'
import { endsWithWord, wordsOf } from '../../storage/values/values.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import {
  type CompiledExpression,
  type ExpressionCompiler,
  nodeOf,
  type Scope,
} from './compiled-expression.ts'
import { compileAs } from './type-check.ts'
import { WorkMeter } from './work-meter.ts'

/** What MATCH asks of a text: all of these words, and one that begins like the last of the pattern. */
export type MatchPattern = { readonly words: ReadonlySet<string>; readonly prefix?: string }

export function isMatch(expression: BinaryExpression): boolean {
  return expression.rest[0]?.operator === 'MATCH'
}

export function compileMatch(
  compiler: ExpressionCompiler,
  { first, rest, position }: BinaryExpression,
): CompiledExpression {
  const operand = compileAs(compiler, first, 'TEXT')
  const { text, patternIn } = compilePattern(compiler, rest[0]?.operand as Expression)
  return nodeOf('BOOLEAN', position, [operand, text], (units) => (scope) => {
    scope.work.spend(units)
    const pattern = patternIn(scope)
    const value = operand.evaluate(scope)
    if (value === null || pattern === null) return null
    return matchesWords(value as string, pattern, scope.work)
  })
}

/**
 * The text, and the pattern that it is: `patternIn` throws PlanError invalid_request for a text that is none, and
 * limit_exceeded. One that is written down is read, and refused, here.
 */
export function compilePattern(compiler: ExpressionCompiler, source: Expression) {
  const text = compileAs(compiler, source, 'TEXT')
  // Nearly always the same for all rows.
  let last: { readonly written: string; readonly pattern: MatchPattern } | undefined
  const read = (written: string, work: WorkMeter): MatchPattern => {
    if (last?.written !== written)
      last = { written, pattern: patternOf(written, text.position, work) }
    return last.pattern
  }
  if (source.kind === 'literal' && source.type === 'text') read(source.value, new WorkMeter())
  const patternIn = (scope: Scope): MatchPattern | null => {
    const written = text.evaluate(scope)
    return written === null ? null : read(written as string, scope.work)
  }
  return { text, patternIn }
}

const { matchCharactersMax, matchWordsMax } = PLANNER_LIMITS

function patternOf(written: string, position: Position, work: WorkMeter): MatchPattern {
  if (written.length > matchCharactersMax) {
    const message = `A pattern of MATCH has at most ${matchCharactersMax} characters.`
    throw limitExceeded('matchCharactersMax', written.length, message, { position })
  }
  const trimmed = written.trimEnd()
  const isStarred = trimmed.endsWith('*')
  const text = isStarred ? trimmed.slice(0, -1) : trimmed
  if (text.includes('*') || (isStarred && !endsWithWord(text))) {
    throw noPattern(
      'A * stands right behind the last word of a pattern, and nowhere else.',
      position,
    )
  }
  const words = [...wordsOf(text, work)]
  const prefix = isStarred ? words.pop() : undefined
  const distinct = new Set(words)
  if (distinct.size === 0 && prefix === undefined) {
    throw noPattern('The pattern of MATCH has no word.', position)
  }
  if (distinct.size > matchWordsMax) {
    const message = `A pattern of MATCH has at most ${matchWordsMax} words.`
    throw limitExceeded('matchWordsMax', distinct.size, message, { position })
  }
  return { words: distinct, ...(prefix !== undefined && { prefix }) }
}

function noPattern(message: string, position: Position): PlanError {
  return new PlanError('invalid_request', message, {
    position,
    hint: "A text matches that has all words of the pattern: 'percolator obs*'.",
  })
}

function matchesWords(text: string, { words, prefix }: MatchPattern, work: WorkMeter): boolean {
  const missing = new Set(words)
  let lacksPrefix = prefix !== undefined
  for (const word of wordsOf(text, work)) {
    missing.delete(word)
    if (lacksPrefix && word.startsWith(prefix as string)) lacksPrefix = false
    if (missing.size === 0 && !lacksPrefix) return true
  }
  return false
}
