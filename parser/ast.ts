// SPDX-License-Identifier: Apache-2.0

/**
 * What the parser makes of a text: plain readonly data, each node tagged by `kind`. Nodes that an
 * error may have to point at carry the position of their first character.
 */

import type { AccessStatement } from './access-ast.ts'
import type { DefinitionStatement } from './definition-ast.ts'
import type { Expression, KeyPartName, Located, Name } from './expression-ast.ts'

export type * from './access-ast.ts'
export type * from './definition-ast.ts'
export type * from './expression-ast.ts'

export type Statement =
  | BeginStatement
  | CommitStatement
  | RollbackStatement
  | DataStatement
  | CheckStatement
  | NotifyStatement
  | DefinitionStatement
  | AccessStatement
  | ExplainStatement
  | ShowTablesStatement
  | ShowIndexesStatement
  | ShowCreateTableStatement
  | ShowObserversStatement
  | ShowSchedulesStatement
  | ShowTokensStatement
  | ShowRolesStatement
  | ShowBlocksStatement
  | ShowRelaysStatement
  | ShowGrantsStatement
  | DescribeStatement

/** Statements that read or write rows. */
export type DataStatement =
  | GetStatement
  | ScanStatement
  | SetStatement
  | InsertStatement
  | DeleteStatement
export type BeginStatement = Located & {
  readonly kind: 'begin'
  readonly readOnly: boolean
  readonly asOf?: Expression
}
export type CommitStatement = Located & { readonly kind: 'commit' }
export type RollbackStatement = Located & { readonly kind: 'rollback' }

export type GetStatement = Located & {
  readonly kind: 'get'
  readonly projection: Projection
  readonly table: Name
  /** What the columns of the table are qualified with, instead of its name. */
  readonly alias?: Name
  readonly asOf?: Expression
  /** Absent without LOOKUP. */
  readonly lookups?: readonly Lookup[]
  readonly where: Expression
  readonly forUpdate: boolean
  readonly into?: Into
}

export type ScanStatement = Located & {
  readonly kind: 'scan'
  /** The projection has each combination of values once. */
  readonly distinct?: true
  /** Here, in `having` and in `orderBy`, and nowhere else, expressions may hold aggregates. */
  readonly projection: Projection
  readonly table: Name
  readonly alias?: Name
  readonly asOf?: Expression
  readonly hint?: KeyHint
  readonly lookups?: readonly Lookup[]
  readonly where?: Expression
  /** Empty without GROUP BY, as `orderBy` is without ORDER BY. */
  readonly groupBy: readonly Expression[]
  /** Of groups; absent without GROUP BY. */
  readonly having?: Expression
  readonly orderBy: readonly OrderPart[]
  readonly limit?: Expression
  readonly into?: Into
}

/** The row of another table that has the key which BY computes from the rows before. */
export type Lookup = Located & {
  readonly table: Name
  readonly alias?: Name
  readonly by: Expression
  /** Without such a row, NULLs stand in its place; otherwise the rows before are left out. */
  readonly isOptional: boolean
}

export type SetStatement = Located & {
  readonly kind: 'set'
  readonly assignments: readonly Assignment[]
  readonly table: Name
  readonly hint?: KeyHint
  readonly where: Expression
  readonly precondition?: Precondition
  readonly limit?: Expression
  readonly returning?: Projection
  /** Of the row that is returned. */
  readonly into?: Into
}

export type InsertStatement = Located & {
  readonly kind: 'insert'
  readonly table: Name
  readonly columns: readonly Name[]
  /** OVERRIDING SYSTEM VALUE: also for a column that is GENERATED ALWAYS. */
  readonly overridesGenerated?: true
  /** Each inner list is as long as `columns`. */
  readonly rows: ReadonlyArray<readonly Expression[]>
  readonly onConflict?: ConflictClause
  readonly returning?: Projection
  /** Of the row that is returned. */
  readonly into?: Into
}

/** What becomes of a row that would be a duplicate, instead of failing the statement. */
export type ConflictClause = Located & {
  /** Those of the key by which duplicates are found; absent for every key with DO NOTHING, else for the primary key. */
  readonly columns?: readonly KeyPartName[]
  readonly action: { readonly kind: 'nothing' } | UpdateAction
}

/** Changes the row that is there; `excluded.column` is of the one that would have been inserted. */
export type UpdateAction = {
  readonly kind: 'update'
  readonly assignments: readonly Assignment[]
  readonly condition?: Expression
}

export type DeleteStatement = Located & {
  readonly kind: 'delete'
  readonly table: Name
  readonly hint?: KeyHint
  readonly where?: Expression
  readonly limit?: Expression
  readonly returning?: Projection
  /** Of the row that is returned. */
  readonly into?: Into
}

/** Fails unless the condition holds for the row, and guards the row until the commit. */
export type CheckStatement = Located & {
  readonly kind: 'check'
  readonly condition: Expression
  readonly table: Name
  readonly where: Expression
}

/** Tells a weak observer of one row, whether or not that has changed. */
export type NotifyStatement = Located & {
  readonly kind: 'notify'
  readonly observer: Name
  readonly table: Name
  readonly where: Expression
}

export type ShowTablesStatement = Located & { readonly kind: 'showTables' }
export type ShowIndexesStatement = Located & {
  readonly kind: 'showIndexes'
  readonly table: Name
}
export type ShowCreateTableStatement = Located & {
  readonly kind: 'showCreateTable'
  readonly table: Name
}
export type ShowObserversStatement = Located & { readonly kind: 'showObservers' }
export type ShowSchedulesStatement = Located & { readonly kind: 'showSchedules' }
export type ShowTokensStatement = Located & { readonly kind: 'showTokens' }
export type ShowRolesStatement = Located & { readonly kind: 'showRoles' }
export type ShowBlocksStatement = Located & { readonly kind: 'showBlocks' }
export type ShowRelaysStatement = Located & { readonly kind: 'showRelays' }
export type ShowGrantsStatement = Located & { readonly kind: 'showGrants'; readonly role?: Name }
export type DescribeStatement = Located & { readonly kind: 'describe'; readonly table: Name }
export type ExplainStatement = Located & {
  readonly kind: 'explain'
  readonly analyze: boolean
  /** There in each of the statements that one EXPLAIN SCRIPT explains: what they write is dropped together. */
  readonly script?: true
  readonly statement: ExplainedStatement
}
/** The ones that EXPLAIN takes. */
export type ExplainedStatement = DataStatement | CheckStatement | NotifyStatement

export type Projection =
  | (Located & { readonly kind: 'allColumns' })
  | { readonly kind: 'expressions'; readonly items: readonly ProjectionItem[] }
/** `table.*`, or an expression. */
export type ProjectionItem = ColumnsOfTable | LabelledExpression
export type ColumnsOfTable = { readonly kind: 'columnsOf'; readonly qualifier: Name }
/** `label` is the name given with AS, else the text of the expression as the user wrote it. */
export type LabelledExpression = {
  readonly kind: 'expression'
  readonly expression: Expression
  readonly label: string
}

/** INTO :name, …: what later statements of the request call the values of the one row that is answered. */
export type Into = Located & { readonly names: readonly Name[] }

/** USE PRIMARY KEY or USE INDEX name. */
export type KeyHint = Located &
  ({ readonly kind: 'primaryKey' } | { readonly kind: 'index'; readonly index: Name })
/** What a SET asks before it writes: IF EXISTS, IF NOT EXISTS, or IF condition. */
export type Precondition = Located &
  (
    | { readonly kind: 'exists' }
    | { readonly kind: 'notExists' }
    | { readonly kind: 'condition'; readonly condition: Expression }
  )
export type OrderPart = { readonly expression: Expression; readonly descending: boolean }
export type Assignment = { readonly column: Name; readonly value: Expression }
