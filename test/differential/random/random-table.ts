// SPDX-License-Identifier: Apache-2.0
import type { SqlType } from '../../../storage/values/values.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { TwoTexts } from './joined-texts.ts'

/** Without JSON, which has no order and no counterpart that compares as it does: only what it has at paths does. */
export type ComparedType = Exclude<SqlType, 'JSON'>
const TYPES: readonly ComparedType[] = [
  ...([
    'INTEGER',
    'TEXT',
    'INTEGER',
    'REAL',
    'DECIMAL',
    'BOOLEAN',
    'BYTES',
    'TIMESTAMP',
    'DATE',
    'TEXT',
  ] as const),
]

export type StoredColumn = {
  readonly name: string
  readonly type: SqlType
  readonly notNull: boolean
}
/** What expressions name: a column, or TEXT in the one that is JSON, which is no column of its own. */
export type RandomColumn = StoredColumn & { readonly type: ComparedType }
export type RandomKeyPart = { readonly column: RandomColumn; readonly descending: boolean }
export type RandomIndex = {
  readonly name: string
  readonly unique: boolean
  readonly parts: readonly RandomKeyPart[]
  readonly storing: readonly StoredColumn[]
  /** Made by the CREATE TABLE, beside a column or for the table. */
  readonly inTable?: 'column' | 'table'
}
export type RandomCheck = {
  readonly name?: string
  readonly condition: TwoTexts
  /** The one that it stands beside. */
  readonly column?: RandomColumn
}
export type RandomTable = {
  readonly name: string
  readonly columns: readonly StoredColumn[]
  readonly terms: readonly RandomColumn[]
  readonly primaryKey: readonly RandomKeyPart[]
  readonly families: ReadonlyArray<readonly StoredColumn[]>
  readonly indexes: readonly RandomIndex[]
  readonly checks?: readonly RandomCheck[]
}

/** Without the one that is JSON. */
export function comparedColumns({ columns, terms }: RandomTable): readonly RandomColumn[] {
  return terms.filter((term) => columns.includes(term))
}

export class Chooser {
  readonly #randomness: SeededRandomness

  constructor(randomness: SeededRandomness) {
    this.#randomness = randomness
  }

  below(bound: number): number {
    return this.#randomness.below(bound)
  }

  /** True in so many of a hundred cases. */
  percent(percent: number): boolean {
    return this.#randomness.below(100) < percent
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.#randomness.below(items.length)] as T
  }

  /** `count` different ones of them, in any order. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items]
    const chosen: T[] = []
    while (chosen.length < count && left.length > 0) {
      chosen.push(...left.splice(this.#randomness.below(left.length), 1))
    }
    return chosen
  }
}

/** `hasJson` gives it a column of JSON, with paths among its terms. */
export function randomTable(choose: Chooser, hasJson = false): RandomTable {
  const keyCount = choose.oneOf([1, 1, 2, 2, 3])
  const count = keyCount + 2 + choose.below(4)
  const plain = Array.from({ length: count }, (_, place) => ({
    name: `c${place}`,
    type: choose.oneOf(TYPES),
    notNull: place < keyCount || choose.percent(15),
  }))
  const keyColumns = choose.some(plain.slice(0, keyCount), keyCount)
  const primaryKey = keyColumns.map((column) => ({ column, descending: choose.percent(30) }))
  const json = hasJson ? [JSON_COLUMN] : []
  const columns = [...plain, ...json]
  const terms = [...plain, ...json.flatMap(() => PATHS)]
  const others = columns.slice(keyCount)
  const families = choose.percent(40) ? [choose.some(others, 1 + choose.below(2))] : []
  const indexes = Array.from({ length: choose.below(4) }, (_, place) =>
    randomIndex(choose, { name: `i${place}`, columns, terms, keyColumns }),
  )
  return { name: 't', columns, terms, primaryKey, families, indexes }
}

const JSON_COLUMN = { name: 'j', type: 'JSON', notNull: false } as const
const PATHS = ["j->>'a'", "j->'b'->>'c'", "j->>'b'"].map((name) => {
  return { name, type: 'TEXT', notNull: false } as const
})

function randomIndex(
  choose: Chooser,
  of: {
    readonly name: string
    readonly columns: readonly StoredColumn[]
    readonly terms: readonly RandomColumn[]
    readonly keyColumns: readonly RandomColumn[]
  },
): RandomIndex {
  const parts = choose.some(of.terms, choose.oneOf([1, 1, 2, 2, 3]))
  const held = new Set<StoredColumn>([...parts, ...of.keyColumns])
  const free = of.columns.filter((column) => !held.has(column))
  return {
    name: of.name,
    unique: choose.percent(30),
    parts: parts.map((column) => ({ column, descending: choose.percent(35) })),
    storing: choose.percent(35) ? choose.some(free, 1 + choose.below(2)) : [],
  }
}

const SQLITE_TYPES: Readonly<Record<SqlType, string>> = {
  JSON: 'TEXT',
  TEXT: 'TEXT',
  INTEGER: 'INTEGER',
  REAL: 'REAL',
  BOOLEAN: 'INTEGER',
  BYTES: 'BLOB',
  TIMESTAMP: 'INTEGER',
  DATE: 'INTEGER',
  // Hundredths, of which SQLite makes no REAL.
  DECIMAL: 'INTEGER',
}

export function createTableText(table: RandomTable): string {
  const { name, columns, primaryKey, families, indexes, checks = [] } = table
  const ofTable = checks.filter(({ column }) => column === undefined)
  const uniques = indexes.filter(({ inTable }) => inTable === 'table')
  const parts = [
    ...columns.map((column) => columnText(table, column)),
    `PRIMARY KEY (${partsText(primaryKey)})`,
    ...families.map((family, place) => `FAMILY f${place} (${namesText(family)})`),
    ...uniques.map((unique) => `CONSTRAINT ${unique.name} UNIQUE (${partsText(unique.parts)})`),
    ...ofTable.map(checkText),
  ]
  return `CREATE TABLE ${name} (${parts.join(', ')})`
}

function columnText({ indexes, checks = [] }: RandomTable, column: StoredColumn): string {
  const isUnique = indexes.some((index) => {
    return index.inTable === 'column' && index.parts[0]?.column === column
  })
  return [
    `${column.name} ${column.type}${column.type === 'DECIMAL' ? '(9, 2)' : ''}`,
    ...(column.notNull ? ['NOT NULL'] : []),
    ...(isUnique ? ['UNIQUE'] : []),
    ...checks.filter((check) => check.column === column).map(checkText),
  ].join(' ')
}

function checkText({ name, condition }: RandomCheck): string {
  return `${name === undefined ? '' : `CONSTRAINT ${name} `}CHECK (${condition.ours})`
}

/** Without an order of the key, so that nothing of the answers' order comes from there. */
export function sqliteTableText(table: RandomTable): string {
  const { name, columns, primaryKey, indexes, checks = [] } = table
  const uniques = indexes.filter(({ inTable }) => inTable !== undefined)
  const parts = [
    ...columns.map(
      (column) => `${column.name} ${SQLITE_TYPES[column.type]}${column.notNull ? ' NOT NULL' : ''}`,
    ),
    `PRIMARY KEY (${namesText(primaryKey.map(({ column }) => column))})`,
    ...uniques.map((unique) => `UNIQUE (${namesText(unique.parts.map(({ column }) => column))})`),
    ...checks.map(({ condition }) => `CHECK (${condition.theirs})`),
  ]
  return `CREATE TABLE ${name} (${parts.join(', ')}) STRICT, WITHOUT ROWID`
}

export function createIndexText(table: RandomTable, index: RandomIndex): string {
  const storing = index.storing.length === 0 ? '' : ` STORING (${namesText(index.storing)})`
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${index.name} ON ${table.name} (${partsText(index.parts)})${storing}`
}

/** Only what a unique index forbids makes a difference there. */
export function sqliteIndexText(table: RandomTable, { name, parts }: RandomIndex): string {
  const columns = namesText(parts.map(({ column }) => column))
  return `CREATE UNIQUE INDEX ${name} ON ${table.name} (${columns})`
}

export function partsText(parts: readonly RandomKeyPart[]): string {
  return parts
    .map(({ column, descending }) => `${column.name}${descending ? ' DESC' : ''}`)
    .join(', ')
}

export function namesText(columns: readonly StoredColumn[]): string {
  return columns.map(({ name }) => name).join(', ')
}
