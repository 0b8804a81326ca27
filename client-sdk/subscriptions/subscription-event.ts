// SPDX-License-Identifier: Apache-2.0
import type { KeyValue } from '../key-path.ts'
import { decodeKey, decodeRows, type IntegerMode, type Row } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'

/** A primary key with the values of all its columns, in their order. */
export type RowKey = readonly KeyValue[]

export type SnapshotRow<R = Row> = { readonly key: RowKey; readonly row: R }

/**
 * What a commit did to a row, seen through the statement. `enter` and `leave`: the row was there before
 * and is there now, and begins or ceases to match.
 */
export type Change<R = Row> =
  | { readonly op: 'insert' | 'update' | 'enter'; readonly key: RowKey; readonly row: R }
  | { readonly op: 'delete' | 'leave'; readonly key: RowKey; readonly row?: undefined }

/** Timestamps are stamps in microseconds since 1970, and good for `since` and `asOf`. */
export type SubscriptionEvent<R = Row> =
  /** Some rows of the snapshot. */
  | { readonly kind: 'rows'; readonly rows: ReadonlyArray<SnapshotRow<R>> }
  /** The snapshot is complete. */
  | { readonly kind: 'snapshot'; readonly timestamp: number }
  /** All that one commit changed. */
  | {
      readonly kind: 'commit'
      readonly timestamp: number
      readonly changes: ReadonlyArray<Change<R>>
    }
  /** Nothing more comes up to there; only with `progress`. */
  | { readonly kind: 'progress'; readonly timestamp: number }
  /**
   * What came before is not to be counted on, and a new snapshot follows: changes were missed that the
   * server does not keep any more, or a snapshot was broken off. With a reason, the store is another one, or
   * an earlier copy of it: what is kept elsewhere by its timestamps does not count any more either.
   */
  | { readonly kind: 'reset'; readonly reason?: 'history_replaced' }

export type WireRow = { readonly key: readonly unknown[]; readonly row: Record<string, unknown> }

export type WireChange = {
  readonly op: Change['op']
  readonly key: readonly unknown[]
  readonly row?: Record<string, unknown>
}

/** Gives what comes over the wire the types of its columns. */
export class ChangeDecoder<R> {
  readonly key: readonly KeyColumn[]
  readonly columns: readonly ResultColumn[]
  readonly #integers: IntegerMode

  constructor(key: readonly KeyColumn[], columns: readonly ResultColumn[], integers: IntegerMode) {
    this.key = key
    this.columns = columns
    this.#integers = integers
  }

  /** Throws `integer_out_of_range`. */
  rows(rows: readonly WireRow[]): Array<SnapshotRow<R>> {
    const decoded = this.#rows(rows.map(({ row }) => row))
    return rows.map(({ key }, position) => ({ key: this.#keyOf(key), row: decoded[position] as R }))
  }

  /** Throws `integer_out_of_range`. */
  changes(changes: readonly WireChange[]): Change<R>[] {
    return changes.map(({ op, key, row }) => {
      if (op === 'delete' || op === 'leave') return { op, key: this.#keyOf(key) }
      const [decoded] = this.#rows([row ?? {}])
      return { op, key: this.#keyOf(key), row: decoded as R }
    })
  }

  #rows(rows: Array<Record<string, unknown>>): R[] {
    return decodeRows({ columns: this.columns, rows }, this.#integers) as R[]
  }

  #keyOf(key: readonly unknown[]): RowKey {
    return decodeKey(this.key, key, this.#integers)
  }
}
