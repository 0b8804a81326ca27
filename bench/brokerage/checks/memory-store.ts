// SPDX-License-Identifier: Apache-2.0
import type { PlacedRow } from '../population/history/initial-trades.ts'
import {
  type ColumnOf,
  type IndexOf,
  type RowOf,
  SCHEMA,
  type TableName,
} from '../schema/schema.ts'
import type { IndexShape, Value } from '../schema/table-shape.ts'
import { compareBy } from './all-checks.ts'
import type { Walker } from './store-image.ts'

type Row = Readonly<Record<string, Value>>

/** Rows in memory that the checks can walk, and in which anything can be planted. For tests. */
export class MemoryStore implements Walker {
  readonly #rows: ReadonlyMap<TableName, readonly Row[]>
  /** What an index has in place of the rows of its table, in the order in which it has it. */
  readonly #entries: ReadonlyMap<string, readonly Row[]>

  private constructor(
    rows: ReadonlyMap<TableName, readonly Row[]>,
    entries: ReadonlyMap<string, readonly Row[]> = new Map(),
  ) {
    this.#rows = rows
    this.#entries = entries
  }

  static of(placed: Iterable<PlacedRow>): MemoryStore {
    const groups = Map.groupBy(placed, ([table]) => table)
    const rows = new Map([...groups].map(([table, of]) => [table, of.map(([, row]) => row)]))
    return new MemoryStore(rows)
  }

  rows<T extends TableName>(table: T): readonly RowOf<T>[] {
    return (this.#rows.get(table) ?? []) as unknown as readonly RowOf<T>[]
  }

  /** The same store with other rows in a table. */
  with<T extends TableName>(
    table: T,
    change: (rows: readonly RowOf<T>[]) => readonly RowOf<T>[],
  ): MemoryStore {
    const rows = change(this.rows(table)) as unknown as readonly Row[]
    return new MemoryStore(new Map([...this.#rows, [table, rows]]), this.#entries)
  }

  /** The same store with other entries in an index, of which its table knows nothing. */
  withEntries<T extends TableName>(
    index: IndexOf<T>,
    table: T,
    change: (entries: readonly RowOf<T>[]) => readonly RowOf<T>[],
  ): MemoryStore {
    const entries = change(this.#inOrder(table, index)) as unknown as readonly Row[]
    return new MemoryStore(this.#rows, new Map([...this.#entries, [index as string, entries]]))
  }

  async *walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    _columns: readonly C[],
    { index }: { readonly index?: IndexOf<T> } = {},
  ) {
    const entries = this.#entries.get(index as string) as readonly RowOf<T>[] | undefined
    yield entries ?? this.#inOrder(table, index)
  }

  #inOrder<T extends TableName>(table: T, index: IndexOf<T> | undefined): readonly RowOf<T>[] {
    const indexes: readonly IndexShape[] = SCHEMA[table].indexes
    const shape = indexes.find(({ name }) => name === index)
    const key = [...(shape?.columns ?? []), ...SCHEMA[table].primaryKey]
    const rows = this.#rows.get(table) ?? []
    return rows.toSorted((one, other) => compareBy(key, one, other)) as unknown as RowOf<T>[]
  }
}
