// SPDX-License-Identifier: Apache-2.0
import type { Row } from './cell.ts'
import type { CellStore, RowScan, RowStep } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { Note } from './note.ts'
import type { RowFilter } from './row-filter.ts'
import type { StoreReplication } from './store-replication.ts'

/**
 * What an engine inside the process that owns it offers beyond the contract: a batch over many rows is one durable
 * unit, and the newest acknowledged state can be read without waiting. One-phase commit needs both: between its check
 * of the rows and its batch in the queue nothing else may run.
 */
export interface EmbeddedCellStore extends CellStore {
  readonly atomicScope: 'store'

  /**
   * Resolves to which steps matched, once the batch is on disk **and** in the view. Applies the steps as one durable
   * unit: first the predicates of all of them are evaluated, by the writer and not on the view, then the mutations are
   * applied in the order of the steps. Batches and all other mutations take effect in exactly the order of their calls.
   *
   * A note becomes durable and visible with the batch. The timestamps of notes must ascend from batch to
   * batch, because the engine may put several of them into one cell (`note.ts`).
   *
   * Rejects with CellStoreError `notApplied` (certainly nothing was applied), `invalid`, `closed`, or
   * `ambiguous` (the disk failed; the store refuses everything from then on).
   */
  applyAtomically(batch: StepList, note?: Note): Promise<boolean[]>

  /**
   * The newest state: it has every acknowledged mutation from the moment of its acknowledgment, and all or nothing of a
   * batch that is not acknowledged yet.
   */
  readonly view: CellView

  /** Absent if the engine has no files. */
  readonly replication?: StoreReplication
}

/** A step that changes the row whatever its cells. It never matches. */
export function unconditionalStep(row: Uint8Array, mutations: readonly Mutation[]): RowStep {
  return { row, when: [], ifMatched: [], otherwise: mutations }
}

/**
 * The steps of a batch in their order. A batch has its position in the queue from the call on, but the engine may read
 * the steps of a long one over several turns, so they must not change meanwhile.
 */
export type StepList = Iterable<RowStep> & { readonly length: number }

/** Steps that are made when they are iterated; a few are made at once, which is cheaper. */
export function stepsOf<T>(items: readonly T[], stepOf: (item: T) => RowStep): StepList {
  if (items.length <= MADE_AT_ONCE) return items.map((item) => stepOf(item))
  return { length: items.length, [Symbol.iterator]: () => madeSteps(items, stepOf) }
}

// Generators at module level: as a method of each list, a generator would have a hidden class per list, which would
// keep the list's memory until the old generation is collected (`docs/why/memory.md`).

function* madeSteps<T>(
  items: readonly T[],
  stepOf: (item: T) => RowStep,
): Generator<RowStep, undefined> {
  for (const item of items) yield stepOf(item)
}

function* stepsInTurn(lists: readonly StepList[]): Generator<RowStep, undefined> {
  for (const list of lists) yield* list
}

/** The steps of these lists, one list after the other; lazily made steps stay lazy. */
export function joinedSteps(...lists: readonly StepList[]): StepList {
  const filled: StepList[] = []
  for (const list of lists) if (list.length > 0) filled.push(list)
  if (filled.length === 1) return filled[0] as StepList // Nearly always.
  if (filled.every((list) => Array.isArray(list))) return filled.flat() as RowStep[]
  const length = filled.reduce((sum, one) => sum + one.length, 0)
  return { length, [Symbol.iterator]: () => stepsInTurn(filled) }
}

const MADE_AT_ONCE = 16

/**
 * Reads that complete in the turn of their call. All reads of one turn of the event loop see the same state, except for
 * mutations that are sent or acknowledged between them. Throws CellStoreError.
 */
export interface CellView {
  /** As `CellStore.readRows`. */
  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null>

  /** The first rows of a range: those before `rest`, or all of it. */
  readChunk(request: ChunkRequest): Chunk
}

export type ChunkRequest = Pick<RowScan, 'start' | 'end' | 'reverse' | 'filter'> & {
  /** The chunk ends after this many rows, whether or not the filter leaves a cell of them. */
  readonly rowsMax: number
  /** The chunk ends after the row with which the bytes read reach this. */
  readonly bytesMax: number
}

/** `rest` is the part of the range that is still to be read; absent when all of it has been read. */
export type Chunk = {
  readonly rows: readonly Row[]
  readonly rest: { readonly start: Uint8Array; readonly end: Uint8Array | undefined } | undefined
}

export function isEmbedded(cellStore: CellStore): cellStore is EmbeddedCellStore {
  return cellStore.atomicScope === 'store'
}
