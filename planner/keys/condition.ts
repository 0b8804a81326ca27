// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type {
  CompiledExpression,
  ExpressionCompiler,
  Scope,
} from '../expressions/compiled-expression.ts'
import type { MatchPattern } from '../expressions/match-pattern.ts'
import type { BoundList } from '../expressions/parameters.ts'
import { converted, fits } from '../expressions/type-check.ts'
import type { KeyTerm } from './key-term.ts'

/**
 * A condition of a WHERE that compares one column, or a path into one, with what does not depend on the row: the only
 * kind that can bound a key. The values depend on parameters and are computed at execution.
 */
export type KeyCondition = {
  readonly term: KeyTerm
  /** The condition as it was parsed, for the filter and for EXPLAIN. */
  readonly source: Expression
  /** What EXPLAIN shows in place of one that bounds by a part of it. */
  readonly bound?: Expression
  /** The terms of a row of values, from the left; `term` is the one by which it bounds. */
  readonly row?: readonly KeyTerm[]
  /** False when rows inside the bounds may still fail the condition, so that it filters as well. */
  readonly exact: boolean
} & (
  | {
      readonly kind: 'points'
      readonly several: boolean
      /** The expression of the one value, where it is one. */
      readonly value?: CompiledExpression
      /** Each value once. */
      values(scope: Scope): readonly SqlValue[]
      /** The identities of the same, where they are known already. */
      identities?(scope: Scope): Identities
      /** Of MATCH: all that rows are asked for; the value is the first word of it. */
      patternIn?(scope: Scope): MatchPattern | null
      /** The rows of an IN, each once. */
      tuples?(scope: Scope): ReadonlyArray<readonly SqlValue[]>
      /** The values of those rows in one of their columns, each once. */
      valuesAt?(scope: Scope, at: number): readonly SqlValue[]
    }
  | { readonly kind: 'range'; readonly lower?: KeyBound; readonly upper?: KeyBound }
  | { readonly kind: 'prefix'; text(scope: Scope): string | null }
)

export type PointsCondition = Extract<KeyCondition, { kind: 'points' }>

type Identities = BoundList['identities']

/** One value, or those of a row. */
export type KeyBound = {
  readonly values: readonly CompiledExpression[]
  readonly inclusive: boolean
}

export function points(
  term: KeyTerm,
  source: Expression,
  of: Omit<PointsCondition, 'kind' | 'term' | 'source' | 'exact'>,
): PointsCondition {
  return { kind: 'points', term, source, exact: true, ...of }
}

/** NULL equals nothing. */
export function withoutNull(values: readonly SqlValue[]): readonly SqlValue[] {
  return values.filter((value) => value !== null)
}

/** The expression as a value of the type, when it is the same for every row. */
export function fixedValue(
  compiler: ExpressionCompiler,
  expression: Expression,
  type: SqlType,
): CompiledExpression | undefined {
  const value = compiler.compile(expression, type)
  return value.columns.size === 0 && fits(value, type) ? converted(value, type) : undefined
}
