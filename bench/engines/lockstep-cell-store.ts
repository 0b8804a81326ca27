// SPDX-License-Identifier: Apache-2.0
import { setImmediate as turn } from 'node:timers/promises'
import type { Row } from '../../storage/cells/cell.ts'
import type {
  CellStore,
  CheckAndMutate,
  Increment,
  RowMutations,
  RowScan,
} from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { ForwardingCellStore } from './forwarding-cell-store.ts'

/** More turns of the event loop than a request needs between two calls of the store. */
const QUIET_TURNS = 20

/**
 * Answers all calls that are under way together, and only when no other one comes: so calls that are sent together cost
 * one wait, as they do over a network.
 */
export class LockstepCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  /** The names of the calls since `count` was last called, those of one wait separated by commas. */
  #waits: string[][] = []
  #held: Array<{ readonly name: string; readonly go: () => void }> = []
  #isRunning = false
  readonly #tick: () => Promise<void>

  /** `tick` lets the time of a wait pass. */
  constructor(inner: CellStore, tick: () => Promise<void>) {
    super(inner)
    this.#tick = tick
  }

  /** What the work asks of the store until it is done. */
  async count(
    work: () => Promise<unknown>,
  ): Promise<{ readonly calls: number; readonly waits: number; readonly said: string }> {
    this.#waits = []
    await work()
    const waits = this.#waits
    const said = waits.map((names) => names.join(', ')).join(' -> ')
    return { calls: waits.flat().length, waits: waits.length, said }
  }

  /** Resolves when nothing is asked any more. */
  async quiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await turn()
      if (this.#isRunning) quiet = 0
    }
  }

  override checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return this.#together('checkAndMutateRow', () => super.checkAndMutateRow(row, step))
  }

  override mutateRows(entries: readonly RowMutations[]) {
    return this.#together('mutateRows', () => super.mutateRows(entries))
  }

  override readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    return this.#together('readRows', () => super.readRows(keys, filter))
  }

  override readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]) {
    return this.#together('readModifyWriteRow', () => super.readModifyWriteRow(row, increments))
  }

  override async *scanRows(scan: RowScan): AsyncIterable<Row> {
    await this.#together('scanRows', async () => {})
    yield* super.scanRows(scan)
  }

  override async *scanRanges(...scan: Parameters<CellStore['scanRanges']>): AsyncIterable<Row> {
    await this.#together('scanRanges', async () => {})
    yield* super.scanRanges(...scan)
  }

  async #together<T>(name: string, call: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.push({ name, go: resolve })
    void this.#run()
    await promise
    return await call()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#held.length > 0) {
      let known = 0
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        await turn()
        if (this.#held.length !== known) quiet = 0
        known = this.#held.length
      }
      await this.#tick()
      const together = this.#held
      this.#held = []
      this.#waits.push(together.map(({ name }) => name))
      for (const { go } of together) go()
    }
    this.#isRunning = false
  }
}
