// SPDX-License-Identifier: Apache-2.0

/**
 * What the parser makes of a text: plain readonly data, each node tagged by `kind`. Nodes that an
 * error may have to point at carry the position of their first character.
 */

import type { Expression, Located } from './expression-ast.ts'

export type * from './expression-ast.ts'

export type Statement =
  | BeginStatement
  | CommitStatement
  | RollbackStatement
  | DataStatement
  | CheckStatement
  | DefinitionStatement
  | ExplainStatement
  | ShowTablesStatement
  | ShowIndexesStatement
  | DescribeStatement

/** Statements that read or write rows; the ones that EXPLAIN takes. */
export type DataStatement =
  | GetStatement
  | ScanStatement
  | SetStatement
  | InsertStatement
  | DeleteStatement
/** Statements that change the catalog; each is a transaction of its own. */
export type DefinitionStatement =
  | CreateTableStatement
  | DropTableStatement
  | AddColumnStatement
  | DropColumnStatement
  | CreateIndexStatement
  | DropIndexStatement

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
  readonly asOf?: Expression
  readonly where: Expression
  readonly forUpdate: boolean
}

export type ScanStatement = Located & {
  readonly kind: 'scan'
  /** Here, and nowhere else, expressions may hold aggregates. */
  readonly projection: Projection
  readonly table: Name
  readonly asOf?: Expression
  readonly hint?: KeyHint
  readonly where?: Expression
  /** Empty without GROUP BY, as `orderBy` is without ORDER BY. */
  readonly groupBy: readonly Name[]
  readonly orderBy: readonly OrderPart[]
  readonly limit?: Expression
}

export type SetStatement = Located & {
  readonly kind: 'set'
  readonly assignments: readonly Assignment[]
  readonly table: Name
  readonly where: Expression
  readonly precondition?: Precondition
  readonly returning?: Projection
}

export type InsertStatement = Located & {
  readonly kind: 'insert'
  readonly table: Name
  readonly columns: readonly Name[]
  /** Each inner list is as long as `columns`. */
  readonly rows: ReadonlyArray<readonly Expression[]>
  /** A row that would be a duplicate is left out instead of failing the statement. */
  readonly onConflictDoNothing: boolean
  readonly returning?: Projection
}

export type DeleteStatement = Located & {
  readonly kind: 'delete'
  readonly table: Name
  readonly hint?: KeyHint
  readonly where?: Expression
  readonly limit?: Expression
  readonly returning?: Projection
}

/** Fails unless the condition holds for the row, and guards the row until the commit. */
export type CheckStatement = Located & {
  readonly kind: 'check'
  readonly condition: Expression
  readonly table: Name
  readonly where: Expression
}

export type CreateTableStatement = Located & {
  readonly kind: 'createTable'
  readonly ifNotExists: boolean
  readonly table: Name
  readonly columns: readonly ColumnClause[]
  /** From `PRIMARY KEY (…)` or from the one column marked so; the parser refuses none and two. */
  readonly primaryKey: readonly KeyClause[]
  readonly families: readonly FamilyClause[]
}

export type DropTableStatement = Located & {
  readonly kind: 'dropTable'
  readonly ifExists: boolean
  readonly table: Name
}

/** ALTER TABLE … ADD COLUMN … */
export type AddColumnStatement = Located & {
  readonly kind: 'addColumn'
  readonly table: Name
  readonly column: ColumnClause
}

/** ALTER TABLE … DROP COLUMN … */
export type DropColumnStatement = Located & {
  readonly kind: 'dropColumn'
  readonly table: Name
  readonly column: Name
}

export type CreateIndexStatement = Located & {
  readonly kind: 'createIndex'
  readonly unique: boolean
  readonly ifNotExists: boolean
  readonly index: Name
  readonly table: Name
  readonly columns: readonly KeyClause[]
  /** Columns that the entries carry besides the key; empty without STORING. */
  readonly storing: readonly Name[]
}

export type DropIndexStatement = Located & {
  readonly kind: 'dropIndex'
  readonly ifExists: boolean
  readonly index: Name
}

export type ShowTablesStatement = Located & { readonly kind: 'showTables' }
export type ShowIndexesStatement = Located & {
  readonly kind: 'showIndexes'
  readonly table: Name
}
export type DescribeStatement = Located & { readonly kind: 'describe'; readonly table: Name }
export type ExplainStatement = Located & {
  readonly kind: 'explain'
  readonly analyze: boolean
  readonly statement: DataStatement
}

/** A name as the user wrote it, without the quotes of a quoted identifier. */
export type Name = Located & { readonly text: string }

export type Projection =
  | { readonly kind: 'allColumns' }
  | { readonly kind: 'expressions'; readonly items: readonly ProjectionItem[] }
/** `label` is the name given with AS, else the text of the expression as the user wrote it. */
export type ProjectionItem = { readonly expression: Expression; readonly label: string }

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
export type OrderPart = { readonly column: Name; readonly descending: boolean }
export type Assignment = { readonly column: Name; readonly value: Expression }

export type ColumnClause = {
  readonly name: Name
  readonly type: TypeName
  readonly notNull: boolean
  /** A literal (perhaps negated), `now()` or `uuid()`. */
  readonly default?: Expression
}
/** One of the dialect's type names, upper case. */
export type TypeName = Located & { readonly text: string }
export type KeyClause = { readonly column: Name; readonly descending: boolean }
/** FAMILY name (column, …): columns that are stored apart from the others. */
export type FamilyClause = { readonly name: Name; readonly columns: readonly Name[] }
