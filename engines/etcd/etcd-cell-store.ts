// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../storage/cells/cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RangeWatch,
  type RowMutations,
  type RowScan,
  type RowStep,
  type ScanMark,
  type StepAnswer,
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
import { CallsUnderWay } from '../network/calls-under-way.ts'
import { chosen, TurnReads } from '../network/turn-reads.ts'
import { Compactor } from './compactor.ts'
import { type Change, EtcdChanges } from './etcd-changes.ts'
import type { EtcdClient } from './etcd-client.ts'
import { EtcdCounters } from './etcd-counters.ts'
import type { Column, EtcdLayout } from './etcd-layout.ts'
import { EtcdReads } from './etcd-reads.ts'
import { EtcdWatch } from './etcd-watch.ts'
import { RowImages } from './row-images.ts'

/** A transaction of etcd is at most 1.5 MB by default, and a row is read whole. */
const ETCD_LIMITS: CellStoreLimits = Object.freeze({
  rowKeyBytesMax: 4 * 1024 + 256,
  cellBytesMax: 1000 * 1024,
  mutationsPerRowMax: 100_000,
  timestampMax: Number.MAX_SAFE_INTEGER,
  inlineValueBytesMax: STORAGE_LIMITS.inlineValueBytesMax,
})

/** The cells in an etcd. Many processes may have it open at once. */
export class EtcdCellStore extends CheckedCellStore {
  readonly atomicScope = 'row'
  readonly limits = ETCD_LIMITS
  readonly #client: EtcdClient
  readonly #layout: EtcdLayout
  readonly #reads: EtcdReads
  readonly #turnReads = new TurnReads(async (keys, filter) => {
    const images = await this.#reads.images(keys)
    return images.map(({ cells }, at) => chosen({ key: keys[at] as Uint8Array, cells }, filter))
  })
  readonly #changes: EtcdChanges
  readonly #counters: EtcdCounters
  readonly #compactor: Compactor
  readonly #closing = new AbortController()
  readonly #calls = new CallsUnderWay('The store in etcd is closed.')

  constructor(client: EtcdClient, layout: EtcdLayout) {
    super()
    this.#client = client
    this.#layout = layout
    const images = new RowImages()
    this.#reads = new EtcdReads(client, layout, images)
    this.#compactor = new Compactor(client)
    const parts = { client, layout, images, compactor: this.#compactor }
    this.#changes = new EtcdChanges(parts)
    this.#counters = new EtcdCounters(parts)
  }

  get requestsSent(): ReadonlyMap<string, number> {
    return this.#client.requestsSent
  }

  protected async changeRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return await this.#make({ ...stepChange(step), row })
  }

  protected override async changeEach(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    return await this.#calls.run(() =>
      this.#changes.make(steps.map((step) => ({ ...stepChange(step), row: step.row }))),
    )
  }

  protected async changeRows(
    entries: readonly RowMutations[],
  ): Promise<Array<CellStoreError | null>> {
    return await this.#calls.run(() => {
      const changes = entries.map(({ row, mutations }): Change<null> => {
        const of = (cells: readonly Cell[]) => ({ cells: mutated(cells, mutations), answer: null })
        return { row, columns: mutations, of }
      })
      return this.#changes.make(changes)
    })
  }

  protected async rowsOf(
    keys: readonly Uint8Array[],
    filter: RowFilter,
  ): Promise<Array<Row | null>> {
    return await this.#calls.run(() => this.#turnReads.rows(keys, filter))
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

  protected async *scanEach(
    ranges: readonly KeyRange[],
    filter: RowFilter,
    mark?: ScanMark,
  ): AsyncIterable<Row> {
    const rows = this.#reads.scanRanges(ranges, () => this.#calls.requireOpen(), mark)
    for await (const row of rows) {
      const found = chosen(row, filter)
      if (found !== null) yield found
    }
  }

  protected async increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    const values = await this.#calls.run(() => this.#counters.increase(row, increments))
    if (values !== undefined) return values
    return await this.#make({
      row,
      columns: increments,
      of: (cells) => {
        const after = [...cells]
        const answer = increments.map((increment) => {
          const { family, qualifier } = increment
          const [newest] = chooseCells(after, [{ family, qualifier, newest: 1 }])
          const cell = incrementedCell(newest, increment)
          applyMutations(after, [{ kind: 'setCell', ...cell }])
          return counterValue(cell.value)
        })
        return { cells: increments.length === 0 ? undefined : after, answer }
      },
    })
  }

  watchRange({ start, end }: KeyRange, changed: () => void): RangeWatch {
    const heads = { key: this.#layout.head(start), rangeEnd: this.#layout.head(end) }
    return new EtcdWatch(this.#client, heads, { changed, closing: this.#closing.signal })
  }

  /** etcd is one range. */
  async splitPoints(): Promise<Uint8Array[]> {
    return await this.#calls.run(async () => [])
  }

  async close(): Promise<void> {
    await this.#calls.close(() => {
      this.#closing.abort()
      this.#compactor.stop()
      this.#client.close()
    })
  }

  async #make<T>(change: Change<T>): Promise<T> {
    return await this.#calls.run(async () => {
      const [answer] = await this.#changes.make([change])
      if (answer instanceof CellStoreError) throw answer
      return answer as T
    })
  }
}

function stepChange({ when, ifMatched, otherwise }: CheckAndMutate): Omit<Change<boolean>, 'row'> {
  const columns = [...when, ...ifMatched, ...otherwise]
  return {
    columns: columns.every(isOneColumn) ? columns : undefined,
    of: (cells) => {
      const matched = chooseCells(cells, when).length > 0
      return { cells: mutated(cells, matched ? ifMatched : otherwise), answer: matched }
    },
  }
}

function isOneColumn(named: Partial<Column>): named is Column {
  return named.qualifier !== undefined
}

/** Undefined where nothing changes. */
function mutated(cells: readonly Cell[], mutations: readonly Mutation[]): Cell[] | undefined {
  if (mutations.length === 0) return undefined
  const after = [...cells]
  applyMutations(after, mutations)
  return after
}
