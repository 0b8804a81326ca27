// SPDX-License-Identifier: Apache-2.0
import type { KeyHint, Position } from '../parser/ast.ts'
import type { TableDefinition } from '../storage/storage.ts'
import type { CandidateKey } from './candidate-key.ts'
import type { KeyCondition } from './key-condition.ts'
import type { OrderColumn } from './key-order.ts'
import type { KeyBounds } from './key-range.ts'

/** What a SCAN or a DELETE asks of the keys of its table. */
export type AccessQuestion = {
  readonly statement: 'SCAN' | 'DELETE'
  readonly position: Position
  readonly table: TableDefinition
  readonly keys: readonly CandidateKey[]
  readonly hint?: KeyHint
  readonly hasWhere: boolean
  readonly conditions: readonly KeyCondition[]
  readonly orderBy: readonly OrderColumn[]
  readonly orderPosition?: Position
}

/** The answer: one key, what part of it is walked, and in which direction. */
export type AccessPath = {
  /** The rule that won, in EXPLAIN's words. */
  readonly rule: string
  readonly bounds: KeyBounds
  readonly reverse: boolean
  /** True when the statement says itself that the whole table may be walked. */
  readonly mayWalk: boolean
}

/**
 * One of the rules, in their order. It looks at all candidate keys and answers with a path, or says
 * why it has none; it throws PlanError where a later rule must not be asked any more.
 */
export type AccessRule = {
  readonly name: string
  choose(question: AccessQuestion): { readonly path: AccessPath } | { readonly lost: string }
}
