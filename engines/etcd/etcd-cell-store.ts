// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../storage/cells/cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
} from '../../storage/cells/cell-store.ts'
import { CheckedCellStore } from '../../storage/cells/checked-cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import {
  applyMutations,
  counterValue,
  incrementedCell,
} from '../../storage/cells/mutation-application.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { chooseCells } from '../../storage/cells/row-filter-evaluation.ts'
import { STORAGE_LIMITS } from '../../storage/limits.ts'
import { CallError, mutationError } from '../network/call-errors.ts'
import { CallsUnderWay } from '../network/calls-under-way.ts'
import { status } from '../network/status.ts'
import { Compactor } from './compactor.ts'
import type { EtcdClient } from './etcd-client.ts'
import type { EtcdLayout } from './etcd-layout.ts'
import { EtcdReads } from './etcd-reads.ts'
import { type RowImage, rowTransaction } from './etcd-row.ts'

/** A transaction of etcd is at most 1.5 MB by default, and a row is read whole. */
const ETCD_LIMITS: CellStoreLimits = Object.freeze({
  rowKeyBytesMax: 4 * 1024 + 256,
  cellBytesMax: 1000 * 1024,
  mutationsPerRowMax: 100_000,
  timestampMax: Number.MAX_SAFE_INTEGER,
  inlineValueBytesMax: STORAGE_LIMITS.inlineValueBytesMax,
})

/** Of a change whose row others change meanwhile; each time somebody got on. */
const ATTEMPTS_MAX = 100
/** Rows that are changed at once by one call. */
const ROWS_AT_ONCE = 16

/** What of the row is to be, and what the call answers; undefined where it stays as it is. */
type Change<T> = { readonly cells: readonly Cell[] | undefined; readonly answer: T }

/** The cells in an etcd. Many processes may have it open at once. */
export class EtcdCellStore extends CheckedCellStore {
  readonly atomicScope = 'row'
  readonly limits = ETCD_LIMITS
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout
  readonly #reads: EtcdReads
  readonly #compactor: Compactor
  readonly #calls = new CallsUnderWay('The store in etcd is closed.')

  constructor(client: EtcdClient, layout: EtcdLayout) {
    super()
    this.#client = client
    this.#layout = layout
    this.#reads = new EtcdReads(client, layout)
    this.#compactor = new Compactor(client)
  }

  get requestsSent(): ReadonlyMap<string, number> {
    return this.#client.requestsSent
  }

  protected async changeRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return await this.#calls.run(async () => {
      return await this.#change(row, ({ cells }) => {
        const matched = chooseCells(cells, step.when).length > 0
        const mutations = matched ? step.ifMatched : step.otherwise
        return { cells: mutated(cells, mutations), answer: matched }
      })
    })
  }

  protected async changeRows(
    entries: readonly RowMutations[],
  ): Promise<Array<CellStoreError | null>> {
    return await this.#calls.run(async () => {
      const errors = new Array<CellStoreError | null>(entries.length).fill(null)
      const left = entries.entries()
      const worker = async () => {
        for (const [at, { row, mutations }] of left) {
          errors[at] = await this.#change(row, ({ cells }) => {
            return { cells: mutated(cells, mutations), answer: null }
          }).catch(mutationError)
        }
      }
      await Promise.all(Array.from({ length: ROWS_AT_ONCE }, worker))
      return errors
    })
  }

  protected async rowsOf(
    keys: readonly Uint8Array[],
    filter: RowFilter,
  ): Promise<Array<Row | null>> {
    return await this.#calls.run(async () => {
      const images = await this.#reads.images(keys)
      return images.map(({ cells }, at) => chosen({ key: keys[at] as Uint8Array, cells }, filter))
    })
  }

  protected async *scan(scan: RowScan): AsyncIterable<Row> {
    let left = scan.limit ?? Infinity
    if (left === 0 || scan.filter.length === 0) return
    for await (const row of this.#reads.scan(scan, () => this.#calls.requireOpen())) {
      const found = chosen(row, scan.filter)
      if (found === null) continue
      yield found
      left -= 1
      if (left === 0) return
    }
  }

  protected async *scanEach(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    const rows = this.#reads.scanRanges(ranges, () => this.#calls.requireOpen())
    for await (const row of rows) {
      const found = chosen(row, filter)
      if (found !== null) yield found
    }
  }

  protected async increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return await this.#calls.run(async () => {
      return await this.#change(row, ({ cells }) => {
        const after = [...cells]
        const answer = increments.map((increment) => {
          const { family, qualifier } = increment
          const [newest] = chooseCells(after, [{ family, qualifier, newest: 1 }])
          const cell = incrementedCell(newest, increment)
          applyMutations(after, [{ kind: 'setCell', ...cell }])
          return counterValue(cell.value)
        })
        return { cells: increments.length === 0 ? undefined : after, answer }
      })
    })
  }

  /** etcd is one range. */
  async splitPoints(): Promise<Uint8Array[]> {
    return await this.#calls.run(async () => [])
  }

  async close(): Promise<void> {
    await this.#calls.close(() => {
      this.#compactor.stop()
      this.#client.close()
    })
  }

  /** Reads the row, and writes what becomes of it if it is still so; else again. */
  async #change<T>(row: Uint8Array, change: (image: RowImage) => Change<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const image = await this.#reads.image(row)
      const { cells, answer } = change(image)
      if (cells === undefined) return answer
      const transaction = rowTransaction(this.#layout, row, image, cells)
      if (transaction === undefined) return answer
      const { header, succeeded = false } = await this.#client
        .transaction(transaction)
        .catch(throwMutationError)
      this.#compactor.saw(header.revision)
      if (succeeded) return answer
    }
    throw new CellStoreError(
      'notApplied',
      `The row was changed by others each of the ${ATTEMPTS_MAX} times that it was read.`,
    )
  }
}

/** Undefined where nothing changes. */
function mutated(cells: readonly Cell[], mutations: readonly Mutation[]): Cell[] | undefined {
  if (mutations.length === 0) return undefined
  const after = [...cells]
  applyMutations(after, mutations)
  return after
}

function chosen({ key, cells }: Row, filter: RowFilter): Row | null {
  const left = chooseCells(cells, filter)
  return left.length === 0 ? null : { key, cells: left }
}

function throwMutationError(error: unknown): never {
  const isFull = error instanceof CallError && error.code === status.RESOURCE_EXHAUSTED
  if (isFull) throw new CellStoreError('full', (error as CallError).message, { cause: error })
  throw mutationError(error)
}
