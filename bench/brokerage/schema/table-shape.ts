// SPDX-License-Identifier: Apache-2.0

/** A `?` says that the column may be NULL. Money is integer cents, a time is integer milliseconds. */
export type ColumnType = 'integer' | 'integer?' | 'text' | 'text?'

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

type ValueOf<Type extends ColumnType> = Type extends 'integer'
  ? number
  : Type extends 'text'
    ? string
    : Type extends 'integer?'
      ? number | null
      : string | null

/** A whole row of a table, by its column names. */
export type RowOfShape<Shape extends TableShape> = {
  readonly [Column in keyof Shape['columns']]: ValueOf<Shape['columns'][Column]>
}

type IndexOrder<Columns> = {
  readonly on: readonly (keyof Columns & string)[]
  readonly unique?: true
}

/** Checks that keys and indexes name columns of the table; the types of both stay exact. */
export function table<
  const Columns extends Readonly<Record<string, ColumnType>>,
  const Key extends readonly (keyof Columns & string)[],
  const Indexes extends Readonly<Record<string, IndexOrder<Columns>>> = Readonly<
    Record<never, never>
  >,
>(shape: {
  readonly columns: Columns
  readonly primaryKey: Key
  readonly indexes?: Indexes
  readonly apart?: readonly (keyof Columns & string)[]
}): {
  readonly columns: Columns
  readonly primaryKey: Key
  readonly indexes: readonly (IndexShape & { readonly name: keyof Indexes & string })[]
  readonly apart: readonly string[]
} {
  const { columns, primaryKey, indexes, apart = [] } = shape
  const named = Object.entries<IndexOrder<Columns>>(indexes ?? {})
  return {
    columns,
    primaryKey,
    indexes: named.map(([name, { on, unique = false }]) => ({ name, columns: on, unique })),
    apart,
  }
}
