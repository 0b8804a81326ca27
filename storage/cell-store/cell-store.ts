// SPDX-License-Identifier: Apache-2.0
import type { Family, Row } from './cell.ts'
import type { Mutation } from './mutation.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * The one contract that every engine fulfils and that the whole protocol is written against.
 * The paper's Bigtable has row transactions; the public one has CheckAndMutateRow, so each step of
 * the protocol is a predicate and mutations, as data, on one row.
 *
 * What an engine promises: reads and mutations of a single row are linearizable; a row that is read
 * is one atomic image; an acknowledged mutation is durable (memory engine: for the life of the
 * process). Rows read together are not one image, and nothing above relies on that.
 *
 * All methods reject with {@link CellStoreError} and with nothing else. Buffers handed in belong to
 * the store from then on, and what it hands out is not changed by anyone.
 */
export interface CellStore {
  /**
   * Applies `ifMatched` when `when` chooses at least one cell of the row, else `otherwise`, as one
   * atomic step. Resolves to whether it matched. An empty list changes nothing.
   */
  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean>

  /** Applies each entry atomically, in no order among them; the answer has an error or null for each. */
  mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>>

  /** One answer for each key, in the order asked; null where the filter leaves no cell. One round trip. */
  readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>>

  /** Rows of [start, end) in key order, or in reverse order, that the filter leaves a cell of. */
  scanRows(scan: RowScan): AsyncIterable<Row>

  /**
   * Adds to each named counter and answers the new values together, as one atomic step. A counter is
   * the newest cell of its column read as a signed 64-bit big-endian integer; an absent cell is 0.
   * The cell's timestamp is the engine's own choice.
   */
  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]>

  /** Row keys that divide the store into ranges of similar size, ascending; may be empty. */
  splitPoints(): Promise<Uint8Array[]>

  /**
   * Gives back to the file system a bounded part of what deletions have freed, and resolves to its
   * bytes; 0 when nothing is left. Absent where the engine compacts by itself.
   */
  reclaimSpace?(): Promise<number>

  /** The disk that the store is on. Absent where it is on no disk of this machine. */
  diskUse?(): Promise<DiskUse>

  /** What is durable and not in the tables yet. Absent where everything always is. */
  readonly memtables?: MemtableUse

  /**
   * How much one mutation may change at once: `row` as in Bigtable; `store` where batches over many
   * rows are one unit (`EmbeddedCellStore`).
   */
  readonly atomicScope: 'row' | 'store'

  readonly limits: CellStoreLimits

  /** Waits for what is under way and frees everything; later calls reject with kind `closed`. */
  close(): Promise<void>
}

export type CheckAndMutate = {
  readonly when: RowFilter
  readonly ifMatched: readonly Mutation[]
  readonly otherwise: readonly Mutation[]
}

export type RowMutations = { readonly row: Uint8Array; readonly mutations: readonly Mutation[] }

export type RowScan = {
  /** Inclusive; an empty key is the beginning of the store. */
  readonly start: Uint8Array
  /** Exclusive; absent: the end of the store. */
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly filter: RowFilter
  /** At most this many rows. */
  readonly limit?: number
  /** Ends the scan early: the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal
}

export type Increment = {
  readonly family: Family
  readonly qualifier: string
  readonly by: bigint
}

/** In bytes: the file system, and what the store takes of it. */
export type DiskUse = {
  readonly sizeBytes: number
  readonly freeBytes: number
  readonly storeBytes: number
  /** SQLite's write-ahead log. */
  readonly logBytes: number
}

export type MemtableUse = {
  /** Of the mutable and the immutable memtable together. */
  readonly bytes: number
  readonly cells: number
  /** For how long the oldest of these cells has been there; 0 when there is none. */
  readonly flushLagMs: number
}

export type CellStoreLimits = {
  readonly rowKeyBytesMax: number
  readonly cellBytesMax: number
  readonly mutationsPerRowMax: number
}

/**
 * - `notApplied`: the call certainly changed nothing and may be sent again.
 * - `full`: as `notApplied`, because the disk has no room: sending it again helps when it has.
 * - `ambiguous`: the answer was lost; the mutation may have been applied, or may still be.
 * - `deadline`: a read took too long (a mutation that did is `ambiguous`).
 * - `invalid`: the call itself is wrong and never will be right (key too long, bad range).
 * - `closed`: the store was closed; the call changed nothing.
 */
export type CellStoreErrorKind =
  | 'notApplied'
  | 'full'
  | 'ambiguous'
  | 'invalid'
  | 'deadline'
  | 'closed'

export class CellStoreError extends Error {
  override readonly name = 'CellStoreError'
  readonly kind: CellStoreErrorKind
  /** Of kind `full`: what the disk had left, where that is known. */
  readonly freeBytes: number | undefined

  constructor(
    kind: CellStoreErrorKind,
    message: string,
    options: ErrorOptions & { readonly freeBytes?: number | undefined } = {},
  ) {
    super(message, options)
    this.kind = kind
    this.freeBytes = options.freeBytes
  }
}

/** Whether a mutation that may be applied twice without harm can be sent again after this error. */
export function mayBeSentAgain(error: unknown): error is CellStoreError {
  if (!(error instanceof CellStoreError)) return false
  return error.kind === 'ambiguous' || error.kind === 'notApplied'
}
