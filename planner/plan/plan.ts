// SPDX-License-Identifier: Apache-2.0
import type { Expression, Name, Position } from '../../parser/ast.ts'
import type { ObserverDefinition, TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type { CompiledExpression, Scope } from '../expressions/compiled-expression.ts'
import type { ParameterSlot } from '../expressions/parameters.ts'
import type { AccessPath } from '../keys/access-path.ts'
import type { CandidateKey } from '../keys/candidate-key.ts'
import type { KeyBounds } from '../keys/key-range.ts'
import type { RejectedKey } from '../keys/rejected-keys.ts'
import type { PlanError } from '../plan-error.ts'
import type { RowPart } from '../row-parts.ts'
import type { SortPart } from '../sorting/sort-plan.ts'
import type { AggregationPlan } from './aggregation-plan.ts'
import type { PlannedCheck } from './row-check.ts'
import type { PlannedRule } from './row-rule.ts'

/**
 * A statement made ready for one catalog: names resolved, types checked, the way to the rows chosen.
 * Only the parameters are missing, so a plan can be kept and run again; it holds no state of a run.
 */
export type Plan =
  | ExplainedPlan
  | ExplainPlan
  | { readonly kind: 'showTables' }
  | ShowTablePlan
  | { readonly kind: 'showObservers' }
  | { readonly kind: 'showSchedules' }
  | { readonly kind: 'showTokens' }
  | { readonly kind: 'showRoles' }
  | { readonly kind: 'showBlocks' }
  | { readonly kind: 'showRelays' }
  | { readonly kind: 'showGrants'; readonly role?: Name }

type ShowTablePlan = {
  readonly kind: 'showIndexes' | 'showCreateTable' | 'describe'
  readonly table: TableDefinition
}

/** The plans that EXPLAIN takes. */
export type ExplainedPlan = DataPlan | CheckPlan | NotifyPlan
export type DataPlan =
  | PointGetPlan
  | RangeScanPlan
  | AggregatePlan
  | SetPlan
  | SetRowsPlan
  | InsertPlan
  | DeletePlan

/** What whoever asks may not see or write of rows, where there is such a rule. */
type Ruled = { readonly rowRule?: PlannedRule }

/** What the rows have to meet that are written, whoever writes them. */
type Checked = { readonly checks: readonly PlannedCheck[] }

type OfTable = {
  readonly table: TableDefinition
  /** Where the statement begins. */
  readonly position: Position
  readonly slots: readonly ParameterSlot[]
}

/** A row of another table for each row, by a key that is computed from it. */
export type PlannedLookup = Ruled & {
  /** From 0, in the order of the statement. */
  readonly number: number
  readonly part: RowPart
  readonly table: TableDefinition
  /** The primary key or a unique index. */
  readonly key: CandidateKey
  /** The values of the key's columns, in their order. */
  readonly values: readonly CompiledExpression[]
  /** The conditions of BY, in the order of the key's columns. */
  readonly sources: readonly Expression[]
  readonly isOptional: boolean
  /** Positions in the table of the columns that are read. */
  readonly reads: readonly number[]
  /** True when the entries of the index hold all of them. */
  readonly covering: boolean
  /** The conditions of the WHERE that the rows of this table and of those before it can tell. */
  readonly filter?: RowFilter
}

/** Absent without LOOKUP. */
type LooksUp = { readonly lookups?: readonly PlannedLookup[] }

/** Rows by their full primary keys, or by those of a unique index, in the order asked. */
export type PointGetPlan = OfTable &
  Ruled &
  LooksUp & {
    readonly kind: 'pointGet'
    readonly keys: KeyBounds
    readonly rejected: readonly RejectedKey[]
    /** True when the entries of a unique index hold all that is read. */
    readonly covering: boolean
    readonly projection: RowProjection
    /** Places of the columns that are read of each row. */
    readonly reads: readonly number[]
    readonly forUpdate: boolean
  }

/** Rows along one key: by ranges of it, or by points when all columns of a unique one are fixed. */
export type RangeScanPlan = OfTable &
  Access &
  LooksUp & {
    readonly kind: 'rangeScan'
    readonly projection: RowProjection
    readonly top?: TopRowsPlan
  }

/** The first n of the rows of a range, which do not come in their order. */
export type TopRowsPlan = {
  /** The ORDER BY, and after it the primary key. */
  readonly parts: readonly SortPart[]
  /** Of the parts, those of the ORDER BY, as EXPLAIN tells them. */
  readonly texts: readonly string[]
  /**
   * Places of the columns that are read by the keys of the first n at the end; absent where the walk has read what the
   * projection looks at.
   */
  readonly fetches?: readonly number[]
}

/** One row for each group of rows, or one for all of them. */
export type AggregatePlan = OfTable &
  Access &
  LooksUp & {
    readonly kind: 'aggregate'
    readonly projection: RowProjection
    readonly aggregation: AggregationPlan
    /** Of all groups, the first n by this order are answered. */
    readonly top?: Pick<TopRowsPlan, 'parts' | 'texts'>
  }

/** One row by its full primary key, made when it does not exist and no expression needs it. */
export type SetPlan = OfTable &
  Ruled &
  Checked & {
    readonly kind: 'set'
    readonly keys: KeyBounds
    readonly assignments: readonly PlannedAssignment[]
    /** What the row has to meet afterwards; `rowRule` is what it has to meet before. */
    readonly ruleAfter?: PlannedRule
    readonly precondition?: PlannedPrecondition
    readonly returning?: RowProjection
    /** Places of the columns of the row that are read before it is written. */
    readonly reads: readonly number[]
    /**
     * True when the row becomes the same whatever it was, and whether or not there was one: every column
     * other than its key is assigned, nothing is asked of it, and no index has an entry of it. Then it is not read.
     */
    readonly isBlind: boolean
    /** Positions of the columns whose values come only from a new row's defaults. */
    readonly defaults: readonly number[]
    /** Of them the one that has a number that the store hands out; absent where there is none. */
    readonly numbered?: number
    /** Whether only an INSERT makes rows: their key is GENERATED ALWAYS. */
    readonly isOfGeneratedKey: boolean
  }

/** Rows along one key, changed as they are found. */
export type SetRowsPlan = OfTable &
  Access &
  Checked & {
    readonly kind: 'setRows'
    readonly assignments: readonly PlannedAssignment[]
    /** What each row has to meet afterwards. */
    readonly ruleAfter?: PlannedRule
    readonly returning?: RowProjection
  }

/** What a SET asks of its row before it writes. */
export type PlannedPrecondition =
  | { readonly kind: 'exists' | 'notExists' }
  | {
      readonly kind: 'condition'
      readonly condition: CompiledExpression
      readonly source: Expression
    }

export type InsertPlan = OfTable &
  Ruled &
  Checked & {
    readonly kind: 'insert'
    /** For each column of the table where its value stands in the rows, and undefined where a default is taken. */
    readonly given: ReadonlyArray<number | undefined>
    /** The position of the column that has a number that the store hands out; absent where its value is given. */
    readonly numbered?: number
    readonly rows: ReadonlyArray<{
      readonly values: readonly CompiledExpression[]
      readonly position: Position
    }>
    /** What becomes of duplicates; without it they are an error. */
    readonly onConflict?: PlannedConflict
    readonly returning?: RowProjection
  }

export type PlannedConflict =
  /** Duplicates of any key are left out. */
  { readonly kind: 'skipAll' } | KeyConflict
/** What becomes of duplicates of one key; those of another are an error. */
export type KeyConflict = {
  /** The primary key, or that of a unique index. */
  readonly key: CandidateKey
  /** Places of the columns that are read of the row that is there. */
  readonly reads: readonly number[]
} & ({ readonly kind: 'skip' } | PlannedUpdate)
/** Its expressions look at a row with the columns of the one that is there, and after them those of the new one. */
export type PlannedUpdate = Checked & {
  readonly kind: 'update'
  readonly assignments: readonly PlannedAssignment[]
  readonly condition?: { readonly condition: CompiledExpression; readonly source: Expression }
  /** What the row has to meet afterwards. */
  readonly ruleAfter?: PlannedRule
}

export type DeletePlan = OfTable &
  Access & {
    readonly kind: 'delete'
    readonly returning?: RowProjection
  }

/** A condition that must hold for one row, which is guarded. */
export type CheckPlan = OfTable &
  Ruled & {
    readonly kind: 'check'
    readonly keys: KeyBounds
    readonly condition: CompiledExpression
    readonly source: Expression
  }

/** A weak observer is told of one row. */
export type NotifyPlan = OfTable &
  Ruled & {
    readonly kind: 'notify'
    readonly observer: ObserverDefinition
    readonly keys: KeyBounds
  }

export type ExplainPlan = {
  readonly kind: 'explain'
  readonly analyze: boolean
  /** Whether a rule hides rows from whoever asks: then what was read of the store is not told. */
  readonly hidesRows: boolean
  /** Whether statements after it want the values of the row that ANALYZE answers. */
  readonly readsInto: boolean
  /** Whether what ANALYZE writes is left for the statements after it, in a transaction that is rolled back. */
  readonly keepsWrites: boolean
  readonly plan: ExplainedPlan
}

export type Access = {
  readonly path: AccessPath
  readonly rejected: readonly RejectedKey[]
  /** Of what the bounds do not see to, what an index entry alone can tell; checked first. */
  readonly keyFilter?: RowFilter
  /** The rest, for which the row is read. */
  readonly rowFilter?: RowFilter
  /** Places of the columns that are read of each row that the key's filter keeps. */
  readonly reads: readonly number[]
  /** True when the entries of an index hold all of them, so that no row is read. */
  readonly covering: boolean
  /** The error of a walk that a parameter leaves without bounds. */
  readonly unbounded: () => PlanError
  readonly limit?: CompiledExpression
  readonly limitSource?: Expression
}
/** The plans that walk along a key. */
export type WalkPlan = RangeScanPlan | AggregatePlan | SetRowsPlan | DeletePlan

/** A filter keeps the rows for which every one of its conditions is TRUE. */
export type RowFilter = {
  readonly keeps: (scope: Scope) => boolean
  readonly sources: readonly Expression[]
}

export type RowProjection = {
  readonly columns: readonly ResultColumn[]
  /** Places of the columns of the table that it looks at. */
  readonly reads: ReadonlySet<number>
  /** Their places in the order of the result, where it answers columns of one table as they are. */
  readonly places?: readonly number[]
  /** Units of work that this costs. */
  readonly units: number
  project(scope: Scope): SqlValue[]
}
export type ResultColumn = { readonly name: string; readonly type: SqlType }

export type PlannedAssignment = {
  /** The position of the column among the table's. */
  readonly column: number
  readonly value: CompiledExpression
  readonly source: Expression
}
