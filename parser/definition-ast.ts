// SPDX-License-Identifier: Apache-2.0

import type { Expression, KeyPartName, Located, Name, TypeName } from './expression-ast.ts'

/** Statements that change the catalog; each is a transaction of its own. */
export type DefinitionStatement =
  | CreateTableStatement
  | DropTableStatement
  | AlterTableStatement
  | CreateIndexStatement
  | DropIndexStatement
  | CreateObserverStatement
  | AlterObserverStatement
  | DropObserverStatement
  | CreateScheduleStatement
  | AlterScheduleStatement
  | DropScheduleStatement

export type AlterTableStatement =
  | AddColumnStatement
  | DropColumnStatement
  | AddCheckStatement
  | DropConstraintStatement
  | AlterColumnStatement
  | SetNotNullStatement
  | RestartIdentityStatement
  | RenameColumnStatement
  | RenameTableStatement

export type CreateTableStatement = Located & {
  readonly kind: 'createTable'
  readonly ifNotExists: boolean
  readonly table: Name
  readonly columns: readonly ColumnClause[]
  /** From `PRIMARY KEY (…)` or from the one column marked so; the parser refuses none and two. */
  readonly primaryKey: readonly KeyClause[]
  readonly families: readonly FamilyClause[]
  /** Of the table and of its columns, in the order of the text, as are the checks. */
  readonly uniques: readonly UniqueClause[]
  readonly checks: readonly CheckClause[]
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

/** ALTER TABLE … ADD [CONSTRAINT name] CHECK (…) */
export type AddCheckStatement = Located & {
  readonly kind: 'addCheck'
  readonly table: Name
  readonly check: CheckClause
}

/** ALTER TABLE … DROP CONSTRAINT … */
export type DropConstraintStatement = Located & {
  readonly kind: 'dropConstraint'
  readonly table: Name
  readonly constraint: Name
}

/** ALTER TABLE … ALTER COLUMN … SET DEFAULT … | DROP DEFAULT | DROP NOT NULL */
export type AlterColumnStatement = Located & {
  readonly kind: 'alterColumn'
  readonly table: Name
  readonly column: Name
  readonly change:
    | { readonly kind: 'setDefault'; readonly default: Expression }
    | { readonly kind: 'dropDefault' | 'dropNotNull' }
}

/** ALTER TABLE … ALTER COLUMN … SET NOT NULL */
export type SetNotNullStatement = Located & {
  readonly kind: 'setNotNull'
  readonly table: Name
  readonly column: Name
}

/** ALTER TABLE … ALTER COLUMN … RESTART WITH … */
export type RestartIdentityStatement = Located & {
  readonly kind: 'restartIdentity'
  readonly table: Name
  readonly column: Name
  /** A literal, perhaps negated. */
  readonly next: Expression
}

/** ALTER TABLE … RENAME COLUMN … TO … */
export type RenameColumnStatement = Located & {
  readonly kind: 'renameColumn'
  readonly table: Name
  readonly column: Name
  readonly to: Name
}

/** ALTER TABLE … RENAME TO … */
export type RenameTableStatement = Located & {
  readonly kind: 'renameTable'
  readonly table: Name
  readonly to: Name
}

export type CreateIndexStatement = Located & {
  readonly kind: 'createIndex'
  readonly unique: boolean
  readonly ifNotExists: boolean
  readonly index: Name
  readonly table: Name
  readonly columns: readonly IndexPartClause[]
  /** Columns that the entries carry besides the key; empty without STORING. */
  readonly storing: readonly Name[]
}

export type DropIndexStatement = Located & {
  readonly kind: 'dropIndex'
  readonly ifExists: boolean
  readonly index: Name
}

export type CreateObserverStatement = Located & {
  readonly kind: 'createObserver'
  readonly weak: boolean
  readonly ifNotExists: boolean
  readonly observer: Name
  readonly table: Name
  readonly columns: readonly Name[]
  /** The column with the time from which a row is handed out. */
  readonly due?: Name
}

/** ALTER OBSERVER … PAUSE | RESUME | REPLAY FROM … */
export type AlterObserverStatement =
  | (Located & { readonly kind: 'pauseObserver'; readonly observer: Name })
  | (Located & { readonly kind: 'resumeObserver'; readonly observer: Name })
  | (Located & {
      readonly kind: 'replayObserver'
      readonly observer: Name
      /** A stamp or an ISO time, or a parameter that is one. */
      readonly from: Expression
    })

export type DropObserverStatement = Located & {
  readonly kind: 'dropObserver'
  readonly ifExists: boolean
  readonly observer: Name
}

export type CreateScheduleStatement = Located & {
  readonly kind: 'createSchedule'
  readonly ifNotExists: boolean
  readonly schedule: Name
  readonly times: TimesClause
  /** The name of a time zone; UTC without it. */
  readonly zone?: Name
  readonly observer: Name
  readonly missed: 'latest' | 'all'
}
/** EVERY '1 day' AT '03:00', or CRON '0 3 * * *': texts with their positions. */
export type TimesClause = { readonly every: Name; readonly at?: Name } | { readonly cron: Name }

/** ALTER SCHEDULE … PAUSE | RESUME */
export type AlterScheduleStatement =
  | (Located & { readonly kind: 'pauseSchedule'; readonly schedule: Name })
  | (Located & { readonly kind: 'resumeSchedule'; readonly schedule: Name })

export type DropScheduleStatement = Located & {
  readonly kind: 'dropSchedule'
  readonly ifExists: boolean
  readonly schedule: Name
}

export type ColumnClause = {
  readonly name: Name
  readonly type: TypeName
  readonly notNull: boolean
  /** A literal (perhaps negated), `now()` or `uuid()`. */
  readonly default?: Expression
  /** Instead of a default. */
  readonly identity?: IdentityClause
}
/** GENERATED ALWAYS | BY DEFAULT AS IDENTITY [(START WITH …)] */
export type IdentityClause = Located & {
  readonly isAlways: boolean
  /** A literal, perhaps negated. */
  readonly startWith?: Expression
}
export type KeyClause = { readonly column: Name; readonly descending: boolean }
export type IndexPartClause = KeyPartName & {
  /** The members of the JSON there, or the words of the TEXT, each by itself. */
  readonly each?: 'members' | 'words'
  readonly descending: boolean
}
/** FAMILY name (column, …): columns that are stored apart from the others. */
export type FamilyClause = { readonly name: Name; readonly columns: readonly Name[] }
/** [CONSTRAINT name] CHECK (condition) */
export type CheckClause = { readonly name?: Name; readonly condition: Expression }
/** column … UNIQUE, or [CONSTRAINT name] UNIQUE (column, …) */
export type UniqueClause = { readonly name?: Name; readonly columns: readonly KeyClause[] }
