// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../parser/ast.ts'
import type { SqlType, SqlValue, TableDefinition } from '../storage/storage.ts'
import type { AccessPath } from './access-path.ts'
import type { CompiledExpression, Scope } from './compiled-expression.ts'
import type { KeyBounds } from './key-range.ts'
import type { ParameterSlot } from './parameters.ts'
import type { LostRule } from './rules.ts'

/**
 * A statement made ready for one catalog: names resolved, types checked, the way to the rows chosen.
 * Only the parameters are missing, so a plan can be kept and run again; it holds no state of a run.
 */
export type Plan =
  | PointGetPlan
  | RangeScanPlan
  | SetPlan
  | InsertPlan
  | DeletePlan
  | ExplainPlan
  | ShowTablesPlan
  | DescribePlan
/** The plans that EXPLAIN takes. */
export type DataPlan = PointGetPlan | RangeScanPlan | SetPlan | InsertPlan | DeletePlan

type OfTable = {
  readonly table: TableDefinition
  /** Where the statement begins. */
  readonly position: Position
  readonly slots: readonly ParameterSlot[]
}

/** Rows by their full primary keys, in the order asked. */
export type PointGetPlan = OfTable & {
  readonly kind: 'pointGet'
  readonly keys: KeyBounds
  readonly projection: RowProjection
  readonly forUpdate: boolean
}

/** Rows along one key: by ranges of it, or by points when all of its columns are fixed. */
export type RangeScanPlan = OfTable &
  Access & {
    readonly kind: 'rangeScan'
    readonly projection: RowProjection
  }

/** One row by its full primary key, made when it does not exist and no expression needs it. */
export type SetPlan = OfTable & {
  readonly kind: 'set'
  readonly keys: KeyBounds
  readonly assignments: readonly PlannedAssignment[]
}

export type InsertPlan = OfTable & {
  readonly kind: 'insert'
  /** For each row, for each column of the table, its value; undefined takes the default. */
  readonly rows: ReadonlyArray<{
    readonly values: ReadonlyArray<CompiledExpression | undefined>
    readonly position: Position
  }>
}

export type DeletePlan = OfTable & Access & { readonly kind: 'delete' }

export type ExplainPlan = {
  readonly kind: 'explain'
  readonly analyze: boolean
  readonly plan: DataPlan
}
export type ShowTablesPlan = { readonly kind: 'showTables' }
export type DescribePlan = { readonly kind: 'describe'; readonly table: TableDefinition }

export type Access = {
  readonly path: AccessPath
  readonly lost: readonly LostRule[]
  /** What the bounds do not see to; rows for which it is not TRUE are left out. */
  readonly filter?: RowFilter
  readonly limit?: CompiledExpression
  readonly limitSource?: Expression
}

export type RowFilter = {
  readonly condition: CompiledExpression
  readonly sources: readonly Expression[]
}

export type RowProjection = {
  readonly columns: readonly ResultColumn[]
  project(scope: Scope): SqlValue[]
}
export type ResultColumn = { readonly name: string; readonly type: SqlType }

export type PlannedAssignment = {
  /** The place of the column among the table's. */
  readonly column: number
  readonly value: CompiledExpression
  readonly source: Expression
}
