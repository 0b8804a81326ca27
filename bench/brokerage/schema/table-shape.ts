// SPDX-License-Identifier: Apache-2.0

/**
 * A `?` says that the column may be NULL. `cents` is an amount, DECIMAL(18, 2) in stores that have that and whole cents
 * in the programs; a time is integer milliseconds.
 */
export type ColumnType = 'integer' | 'integer?' | 'cents' | 'cents?' | 'text' | 'text?'

export type Value = number | string | null

export type IndexShape = {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique: boolean
}

export type TableShape = {
  /** In the order in which every engine creates them. */
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly primaryKey: readonly string[]
  readonly indexes: readonly IndexShape[]
  /** Columns that are long and seldom asked for: apart from the others where the engine can do that. */
  readonly apart: readonly string[]
}

type ValueOf<Type extends ColumnType> = Type extends 'integer' | 'cents'
  ? number
  : Type extends 'text'
    ? string
    : Type extends 'integer?' | 'cents?'
      ? number | null
      : string | null

/** A whole row of a table, by its column names. */
export type RowOfShape<Shape extends TableShape> = {
  readonly [Column in keyof Shape['columns']]: ValueOf<Shape['columns'][Column]>
}

/** Of lines such as `co_id integer, co_name text`. */
type ColumnsOf<Lines extends readonly string[]> = Lines extends readonly [
  infer Line extends string,
  ...infer Rest extends readonly string[],
]
  ? ColumnsOfLine<Line> & ColumnsOf<Rest>
  : unknown

type ColumnsOfLine<Line extends string> = Line extends `${infer First}, ${infer Rest}`
  ? ColumnsOfLine<First> & ColumnsOfLine<Rest>
  : Line extends `${infer Name} ${infer Type extends ColumnType}`
    ? { readonly [Column in Name]: Type }
    : never

type IndexOrder<Columns> = {
  readonly on: readonly (keyof Columns & string)[]
  readonly unique?: true
}

/** Of the columns of the primary key, those behind it, and indexes; it checks that these name columns of the table. */
export function table<
  const Key extends string,
  const Lines extends readonly string[],
  const Indexes extends Readonly<Record<string, IndexOrder<ColumnsOf<[Key, ...Lines]>>>> = Readonly<
    Record<never, never>
  >,
>(
  key: Key,
  others: Lines,
  indexes?: Indexes,
  apart: readonly (keyof ColumnsOf<Lines> & string)[] = [],
): {
  readonly columns: ColumnsOf<[Key, ...Lines]>
  readonly primaryKey: readonly string[]
  readonly indexes: readonly (IndexShape & { readonly name: keyof Indexes & string })[]
  readonly apart: readonly string[]
} {
  const named = Object.entries<IndexOrder<ColumnsOf<[Key, ...Lines]>>>(indexes ?? {})
  const columnsIn = (line: string) => line.split(', ').map((column) => column.split(' '))
  return {
    columns: Object.fromEntries([key, ...others].flatMap(columnsIn)),
    primaryKey: columnsIn(key).map(([name]) => name as string),
    indexes: named.map(([name, { on, unique = false }]) => ({ name, columns: on, unique })),
    apart,
  }
}
