// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { intact } from '../invariant.ts'
import type { DecimalSize } from '../values/decimal.ts'
import { type JsonStep, pathText, spanAt, textAt, UNPAID } from '../values/json/json-path.ts'
import type { SqlType, SqlValue } from '../values/sql-type.ts'

/**
 * A SQL table as the catalog keeps it, with its indexes and observers. Ids are never reused: those of
 * tables, indexes and observers within the store, those of columns within their table.
 */
export type TableDefinition = {
  readonly id: number
  readonly name: string
  /** In the order of CREATE TABLE; a row in memory is an array of values in this same order. */
  readonly columns: readonly ColumnDefinition[]
  /** The id of the next column that ALTER TABLE adds; those of dropped columns are below it. */
  readonly nextColumnId: number
  /** At least one column, in key order; columns are named by their id. */
  readonly primaryKey: readonly KeyPart[]
  /** Those that FAMILY declared, numbered from 1; family 0 exists always and is not listed. */
  readonly families: readonly FamilyDefinition[]
  /** In the order of their creation, whatever their state. */
  readonly indexes: readonly IndexDefinition[]
  /** In the order of their creation, whatever their state. */
  readonly observers: readonly ObserverDefinition[]
  /** In the order of their GRANT; no two are equal. */
  readonly grants: readonly TableGrant[]
  /** What every row has to meet, in the order of their creation. */
  readonly checks: readonly CheckConstraint[]
  /** Of its observers, in the order of their creation, whatever their state. */
  readonly schedules: readonly ScheduleDefinition[]
}

/** What a role may do with rows of a table. */
export const TABLE_RIGHTS = ['read', 'write', 'observe'] as const
export type TableRight = (typeof TABLE_RIGHTS)[number]

export type TableGrant = {
  /** A name: no role is dropped that a table names. */
  readonly role: string
  readonly right: TableRight
  /** The rows that it is about; absent for all of them. */
  readonly rule?: RowRule
}

/** A condition on rows. */
export type RowRule = {
  /** In the words of the dialect, with `token.name` for what a token says of its holder. */
  readonly text: string
  /** Ids of the columns that it names, ascending. */
  readonly columns: readonly number[]
  /** Whether it is about columns at the beginning of the primary key alone, each by =. */
  readonly isByKey: boolean
}

/** A condition that no row may fail: it is TRUE of each, or NULL. */
export type CheckConstraint = {
  /** Unlike those of all other constraints of the table. */
  readonly name: string
  /** In the words of the dialect, without parameters. */
  readonly text: string
  /** Ids of the columns that it names, ascending: at least one, and those outside of the key in one family. */
  readonly columns: readonly number[]
  /** `adding`: what is written meets it, but an older row may not. */
  readonly state: 'adding' | 'ready'
}

export type ColumnDefinition = {
  readonly id: number
  readonly name: string
  readonly type: SqlType
  /** Of each DECIMAL, and of no other column. */
  readonly size?: DecimalSize
  /** True for every column of the primary key. */
  readonly notNull: boolean
  readonly default?: ColumnDefault
  /** The family that holds it; absent for family 0, and for the columns of the primary key. */
  readonly family?: number
  /** What it holds in rows that were written before ALTER TABLE added it; absent: NULL. */
  readonly valueBefore?: Exclude<SqlValue, null>
}

export type ColumnDefault =
  | { readonly kind: 'literal'; readonly value: SqlValue }
  | { readonly kind: 'now' }
  | { readonly kind: 'uuid' }
  | IdentityDefault

/** A number that the store hands out, each once; at most one column of a table has it. */
export type IdentityDefault = {
  readonly kind: 'identity'
  /** Whether nobody else may say what it is. */
  readonly isAlways: boolean
  /** How often it was begun, from 1: numbers of an older series are handed out no more. */
  readonly series: number
}

export type KeyPart = {
  readonly columnId: number
  readonly descending: boolean
  /** Of an index: what the column, which is JSON, has there as TEXT, instead of the column itself. */
  readonly path?: readonly JsonStep[]
  /**
   * Of an index that is not unique, one part at most: the members of the JSON there, or the words of the TEXT, each an
   * entry of its own, which has a member as canonical JSON.
   */
  readonly each?: 'members' | 'words'
}

/**
 * A group of columns that is stored as a column of Percolator's own: transactions that write different
 * families of one row do not conflict, and a read that needs no column of a family does not read it.
 */
export type FamilyDefinition = { readonly id: number; readonly name: string }

/**
 * A secondary index. `building`: every writer keeps its entries, but older rows may have none yet, so no read may use
 * it. `ready`: it has exactly the entries of each row. `failed`: the rows that were there break its uniqueness, or one
 * cannot be read; it is no longer written, and only DROP INDEX is left.
 */
export type IndexDefinition = {
  readonly id: number
  /** Unlike those of all other indexes of the store. */
  readonly name: string
  readonly unique: boolean
  /** At least one, in the order of the entries. NULL is first ascending, last descending. */
  readonly parts: readonly KeyPart[]
  /** Ids of columns that the entries carry as well; neither parts nor of the primary key. */
  readonly storing: readonly number[]
  readonly state: 'building' | 'ready' | 'failed'
  /** Of an observer DUE: it has no entry for NULL, and an entry goes when its row is handed out. */
  readonly isDue?: true
  /** Why it failed, a sentence; present in the state `failed` only. */
  readonly failure?: string
}

/**
 * An observer (Percolator 2.4): what runs when rows of its table change. It is notified of every
 * INSERT, every DELETE and each SET that names one of its columns.
 */
export type ObserverDefinition = {
  readonly id: number
  /** Unlike those of all other observers of the store. */
  readonly name: string
  /** Notified without a conflict, and maybe more than once for a change; NOTIFY is for these only. */
  readonly isWeak: boolean
  /** Ids of at least one column, ascending. */
  readonly columns: readonly number[]
  /** The id of the column, a TIMESTAMP or a DATE among those, with the time before which a row is not handed out. */
  readonly due?: number
  /** `paused`: it is notified as ever, and nothing runs. */
  readonly state: 'active' | 'paused'
  /**
   * Whether the rows that CREATE OBSERVER or a REPLAY asked for have been notified, which happens later. Always true
   * for a weak observer, which has no past.
   */
  readonly isBackfilled: boolean
  /**
   * Of the last REPLAY: what the observer acknowledged before `epoch`, the start of that statement,
   * counts as acknowledged up to `replayFrom` only, exclusive. Both or neither.
   */
  readonly epoch?: Timestamp
  readonly replayFrom?: Timestamp
  /** The start of the last RESUME: what had failed too often until then is tried again. */
  readonly resumedAt?: Timestamp
}

/**
 * Times at which a row is inserted that an observer of the table is notified of: the name of the schedule and the time
 * are its key.
 */
export type ScheduleDefinition = {
  readonly id: number
  /** Unlike those of all other schedules of the store. */
  readonly name: string
  /** The id of an observer of the same table. */
  readonly observer: number
  readonly times: ScheduleTimes
  /** The name of a time zone. */
  readonly zone: string
  /** Of times that nobody was there for: the last one, or each. */
  readonly missed: 'latest' | 'all'
  /** `paused`: its times pass. */
  readonly state: 'active' | 'paused'
}

/** As they were written: `1 day` at `03:00`, or `0 3 * * *`. */
export type ScheduleTimes =
  | { readonly every: string; readonly at?: string }
  | { readonly cron: string }

/** A row in memory: one value for each of `TableDefinition.columns`, in their order. */
export type SqlRow = readonly SqlValue[]

/** The position of the column with this id in `columns`, and in a row; it must exist. */
export function columnPosition(table: TableDefinition, columnId: number): number {
  // Ids start at 1 and have no gaps until a column is dropped, so this hits nearly always.
  if (table.columns[columnId - 1]?.id === columnId) return columnId - 1
  const position = table.columns.findIndex((column) => column.id === columnId)
  intact(position !== -1, 'T3', { table: table.name, columnId })
  return position
}

/** A column of the primary key, with its position in a row. */
export type PrimaryKeyPart = {
  readonly position: number
  readonly type: SqlType
  readonly size: DecimalSize | undefined
  readonly name: string
  readonly descending: boolean
}

/** Definitions are kept with the catalog and do not change, so each is looked through once. */
const PRIMARY_KEYS = new WeakMap<TableDefinition, readonly PrimaryKeyPart[]>()

/** In key order. */
export function primaryKeyParts(table: TableDefinition): readonly PrimaryKeyPart[] {
  let parts = PRIMARY_KEYS.get(table)
  if (parts === undefined) {
    parts = table.primaryKey.map(({ columnId, descending }) => {
      const { position, column } = columnOf(table, columnId)
      const { type, size, name } = column
      return { position, type, size, name, descending }
    })
    PRIMARY_KEYS.set(table, parts)
  }
  return parts
}

/** The columns of the primary key, in key order. */
export function keyColumns(table: TableDefinition): ColumnDefinition[] {
  return table.primaryKey.map(({ columnId }) => columnOf(table, columnId).column)
}

/** The positions of the same, in the table and in a row. */
export function keyPositions(table: TableDefinition): number[] {
  return table.primaryKey.map(({ columnId }) => columnPosition(table, columnId))
}

/** What a part of a key is compared as. */
export function partType(table: TableDefinition, { columnId, path, each }: KeyPart): SqlType {
  const isText = path !== undefined || each !== undefined
  return isText ? 'TEXT' : columnOf(table, columnId).column.type
}

/** Whether the part is the column itself, so that an entry holds it. */
export function isWhole({ path, each }: KeyPart): boolean {
  return path === undefined && each === undefined
}

/** How a part with each member, or word, is written. */
export const EACH_WORDS = { members: 'EACH', words: 'WORDS' } as const

/** For messages and their fields: the name of the column, `meta->>'city'`, `EACH meta->'tags'`, or `WORDS body`. */
export function partName(table: TableDefinition, { columnId, path = [], each }: KeyPart): string {
  const { name } = columnOf(table, columnId).column
  const begin = each === undefined ? '' : `${EACH_WORDS[each]} `
  return `${begin}${name}${pathText(path, each === 'members' ? '>' : '>>')}`
}

/**
 * What a row has in a part of a key; in a path the same as the expression, for EACH the JSON with the members, for
 * WORDS the TEXT.
 */
export function partValue(
  table: TableDefinition,
  row: SqlRow,
  { columnId, path, each }: KeyPart,
): SqlValue {
  const value = row[columnPosition(table, columnId)] as SqlValue
  if (path === undefined || value === null) return value
  if (each !== 'members') return textAt(value as string, path, UNPAID)
  const span = spanAt(value as string, path, UNPAID)
  return span === undefined ? null : (value as string).slice(span.from, span.to)
}

/** The column of a part of a key, with its position in the table. */
export function columnOf(
  table: TableDefinition,
  columnId: number,
): { readonly position: number; readonly column: ColumnDefinition } {
  const position = columnPosition(table, columnId)
  return { position, column: table.columns[position] as ColumnDefinition }
}
