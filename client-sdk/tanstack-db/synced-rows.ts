// SPDX-License-Identifier: Apache-2.0
import type { Change, RowKey, SnapshotRow, Splice } from '../subscriptions/subscription-event.ts'
import { encodeParameters } from '../values.ts'

/** The key of a row in a collection. */
export type CollectionKey = string | number

/** What the collection is to do with one row. */
export type Write<R> =
  | { readonly type: 'insert' | 'update'; readonly value: R }
  | { readonly type: 'delete'; readonly key: CollectionKey }

/**
 * The keys of the rows that a collection has from the server, and what each event makes of them. A commit may give one
 * key of the collection to another row, so all that go are looked at before those that come:
 *
 *     rows 1: a, 2: b, keyed by their letters      a commit: 1: b, 2: a
 *     go: a, b      come: b of row 1, a of row 2      written: update b, update a
 */
export class SyncedRows<R> {
  readonly #keyOf: (row: R) => CollectionKey
  /** By the texts of their primary keys. */
  #known = new Map<string, CollectionKey>()
  #keys = new Set<CollectionKey>()
  /** Of the list that patches are of, in its order. */
  #list: CollectionKey[] = []

  constructor(keyOf: (row: R) => CollectionKey) {
    this.#keyOf = keyOf
  }

  /** All rows, in place of those there were. Throws what `commit` throws. */
  snapshot(rows: readonly SnapshotRow<R>[]): Write<R>[] {
    this.#known = new Map()
    this.#keys = new Set()
    return this.commit(rows.map(({ key, row }) => ({ op: 'insert', key, row })))
  }

  /** The same of a list that patches follow. */
  list(rows: readonly R[]): Write<R>[] {
    this.#list = []
    this.#keys = new Set()
    return this.patch([[0, 0, rows]])
  }

  /** Throws TypeError where two rows have one key. */
  commit(changes: ReadonlyArray<Change<R>>): Write<R>[] {
    const gone = new Set<CollectionKey>()
    for (const change of changes) {
      const id = textOf(change.key)
      const key = this.#known.get(id)
      if (key !== undefined) gone.add(key)
      this.#known.delete(id)
    }
    const come = new Map<CollectionKey, R>()
    for (const { key: primaryKey, row } of changes) {
      if (row === undefined) continue
      const key = this.#keyOf(row)
      if (come.has(key) || (this.#keys.has(key) && !gone.has(key))) throw twoRows(key)
      come.set(key, row)
      this.#known.set(textOf(primaryKey), key)
    }
    return this.#write(gone, come)
  }

  /** Throws TypeError where two rows of the list have one key when all splices are applied. */
  patch(splice: ReadonlyArray<Splice<R>>): Write<R>[] {
    const gone = new Set<CollectionKey>()
    const come = new Map<CollectionKey, R>()
    for (const [at, deleted, rows] of splice) {
      const keys = rows.map(this.#keyOf)
      for (const key of this.#list.splice(at, deleted, ...keys)) gone.add(key)
      for (const [position, row] of rows.entries()) {
        come.set(keys[position] as CollectionKey, row)
      }
    }
    const now = new Set<CollectionKey>()
    for (const key of this.#list) {
      if (now.has(key)) throw twoRows(key)
      now.add(key)
    }
    // What came by one splice may have gone by the next.
    for (const key of come.keys()) if (!now.has(key)) come.delete(key)
    return this.#write(this.#keys.intersection(gone).difference(now), come)
  }

  #write(gone: Iterable<CollectionKey>, come: ReadonlyMap<CollectionKey, R>): Write<R>[] {
    const writes: Write<R>[] = []
    for (const key of gone) {
      if (come.has(key)) continue
      this.#keys.delete(key)
      writes.push({ type: 'delete', key })
    }
    for (const [key, value] of come) {
      writes.push({ type: this.#keys.has(key) ? 'update' : 'insert', value })
      this.#keys.add(key)
    }
    return writes
  }
}

function textOf(key: RowKey): string {
  return JSON.stringify(encodeParameters(key))
}

function twoRows(key: CollectionKey): TypeError {
  return new TypeError(
    `Two rows have the key ${JSON.stringify(key)}: \`key\` or \`getKey\` has to tell all rows apart.`,
  )
}
