// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../parser/ast.ts'
import type { SqlRow, SqlType, SqlValue, TableDefinition } from '../storage/storage.ts'
import type { BoundParameter, ParameterSlots } from './parameters.ts'

/** What an expression may ask of the world: the transaction's start, and fresh identifiers. */
export type StatementFunctions = {
  /** Microseconds since 1970; constant within a transaction. */
  readonly now: bigint
  /** A new UUID of version 7 at each call. */
  uuid(): string
}

/** What an evaluation looks at. Without a row, only expressions that name no column can run. */
export type Scope = {
  readonly row: SqlRow
  readonly parameters: readonly BoundParameter[]
  readonly functions: StatementFunctions
}

/** The type of an expression is known before it runs; NULL alone has none of its own. */
export type ExpressionType = SqlType | 'NULL'

export type CompiledExpression = {
  readonly type: ExpressionType
  readonly position: Position
  /** Throws PlanError out_of_range and division_by_zero with the position of the operator. */
  readonly evaluate: (scope: Scope) => SqlValue
  /** True when the value can differ from row to row. */
  readonly namesColumn: boolean
  /** True when it has no meaning without a row: it names a column outside of coalesce. */
  readonly needsRow: boolean
}

/** How the parts of an expression get at their operands, and at the statement they stand in. */
export interface ExpressionCompiler {
  /** Undefined where no columns can be named, such as in VALUES. */
  readonly table: TableDefinition | undefined
  readonly slots: ParameterSlots
  /**
   * `wanted` is the type that the place asks for. It decides what a parameter, NULL or a text
   * literal is; other expressions keep the type they have.
   */
  compile(expression: Expression, wanted?: ExpressionType): CompiledExpression
}

/** `namesColumn` and `needsRow` of an expression that evaluates all of its parts. */
export function dependenceOf(parts: readonly CompiledExpression[]): {
  readonly namesColumn: boolean
  readonly needsRow: boolean
} {
  return {
    namesColumn: parts.some((part) => part.namesColumn),
    needsRow: parts.some((part) => part.needsRow),
  }
}
