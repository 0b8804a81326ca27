// SPDX-License-Identifier: Apache-2.0
import type { Family, Row } from './cell.ts'
import type { Mutation } from './mutation.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * The contract of all engines, and all that the protocol uses of them. The paper's Bigtable has row transactions; the
 * public one has CheckAndMutateRow, so each step of the protocol is a predicate and mutations, as data, on one row.
 *
 * What an engine promises: reads and mutations of a single row are linearizable; a row that is read is one atomic
 * image; an acknowledged mutation is durable (memory engine: for the life of the process). Rows read together are not
 * one image, and the protocol does not need them to be.
 *
 * All methods reject only with {@link CellStoreError}. Buffers that are passed in belong to the store from then on, and
 * returned buffers are never changed.
 */
export interface CellStore {
  /**
   * Resolves to whether `when` selects at least one cell of the row. Applies `ifMatched` if it does, else `otherwise`,
   * as one atomic step. An empty list changes nothing.
   */
  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean>

  /**
   * As `checkAndMutateRow` for each step: resolves to its answer or its error. Each is atomic by itself, and they are
   * carried out in no particular order; so a row stands at most once in a call.
   */
  checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]>

  /**
   * Resolves to an error or null for each entry. Each is applied atomically, in no particular order; so a row stands at
   * most once in a call.
   */
  mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>>

  /**
   * One row for each key, in the order of `keys`; null where the filter leaves no cell, and for a key that is too long
   * for a row. One round trip. An aborted signal ends the wait with its reason where reads can wait; engines leave that
   * to `StoreAnswers`.
   */
  readRows(
    keys: readonly Uint8Array[],
    filter: RowFilter,
    signal?: AbortSignal,
  ): Promise<Array<Row | null>>

  /** Rows of [start, end) in key order, or in reverse order, that the filter leaves a cell of. */
  scanRows(scan: RowScan): AsyncIterable<Row>

  /**
   * As `scanRows`, of several ranges, which ascend and have no key in common: asked for together where that saves
   * time. With a mark, cells may be left out that have not changed since the last scan with it.
   */
  scanRanges(ranges: readonly KeyRange[], filter: RowFilter, mark?: ScanMark): AsyncIterable<Row>

  /**
   * Adds to each named counter and resolves to the new values, as one atomic step. A counter is the newest cell of its
   * column read as a signed 64-bit big-endian integer; an absent cell is 0. The engine chooses the cell's timestamp.
   */
  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]>

  /**
   * Calls `changed` soon after a row of the range has changed, and whenever one may have been missed. Absent if the
   * engine cannot tell.
   */
  watchRange?(range: KeyRange, changed: () => void): RangeWatch

  /** Row keys that divide the store into ranges of similar size, ascending; may be empty. */
  splitPoints(): Promise<Uint8Array[]>

  /**
   * Resolves to the bytes returned to the file system: a bounded part of what deletions have freed, 0 when nothing is
   * left. Absent if the engine compacts on its own.
   */
  reclaimSpace?(): Promise<number>

  /** The disk that the store is on. Absent if it is not on a disk of this machine. */
  diskUse?(): Promise<DiskUse>

  /**
   * A file of the store whose path leads to it no more; undefined while all are its own. Absent if it has no files.
   */
  lostFile?(): string | undefined

  /**
   * Begins to copy or to check the store while others use it; see `StoreCopier`. One in the background gets what others
   * leave of the processor. Absent if the engine has no file that could be copied.
   */
  openCopier?(options?: { readonly isInBackground?: boolean }): StoreCopier

  /** How many requests were sent to the store, by their names there. Absent if it is in this process. */
  readonly requestsSent?: ReadonlyMap<string, number>

  /** The last read that met a page which cannot be read; absent where there was none. */
  readonly damage?: CellStoreError | undefined

  /** Whether the process that had the store before did not close it. Absent where that cannot be known. */
  readonly wasKilled?: boolean

  /** The data that is durable and not in the tables yet. Absent if the engine has no memtables. */
  readonly memtables?: MemtableUse

  /**
   * What one mutation may change at once: `row` as in Bigtable; `store` if batches over many rows are one unit
   * (`EmbeddedCellStore`).
   */
  readonly atomicScope: 'row' | 'store'

  readonly limits: CellStoreLimits

  /** Waits for the calls under way and frees everything; later calls reject with kind `closed`. */
  close(): Promise<void>
}

export type CheckAndMutate = {
  readonly when: RowFilter
  readonly ifMatched: readonly Mutation[]
  readonly otherwise: readonly Mutation[]
  readonly step?: ProtocolStep
}

/** A conditional mutation of one row, as for `checkAndMutateRow`. */
export type RowStep = { readonly row: Uint8Array } & CheckAndMutate

export type StepAnswer = boolean | CellStoreError

export type RowMutations = {
  readonly row: Uint8Array
  readonly mutations: readonly Mutation[]
  readonly step?: ProtocolStep
}

/** What the protocol calls a mutation, for those who look on. It means nothing to an engine. */
export type ProtocolStep =
  | 'prewrite'
  | 'commit'
  | 'commitSecondary'
  | 'rollBack'
  | 'rollForward'
  | 'onePhase'
  | 'heartbeat'
  | 'notify'
  | 'acknowledge'
  | 'collect'

/** Row keys from `start` to below `end`. */
export type KeyRange = { readonly start: Uint8Array; readonly end: Uint8Array }

/** Up to where scans have read some ranges, for the engine alone to know. One that did not end moves no mark. */
export type ScanMark = { seen?: unknown }

export type RangeWatch = {
  /** False while changes are not heard of. */
  readonly isHearing: boolean
  stop(): void
}

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
  /**
   * The counter may become larger than the sum: as large as this, and a little more in any case. An engine uses it
   * where a counter that several processes increase at once costs less so; another adds `by`.
   */
  readonly towards?: bigint
}

/** The file system and the store's share of it, in bytes. */
export type DiskUse = {
  readonly sizeBytes: number
  readonly freeBytes: number
  readonly storeBytes: number
  /** SQLite's write-ahead log. */
  readonly logBytes: number
}

export type MemtableUse = {
  /** Bytes of the mutable and the immutable memtable together. */
  readonly bytes: number
  readonly cells: number
  /** The age of the oldest of these cells in milliseconds; 0 when there is none. */
  readonly flushLagMs: number
}

/** Reads all of a store beside its readers and writers, in a process of its own. To be closed after one request. */
export interface StoreCopier {
  /**
   * Writes all of the store at one moment into a new file, and syncs it: every mutation that was acknowledged before,
   * and none of after. Resolves to the format of the file. Rejects with the error of SQLite, of which the store takes
   * no harm. What is written meanwhile makes the store's log longer, because it cannot be restarted.
   */
  copyTo(file: string): Promise<number>

  /**
   * What SQLite finds wrong with the pages of the store as they are at one moment, at most 100 lines. What is written
   * meanwhile makes the log longer here, too.
   */
  pageProblems(): Promise<string[]>

  /** As `findFileProblems`, of the folder that has the copy. */
  fileProblems(dataDirectory: string): Promise<string[]>

  /** Ends the process at once. What it is doing rejects, and leaves the file as far as it came. */
  close(): Promise<void>
}

export type CellStoreLimits = {
  readonly rowKeyBytesMax: number
  readonly cellBytesMax: number
  readonly mutationsPerRowMax: number
  /** The largest timestamp of a cell that a mutation sets. */
  readonly timestampMax: number
  /** Up to this length a value is in its lock and write record; a longer one has a cell in `data`. */
  readonly inlineValueBytesMax: number
}

/**
 * - `notApplied`: the call certainly changed nothing and may be sent again.
 * - `full`: as `notApplied`, because the disk is full: sending it again helps when it has space.
 * - `notCopied`: as `notApplied`, because a standby has to have it too and none is connected.
 * - `ambiguous`: the answer was lost; the mutation may have been applied, or may still be.
 * - `deadline`: a read took too long (a mutation that did is `ambiguous`), or the store has not answered others for so
 *   long that the call was not sent.
 * - `invalid`: the call itself is wrong, and repeating it is useless (key too long, bad range).
 * - `closed`: the store was closed; the call changed nothing.
 * - `damaged`: a page of the file that was read cannot be one. What stands on others can be read.
 */
export type CellStoreErrorKind =
  | 'notApplied'
  | 'full'
  | 'notCopied'
  | 'ambiguous'
  | 'invalid'
  | 'deadline'
  | 'closed'
  | 'damaged'

export class CellStoreError extends Error {
  override readonly name = 'CellStoreError'
  readonly kind: CellStoreErrorKind
  /** For kind `full`: the free bytes of the disk, if known. */
  readonly freeBytes: number | undefined
  /** Whether the store did not answer at all: it is stopped, paused, or cannot be reached. */
  readonly isAway: boolean
  /** For kind `damaged`: the row that was read, or where the range began. */
  readonly row: Uint8Array | undefined

  constructor(
    kind: CellStoreErrorKind,
    message: string,
    options: ErrorOptions & {
      readonly freeBytes?: number | undefined
      readonly isAway?: boolean
      readonly row?: Uint8Array
    } = {},
  ) {
    super(message, options)
    this.kind = kind
    this.freeBytes = options.freeBytes
    this.isAway = options.isAway ?? false
    this.row = options.row
  }
}

/** Whether an idempotent mutation can be sent again after this error. */
export function mayBeSentAgain(error: unknown): error is CellStoreError {
  if (!(error instanceof CellStoreError)) return false
  return error.kind === 'ambiguous' || error.kind === 'notApplied'
}

/**
 * Carries out each step by itself, all at once. Rejects, when none is under way any more, with what is no
 * CellStoreError.
 */
export async function answerEach(
  steps: readonly RowStep[],
  answer: (step: RowStep) => Promise<boolean>,
): Promise<StepAnswer[]> {
  const answers = await Promise.allSettled(steps.map(answer))
  return answers.map((one) => {
    if (one.status === 'fulfilled') return one.value
    if (one.reason instanceof CellStoreError) return one.reason
    throw one.reason
  })
}

/** Throws the first error of the answers of `checkAndMutateRows` or `mutateRows`. */
export function requireAnswers(answers: ReadonlyArray<StepAnswer | null>): void {
  const error = answers.find((answer) => answer instanceof CellStoreError)
  if (error !== undefined) throw error
}
