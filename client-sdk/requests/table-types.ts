// SPDX-License-Identifier: Apache-2.0
import type { Key, KeyValue } from '../key-path.ts'

/** What the compiler is told of one table. It is a promise of the program, which is not checked against the server. */
export type TableTypes = {
  /** All columns, with the types that their values have in JavaScript. */
  readonly row: object
  /** The primary key in key order, `[id: string]`; any key where it is left out. */
  readonly key?: readonly KeyValue[]
  /** The columns that an insert may leave out; every column where it is left out. */
  readonly optional?: PropertyKey
  /** The names of its observers. */
  readonly observers?: string
}

/** The tables of `connect<Schema>()` by their names. */
export type Tables<Known> = { readonly [Name in keyof Known]: TableTypes }

/** The names of tables where the compiler knows none, and otherwise none. */
export type UnknownName<Known> = [keyof Known] extends [never] ? string : never

/** The names of the observers of all tables. */
export type ObserverOf<Known> = Observed<Known[keyof Known]>
type Observed<Types> = Types extends { readonly observers: infer Names extends string }
  ? Names
  : never

/** The table of an observer. */
export type TableOfObserver<Known extends Tables<Known>, Name> = {
  [Table in keyof Known]: Name extends Observed<Known[Table]> ? Known[Table] : never
}[keyof Known]

/** The names of observers where the compiler knows none, and otherwise none. */
export type UnknownObserver<Known> = [ObserverOf<Known>] extends [never] ? string : never

/** What stands for the key of a row; for a key of one column, its value as well. */
export type KeyOf<Types> = Types extends { readonly key: infer K extends readonly KeyValue[] }
  ? K extends readonly [infer Only]
    ? Only | Readonly<K>
    : Readonly<K>
  : Key

/** The columns that an insert may leave out. */
export type OptionalOf<Types extends TableTypes> = Types extends {
  readonly optional: infer Optional
}
  ? Optional
  : keyof Types['row']

/** What an insert takes: every column but those with a default, and no others. */
export type Inserted<R, Optional> = [keyof R] extends [Optional]
  ? Partial<R>
  : Omit<R, Optional & keyof R> & Partial<Pick<R, Optional & keyof R>>

/** The row of a read that names its columns, where the compiler knows those of the table. */
export type Chosen<R, Column extends string, C extends Column> = string extends Column
  ? R
  : [Column] extends [C]
    ? R
    : Pick<R, C & keyof R>

/** A column of an order: `id`, `id desc`, `"first, last"`. */
export type Ordered<Column extends string> =
  | Column
  | `${Column} ${'asc' | 'desc' | 'ASC' | 'DESC'}`
  | `"${string}`
