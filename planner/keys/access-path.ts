// SPDX-License-Identifier: Apache-2.0
import type { KeyHint, Position } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import type { CandidateKey } from './candidate-key.ts'
import type { KeyCondition } from './condition.ts'
import type { OrderTerm } from './key-order.ts'
import type { KeyBounds } from './key-range.ts'
import type { KeyTerm } from './key-term.ts'

/** What a SCAN, a SET or a DELETE asks of the keys of its table. */
export type AccessQuestion = {
  readonly statement: 'SCAN' | 'SET' | 'DELETE'
  readonly position: Position
  readonly table: TableDefinition
  /** The primary key first. */
  readonly candidates: readonly Candidate[]
  readonly hint?: KeyHint
  readonly hasWhere: boolean
  /** What of the WHERE is better written otherwise. */
  readonly whereHint: () => string | undefined
  /** Conditions on single columns or paths, also on those of no key: what an index could be made for. */
  readonly conditions: readonly KeyCondition[]
  readonly orderBy: readonly OrderTerm[]
  readonly orderPosition?: Position
  /** Undefined without GROUP BY. */
  readonly groupBy?: readonly KeyTerm[]
  readonly groupPosition?: Position
}

/** A key, and what the statement could have from it. */
export type Candidate = {
  readonly key: CandidateKey
  readonly bounds: KeyBounds
  /** How it is walked to give the order and the groups asked for; undefined when it cannot. */
  readonly direction: 'forward' | 'reverse' | undefined
  /** What it does not give, or is not given, when it has no direction. */
  readonly misses: 'order' | 'groups' | 'member' | undefined
  /** True when no row has to be read for the key; true for the primary key. */
  readonly covering: boolean
}

/** The answer: one key, what part of it is walked, and in which direction. */
export type AccessPath = {
  /** The rule that won, in EXPLAIN's words. */
  readonly rule: string
  readonly bounds: KeyBounds
  readonly reverse: boolean
  /** True when the statement says itself that the whole key may be walked. */
  readonly mayWalk: boolean
}

/**
 * One of the rules, in their order. It looks at all candidates and answers with a path, or has none;
 * it throws PlanError where a later rule must not be asked any more.
 */
export type AccessRule = (question: AccessQuestion) => AccessPath | undefined

/** The path along a candidate that gives the order. */
export function pathAlong(
  { bounds, direction }: Candidate,
  rule: string,
  mayWalk = false,
): AccessPath {
  return { rule, bounds, reverse: direction === 'reverse', mayWalk }
}
