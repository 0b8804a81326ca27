// SPDX-License-Identifier: Apache-2.0
import type { Row } from './cell.ts'
import type { CellStore, CheckAndMutate, RowScan } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { Note } from './note.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * What an engine inside the process that owns it offers beyond the contract: a batch over many rows is
 * one durable unit, and the newest answered state can be read without waiting. One-phase commit needs
 * both: between its look at the rows and its batch in the queue nothing else may run.
 */
export interface EmbeddedCellStore extends CellStore {
  readonly atomicScope: 'store'

  /**
   * Applies the steps of a batch as one durable unit: first the predicates of all of them are
   * evaluated, by the writer and not on the view, then the mutations are applied in the order of the
   * steps. Resolves to which steps matched, once the batch is on disk **and** in the view. Together
   * with all other mutations, batches take effect in exactly the order in which they were handed in.
   *
   * A note becomes durable and visible with the batch. The timestamps of notes must ascend from batch to
   * batch, because the engine may put several of them into one cell (`note.ts`).
   *
   * Rejects with CellStoreError `notApplied` (certainly nothing was applied), `invalid`, `closed`, or
   * `ambiguous` (the disk failed; the store refuses everything from then on).
   */
  applyAtomically(batch: StepList, note?: Note): Promise<boolean[]>

  /**
   * The newest state: at least all that has been answered, from the moment on in which it is, and of a
   * batch that has not been answered yet all or nothing.
   */
  readonly view: CellView
}

/** A conditional mutation of one row, as for `checkAndMutateRow`. */
export type RowStep = { readonly row: Uint8Array } & CheckAndMutate

/** A step that changes the row whatever is there. It never matches. */
export function unconditionalStep(row: Uint8Array, mutations: readonly Mutation[]): RowStep {
  return { row, when: [], ifMatched: [], otherwise: mutations }
}

/**
 * The steps of a batch in their order. A batch has its place among the others from the call on, but the
 * engine may ask for the steps of a long one over several turns, so they must not change meanwhile.
 */
export type StepList = Iterable<RowStep> & { readonly length: number }

/** Steps that are made when they are asked for; a few are made at once, which is cheaper. */
export function stepsOf<T>(items: readonly T[], stepOf: (item: T) => RowStep): StepList {
  if (items.length <= MADE_AT_ONCE) return items.map((item) => stepOf(item))
  return { length: items.length, [Symbol.iterator]: () => madeSteps(items, stepOf) }
}

// Generators of the module: one that is a method of each list would have a hidden class for each, which would keep
// all that the list has until the old generation is collected (`docs/decisions/0038`).

function* madeSteps<T>(
  items: readonly T[],
  stepOf: (item: T) => RowStep,
): Generator<RowStep, undefined> {
  for (const item of items) yield stepOf(item)
}

function* stepsInTurn(lists: readonly StepList[]): Generator<RowStep, undefined> {
  for (const list of lists) yield* list
}

/** Steps behind steps; what is to be made when it is asked for stays so. */
export function joinedSteps(...lists: readonly StepList[]): StepList {
  if (lists.every((list) => Array.isArray(list))) return lists.flat() as RowStep[]
  const length = lists.reduce((sum, one) => sum + one.length, 0)
  return { length, [Symbol.iterator]: () => stepsInTurn(lists) }
}

const MADE_AT_ONCE = 16

/**
 * Reads in the turn in which they are asked for. All reads of one turn of the event loop see the same
 * state, but for mutations that are handed in or answered between them. Throws CellStoreError.
 */
export interface CellView {
  /** As `CellStore.readRows`. */
  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null>

  /** The beginning of a range; what it covers ends before `rest`, or with the range. */
  readChunk(request: ChunkRequest): Chunk
}

export type ChunkRequest = Pick<RowScan, 'start' | 'end' | 'reverse' | 'filter'> & {
  /** The chunk ends after so many rows, whether or not the filter leaves a cell of them. */
  readonly rowsMax: number
  /** The chunk ends after the row with which the bytes read reach this. */
  readonly bytesMax: number
}

/** `rest` is the part of the range that is still to be read; absent when it has been read whole. */
export type Chunk = {
  readonly rows: readonly Row[]
  readonly rest: { readonly start: Uint8Array; readonly end: Uint8Array | undefined } | undefined
}

export function isEmbedded(cellStore: CellStore): cellStore is EmbeddedCellStore {
  return cellStore.atomicScope === 'store'
}
