// SPDX-License-Identifier: Apache-2.0
import type { KeyValue } from '../key-path.ts'
import type { Row } from '../values.ts'

/**
 * How a subscription tells what commits change. `rows`: of each row by itself, whole commits one after the other.
 * `result`: of the list of rows in its order, as of a moment; states between two may be left out.
 */
export type SubscriptionMode = 'rows' | 'result'

/** Where a subscription is: kept, and given to a later one among its options, it goes on from there. */
export type Bookmark = {
  /**
   * How it tells; where it is not given, `rows` for a statement that can be told so, and else `result`, which `since`
   * and `digest` go on with.
   */
  readonly mode?: SubscriptionMode | undefined
  /**
   * Continues after this stamp: the `timestamp` of the last commit, patch, progress or snapshot that was dealt
   * with. Changes come from there on, with no snapshot before them.
   */
  readonly since?: number | undefined
  /** The history that `since` is of: the `history` of the subscription that it comes from. */
  readonly history?: string | undefined
  /** The view that `since` is of, likewise: where a rule hides rows, a position is of those of one rule and token. */
  readonly view?: string | undefined
  /** With the mode `result`, which list it was: the `digest` of the last patch or snapshot that was dealt with. */
  readonly digest?: string | undefined
}

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

/** As the arguments of `Array.splice`: from `at` on, so many rows go, and these come in their place. */
export type Splice<R = Row> = readonly [at: number, deleted: number, rows: readonly R[]]

/** Timestamps are stamps in microseconds since 1970, and good for `since` and `asOf`. */
export type SubscriptionEvent<R = Row> =
  /** Some rows of the snapshot. */
  | { readonly kind: 'rows'; readonly rows: ReadonlyArray<SnapshotRow<R>> }
  /** All that one commit changed. */
  | {
      readonly kind: 'commit'
      readonly timestamp: number
      readonly changes: ReadonlyArray<Change<R>>
    }
  | SubscriptionState
  | SubscriptionPatch<R>

/** Those of the mode `result`. */
export type ResultEvent<R = Row> =
  /** Some rows of the list, in its order. */
  { readonly kind: 'rows'; readonly rows: readonly R[] } | SubscriptionState | SubscriptionPatch<R>

/** What makes of the list as it was the one as of `timestamp`: splices, each of the list that the last one has left. */
type SubscriptionPatch<R> = {
  readonly kind: 'patch'
  readonly timestamp: number
  readonly digest: string
  readonly splice: ReadonlyArray<Splice<R>>
}

type SubscriptionState =
  /** The snapshot is complete; with the `digest` of the list where there is one. */
  | { readonly kind: 'snapshot'; readonly timestamp: number; readonly digest?: string }
  /** Nothing more comes up to there; only with `progress`. */
  | { readonly kind: 'progress'; readonly timestamp: number }
  /**
   * What came before is not to be counted on, and a new snapshot follows: changes were missed that the
   * server does not keep any more, or a snapshot was broken off. With a reason, the store is another one, or
   * an earlier copy of it: what is kept elsewhere by its timestamps does not count any more either.
   */
  | { readonly kind: 'reset'; readonly reason?: 'history_replaced' }
