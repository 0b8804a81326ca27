// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '../turns/turns.ts'
import {
  checkFilter,
  checkIncrements,
  checkMutations,
  checkNote,
  checkReadKey,
  checkRowKey,
  checkScan,
  checkStep,
  invalid,
} from './call-check.ts'
import type { Row } from './cell.ts'
import {
  answerEach,
  type CellStore,
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
  type RowStep,
  type ScanMark,
  type StepAnswer,
} from './cell-store.ts'
import type {
  CellView,
  Chunk,
  ChunkRequest,
  EmbeddedCellStore,
  StepList,
} from './embedded-cell-store.ts'
import type { Mutation } from './mutation.ts'
import type { Note } from './note.ts'
import type { RowFilter } from './row-filter.ts'
import { keyString } from './row-key.ts'

/** The door of every engine: what reaches its protected methods has been checked. */
export abstract class CheckedCellStore implements CellStore {
  abstract readonly atomicScope: 'row' | 'store'
  abstract readonly limits: CellStoreLimits

  protected abstract changeRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean>
  protected abstract changeRows(
    entries: readonly RowMutations[],
  ): Promise<Array<CellStoreError | null>>
  protected abstract rowsOf(
    keys: readonly Uint8Array[],
    filter: RowFilter,
  ): Promise<Array<Row | null>>
  protected abstract scan(scan: RowScan): AsyncIterable<Row>
  protected abstract scanEach(
    ranges: readonly KeyRange[],
    filter: RowFilter,
    mark?: ScanMark,
  ): AsyncIterable<Row>
  protected abstract increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]>
  abstract splitPoints(): Promise<Uint8Array[]>
  abstract close(): Promise<void>

  /** Throws CellStoreError `invalid` for what only this engine refuses. */
  protected checkMore(_mutations: readonly Mutation[]): void {}

  async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    checkStep({ row, ...step }, this.limits)
    this.checkMore(step.ifMatched)
    this.checkMore(step.otherwise)
    return await this.changeRow(row, step)
  }

  async checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    const check = (step: RowStep) => {
      checkStep(step, this.limits)
      this.checkMore(step.ifMatched)
      this.checkMore(step.otherwise)
    }
    return await this.#exceptRefused(steps, check, (right) => this.changeEach(right))
  }

  /** An engine overrides it where it can do several by one request. */
  protected async changeEach(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    return await answerEach(steps, (step) => this.checkAndMutateRow(step.row, step))
  }

  async mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    const check = ({ row, mutations }: RowMutations) => {
      checkRowKey(row, this.limits)
      checkMutations(mutations, this.limits)
      this.checkMore(mutations)
    }
    return await this.#exceptRefused(entries, check, (right) => this.changeRows(right))
  }

  /** The answers to all entries; those that the check refuses fail alone. */
  async #exceptRefused<E extends { readonly row: Uint8Array }, A>(
    entries: readonly E[],
    check: (entry: E) => void,
    change: (right: readonly E[]) => Promise<A[]>,
  ): Promise<Array<A | CellStoreError>> {
    const seen = new Set<string>()
    const refusals = entries.map((entry) => this.#refusalOf(entry, check, seen))
    const right = entries.filter((_, at) => refusals[at] === null)
    const answers = (await change(right)).values()
    return refusals.map((refusal) => refusal ?? (answers.next().value as A))
  }

  #refusalOf<E extends { readonly row: Uint8Array }>(
    entry: E,
    check: (entry: E) => void,
    seen: Set<string>,
  ): CellStoreError | null {
    try {
      check(entry)
      // The engines elsewhere carry entries out in any order, also those of one row.
      const isFirst = seen.size < seen.add(keyString(entry.row)).size
      if (this.atomicScope === 'store' || isFirst) return null
      return invalid('A row stands at most once in a call.')
    } catch (error) {
      if (error instanceof CellStoreError) return error
      throw error
    }
  }

  async readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    checkFilter(filter)
    for (const key of keys) checkReadKey(key)
    return await this.rowsOf(keys, filter)
  }

  scanRows(scan: RowScan): AsyncIterable<Row> {
    return afterCheck(checkScan, scan, () => this.scan(scan))
  }

  scanRanges(ranges: readonly KeyRange[], filter: RowFilter, mark?: ScanMark): AsyncIterable<Row> {
    return afterCheck(checkFilter, filter, () => this.scanEach(ranges, filter, mark))
  }

  async readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    checkRowKey(row, this.limits)
    checkIncrements(increments)
    return await this.increment(row, increments)
  }
}

/** The first chunk of a scan is small, because many scans end early; then they double. */
const CHUNK_ROWS_FIRST = 64
const CHUNK_ROWS_MAX = 512
const CHUNK_BYTES_MAX = 1024 * 1024

/** The door of the engines inside this process, which read by their view. */
export abstract class CheckedEmbeddedStore extends CheckedCellStore implements EmbeddedCellStore {
  readonly atomicScope = 'store'
  abstract readonly view: CheckedView

  protected abstract apply(batch: StepList, note?: Note): Promise<boolean[]>
  /** Throws CellStoreError `closed`. */
  protected abstract assertOpen(): void

  /** Not `async`, which would add a promise to the path of every commit. */
  applyAtomically(batch: StepList, note?: Note): Promise<boolean[]> {
    try {
      if (note !== undefined) checkNote(note, this.limits)
      return this.apply(checkedSteps(batch, this.limits), note)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  protected async changeRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    const [matched = false] = await this.apply([{ row, ...step }])
    return matched
  }

  protected async rowsOf(
    keys: readonly Uint8Array[],
    filter: RowFilter,
  ): Promise<Array<Row | null>> {
    return this.view.unchecked.readRows(keys, filter)
  }

  protected async *scan(scan: RowScan): AsyncIterable<Row> {
    const { reverse = false, filter, signal } = scan
    let left = scan.limit ?? Infinity
    let rest: Chunk['rest'] = { start: scan.start, end: scan.end }
    for (let rowsMax = CHUNK_ROWS_FIRST; rest !== undefined && left > 0; ) {
      signal?.throwIfAborted()
      const { start, end } = rest
      const chunk: Chunk = this.view.unchecked.readChunk({
        ...(end === undefined ? { start } : { start, end }),
        ...{ reverse, filter, rowsMax: Math.min(rowsMax, left), bytesMax: CHUNK_BYTES_MAX },
      })
      for (const row of chunk.rows) {
        signal?.throwIfAborted()
        left -= 1
        yield row
      }
      rest = chunk.rest
      rowsMax = Math.min(rowsMax * 2, CHUNK_ROWS_MAX)
      if (rest !== undefined && left > 0) await nextTurn()
    }
  }

  protected async *scanEach(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    for (const range of ranges) yield* this.scan({ ...range, filter })
  }

  async splitPoints(): Promise<Uint8Array[]> {
    this.assertOpen()
    return []
  }
}

export class CheckedView implements CellView {
  /** For what has been checked, and for filters that were made of one. */
  readonly unchecked: CellView
  /** A snapshot uses the same filter object for all its reads, so it is checked once. */
  #checkedFilter: RowFilter | undefined

  constructor(unchecked: CellView) {
    this.unchecked = unchecked
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    if (filter !== this.#checkedFilter) checkFilter(filter)
    this.#checkedFilter = filter
    for (const key of keys) checkReadKey(key)
    return this.unchecked.readRows(keys, filter)
  }

  readChunk(request: ChunkRequest): Chunk {
    if (request.filter !== this.#checkedFilter) checkFilter(request.filter)
    this.#checkedFilter = request.filter
    return this.unchecked.readChunk(request)
  }
}

/** Steps that are made when they are iterated are checked then, each before it is given. */
export function checkedSteps(batch: StepList, limits: CellStoreLimits): StepList {
  if (!Array.isArray(batch)) {
    return { length: batch.length, [Symbol.iterator]: () => checkedInTurn(batch, limits) }
  }
  for (const step of batch) checkStep(step, limits)
  return batch
}

// At module level, as in `embedded-cell-store.ts`.
function* checkedInTurn(batch: StepList, limits: CellStoreLimits): Generator<RowStep, undefined> {
  for (const step of batch) {
    checkStep(step, limits)
    yield step
  }
}

/** The rows of a scan, which is checked when its first row is asked for; no row takes longer for it. */
function afterCheck<T>(
  check: (request: T) => void,
  request: T,
  rows: () => AsyncIterable<Row>,
): AsyncIterable<Row> {
  return {
    [Symbol.asyncIterator]: () => {
      check(request)
      return rows()[Symbol.asyncIterator]()
    },
  }
}
