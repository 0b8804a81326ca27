// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import type { StorageError, StorageErrorCode } from '../../errors.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import type { Hint } from '../records/notify-cell.ts'
import type { SnapshotRow } from '../records/version.ts'
import type { RowBatches } from './row-batches.ts'

/**
 * How transactions read and commit. There are two: over any cell store, with locks that other processes see
 * (`general-protocol.ts`), and inside a process that owns its store exclusively, with the locks in memory
 * (`embedded-protocol.ts`).
 */
export interface TransactionProtocol {
  snapshotAt(readTs: Timestamp): SnapshotReads
  /** Rejects only with InvariantViolation. */
  commit(request: CommitRequest): Promise<CommitOutcome>
}

/**
 * The store as of one timestamp. A value that needs no waiting is returned without a promise. Throws or rejects with
 * StorageError `snapshot_too_old` or `locked`, with CellStoreError, or with the signal's reason.
 */
export interface SnapshotReads {
  /** Null where no asked column exists. */
  getRow(
    key: Uint8Array,
    columns: readonly string[],
    signal?: AbortSignal,
  ): MaybePromise<SnapshotRow | null>

  /** In the order of the keys, null where no asked column exists. */
  getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): MaybePromise<Array<SnapshotRow | null>>

  scan(range: SnapshotRange): RowBatches

  /**
   * Reads rows together that will be asked for one after the other (Percolator 2.5), and holds at most 1 MiB of long
   * values of them. Absent where a read does not wait.
   */
  prefetch?(wanted: readonly RowWanted[]): Promise<void>
}

/** A row that is about to be read, and the columns that are wanted of it. */
export type RowWanted = { readonly key: Uint8Array; readonly columns: readonly string[] }

/** Rows of [start, end) in key order, or in reverse order; columns as for `getRows`. */
export type SnapshotRange = {
  readonly start: Uint8Array
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly columns: readonly string[]
  /** Most rows that the caller will take, so that no more are read. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** What a transaction asks to commit; at least one of its writes is a put or a delete. */
export type CommitRequest = {
  readonly startTs: Timestamp
  readonly rows: readonly BufferedRow[]
  /** Notify cells in addition to those of the written rows. They conflict with nothing. */
  readonly hints: readonly Hint[]
  /** The row of the primary, if the transaction demands one (its outcome row). */
  readonly primaryRow: Uint8Array | undefined
  /** Tables whose definition must not have changed since startTs. */
  readonly schemaScopes: readonly number[]
  /** Tables whose definition this transaction changes. */
  readonly changedSchemas: readonly number[]
  /** Whether it changes the catalog, such as by the definition of a table. */
  readonly changesCatalog: boolean
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly commitTs: Timestamp }
  | {
      readonly kind: 'aborted'
      readonly reason: StorageError
      /** The rows of a small commit that lost to others of this process. */
      readonly rows?: ReadonlyArray<{ readonly hash: number }> | undefined
    }
  /** The answer to the commit was lost and cannot be found out now. The transaction must never be rerun blindly. */
  | { readonly kind: 'unknown' }

/** How a transaction ended, whether or not it was ever committed. */
export type TransactionEnd =
  | { readonly kind: 'committed'; readonly commitTs: Timestamp }
  | { readonly kind: 'rolledBack'; readonly reason: StorageErrorCode }
  | { readonly kind: 'unknown' }

export function rolledBackBy(reason: StorageError | undefined): TransactionEnd {
  return { kind: 'rolledBack', reason: reason?.code ?? 'transaction_rolled_back' }
}
