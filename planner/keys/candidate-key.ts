// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  columnPosition,
  encodeIndexKey,
  encodeIndexTextPrefix,
  encodePrimaryKeyBound,
  encodeTextPrefix,
  entryColumns,
  type IndexDefinition,
  isWhole,
  type KeyPart,
  orderParts,
  partName,
  partType,
  partValue,
  type SqlRow,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { nameText } from '../expressions/expression-text.ts'
import { type KeyTerm, membersAt, termAt, termText, wordsIn } from './key-term.ts'

/** A key that rows can be found by and walked along: the primary key, or an index that is ready. */
export type CandidateKey = {
  /** As EXPLAIN and USE name it: `PRIMARY KEY`, or `INDEX byTime`. */
  readonly name: string
  /** Absent for the primary key. */
  readonly index?: IndexDefinition
  /** At most one row has these values, unless one of them is NULL. */
  readonly unique: boolean
  /** As the key was defined. */
  readonly parts: readonly CandidatePart[]
  /** What the walk is ordered by: the parts and, in an index, the primary key after them. */
  readonly order: readonly CandidatePart[]
  /** What conditions can bound: a unique index holds most of its primary keys outside of its own key. */
  readonly bounding: readonly CandidatePart[]
  /** The positions of the columns that the key holds without its row; absent for the primary key. */
  readonly holds?: ReadonlySet<number>
  /** The bytes shared by all keys with these leading values. */
  encode(values: readonly SqlValue[]): Uint8Array
  /** The same, with the next column a TEXT that starts with `text`. */
  encodeTextPrefix(values: readonly SqlValue[], text: string): Uint8Array
}

export type CandidatePart = {
  readonly term: KeyTerm
  /** As fields of errors have it. */
  readonly name: string
  /** As it is written. */
  readonly text: string
  readonly type: SqlType
  readonly nullable: boolean
  readonly descending: boolean
  /** Of a row there is an entry for each of several values: rows are found by one of them. */
  readonly each: KeyPart['each']
  valueIn(row: SqlRow): SqlValue
}

/** The primary key first, then the indexes in the order of their creation. */
export function candidateKeys(table: TableDefinition): readonly CandidateKey[] {
  const ready = table.indexes.filter(({ state }) => state === 'ready')
  return [primaryKeyOf(table), ...ready.map((index) => keyOfIndex(table, index))]
}

export function primaryKeyOf(table: TableDefinition): CandidateKey {
  const parts = table.primaryKey.map((part) => partOf(table, part))
  return {
    name: 'PRIMARY KEY',
    unique: true,
    parts,
    order: parts,
    bounding: parts,
    encode: (values) => encodePrimaryKeyBound(table, values),
    encodeTextPrefix: (values, text) => encodeTextPrefix(table, values, text),
  }
}

/** The index as a key, whatever its state: EXPLAIN names those as well that cannot be read yet. */
export function keyOfIndex(table: TableDefinition, index: IndexDefinition): CandidateKey {
  const parts = index.parts.map((part) => partOf(table, part))
  const order = orderParts(table, index).map((part) => partOf(table, part))
  return {
    name: `${index.unique ? 'UNIQUE INDEX' : 'INDEX'} ${nameText(index.name)}`,
    index,
    unique: index.unique,
    parts,
    order,
    bounding: index.unique ? parts : order,
    holds: new Set(entryColumns(table, index)),
    encode: (values) => encodeIndexKey(table, index, values),
    encodeTextPrefix: (values, text) => encodeIndexTextPrefix(table, index, values, text),
  }
}

/** Whether a read of these columns needs nothing but the key: the primary key holds the rows. */
export function covers({ holds }: CandidateKey, columns: Iterable<number>): boolean {
  return holds === undefined || [...columns].every((column) => holds.has(column))
}

/** The key as EXPLAIN shows it: `PRIMARY KEY (customer, time DESC)`. */
export function keyText(key: CandidateKey): string {
  return `${key.name} (${key.parts.map(partText).join(', ')})`
}

export function partText(part: Pick<CandidatePart, 'text' | 'descending'>): string {
  return `${part.text}${part.descending ? ' DESC' : ''}`
}

export function partOf(table: TableDefinition, part: KeyPart): CandidatePart {
  const { columnId, descending, path, each } = part
  const column = columnPosition(table, columnId)
  const { notNull } = table.columns[column] as ColumnDefinition
  const whole = each === 'members' ? membersAt(column, path) : termAt(column, path)
  const term = each === 'words' ? wordsIn(whole) : whole
  return {
    term,
    name: partName(table, part),
    text: termText(table, term),
    type: partType(table, part),
    nullable: !notNull || !isWhole(part),
    descending,
    each,
    valueIn: (row) => partValue(table, row, part),
  }
}

/** The primary key, and the unique indexes that are ready. */
export function uniqueKeys(table: TableDefinition): readonly CandidateKey[] {
  return candidateKeys(table).filter(({ unique }) => unique)
}

/** The one of exactly these parts, in whatever order. */
export function uniqueKeyOf(
  table: TableDefinition,
  terms: ReadonlySet<KeyTerm>,
): CandidateKey | undefined {
  return uniqueKeys(table).find(
    ({ parts }) => parts.length === terms.size && parts.every(({ term }) => terms.has(term)),
  )
}

/** An index that is on its way may be the one that is missed. */
export function buildingHint(indexes: readonly IndexDefinition[]): string {
  const building = indexes.filter(({ state }) => state === 'building')
  if (building.length === 0) return ''
  return ` Still being built: ${building.map(({ name }) => nameText(name)).join(', ')}.`
}

/** The same of unique ones alone. */
export function uniqueBuildingHint({ indexes }: TableDefinition): string {
  return buildingHint(indexes.filter(({ unique }) => unique))
}
