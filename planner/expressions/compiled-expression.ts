// SPDX-License-Identifier: Apache-2.0
import type { AggregateExpression, Expression, Position } from '../../parser/ast.ts'
import type { MaybePromise } from '../../storage/storage.ts'
import type { SqlRow, TableDefinition } from '../../storage/tables/tables.ts'
import type { DecimalSize, SqlType, SqlValue } from '../../storage/values/values.ts'
import type { RowPart } from '../row-parts.ts'
import type { ConstantValues } from './constant-values.ts'
import type { BoundParameter, ParameterSlots } from './parameters.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/** What a statement may ask of the world: the transaction's start, and fresh identifiers. */
export type StatementFunctions = {
  /** Microseconds since 1970; constant within a transaction. */
  readonly now: bigint
  /** A new UUID of version 7 at each call. */
  uuid(): string
  /** So many numbers for the identity column of the table, each handed out once; StorageError where there are none. */
  nextNumbers(table: TableDefinition, count: number): MaybePromise<readonly bigint[]>
}

/** What an evaluation looks at. Without a row, only expressions that name no column can run. */
export type Scope = {
  readonly row: SqlRow
  readonly parameters: readonly BoundParameter[]
  readonly functions: StatementFunctions
  /** Who evaluates a node pays for it, and for the bytes that it looks at. */
  readonly work: WorkMeter
  /** What is the same for all rows of the statement. */
  readonly constants: ConstantValues
  /** The values that a group has, and those of its aggregates, by their slots. */
  readonly aggregates?: readonly SqlValue[]
}

/** The type of an expression is known before it runs; NULL alone has none of its own. */
export type ExpressionType = SqlType | 'NULL'

export type CompiledExpression = {
  readonly type: ExpressionType
  readonly position: Position
  /**
   * Throws PlanError out_of_range and division_by_zero with the position of the operator, limit_exceeded where the
   * row costs too much, and what ends the statement. A leaf is paid for by the node that it stands in.
   */
  readonly evaluate: (scope: Scope) => SqlValue
  /** The positions of the columns that it names; without any its value is the same for all rows. */
  readonly columns: ReadonlySet<number>
  /** A column, a literal, a parameter, or another value that is at hand: evaluating it cannot fail. */
  readonly isLeaf: boolean
  /** What it is, where it is a literal or a parameter that stands alone. */
  readonly given?: GivenHere
  /** Of a REAL that is one because of a number written with a point alone: the same, exactly. */
  readonly asDecimal?: () => CompiledExpression
  /** True when it is the same for all rows of a statement. */
  readonly isConstant: boolean
  /** True when it has no meaning without a row: it names a column outside of coalesce. */
  readonly needsRow: boolean
}

export type GivenHere =
  | { readonly literal: SqlValue }
  /** With the column of a DECIMAL that the value is for. */
  | { readonly slot: number; readonly column?: SizedColumn }

export type SizedColumn = { readonly name: string; readonly size: DecimalSize }

/** How the parts of an expression get at their operands, and at the statement they stand in. */
export interface ExpressionCompiler {
  /** What the row is made of; nothing where no columns can be named, such as in VALUES. */
  readonly parts: readonly RowPart[]
  readonly slots: ParameterSlots
  /** Present where aggregates may stand: in the projection, the HAVING and the ORDER BY of groups. */
  readonly aggregation?: Aggregation
  /**
   * `wanted` is the type that the place asks for. It decides what a parameter, NULL or a text
   * literal is; other expressions keep the type they have.
   */
  compile(expression: Expression, wanted?: ExpressionType): CompiledExpression
}

/** What expressions over groups of rows add to the grouping. */
export interface Aggregation {
  /** The columns that have one value in a group, and may be named outside of aggregates. */
  readonly groupBy: ReadonlySet<number>
  compile(aggregate: AggregateExpression): CompiledExpression
  /** The value that a group has of an expression of the GROUP BY; undefined for any other. */
  groupValue(expression: Expression): CompiledExpression | undefined
}

export const NO_COLUMNS: ReadonlySet<number> = new Set()

/** What an expression that evaluates all of its parts has of them. */
export function dependenceOf(
  parts: readonly CompiledExpression[],
): Pick<CompiledExpression, 'columns' | 'isLeaf' | 'isConstant' | 'needsRow'> {
  return {
    columns: columnsOf(parts),
    isLeaf: false,
    isConstant: parts.every((part) => part.isConstant),
    needsRow: parts.some((part) => part.needsRow),
  }
}

/** An expression that evaluates all of its parts; `evaluateFor` is told what that costs. */
export function nodeOf(
  type: ExpressionType,
  position: Position,
  parts: readonly CompiledExpression[],
  evaluateFor: (units: number) => CompiledExpression['evaluate'],
): CompiledExpression {
  return { type, position, evaluate: evaluateFor(unitsOf(parts)), ...dependenceOf(parts) }
}

/** What a node costs that evaluates all of these: itself, and the leaves among them. */
export function unitsOf(parts: readonly CompiledExpression[]): number {
  return NODE_UNITS * (1 + parts.filter(({ isLeaf }) => isLeaf).length)
}

/** The columns that any of these names. */
export function columnsOf(
  parts: ReadonlyArray<Pick<CompiledExpression, 'columns'>>,
): ReadonlySet<number> {
  const naming = parts.filter(({ columns }) => columns.size > 0)
  if (naming.length <= 1) return naming[0]?.columns ?? NO_COLUMNS
  return new Set(naming.flatMap(({ columns }) => [...columns]))
}
