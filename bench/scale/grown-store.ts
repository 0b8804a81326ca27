// SPDX-License-Identifier: Apache-2.0
import type { Contender, Surroundings } from '../harness/experiment.ts'
import { LoadProcess } from '../load/load-process.ts'
import { BenchStore } from '../store/bench-store.ts'
import type { GrowthSettings } from './growth-workload.ts'

const WORKLOAD = new URL('./growth-workload.ts', import.meta.url).href

type Figures = ReturnType<BenchStore['figures']>
type Opened = { readonly load: LoadProcess; readonly figures: Figures }

/**
 * A store of so many rows in a process of its own, as a server has it: in one process with others they
 * would share a heap, and what its garbage collector costs. Filled by the first of its contenders.
 */
export class GrownStore {
  readonly #rows: number
  #opening: Promise<Opened> | undefined
  #users = 0

  constructor(rows: number) {
    this.#rows = rows
  }

  /** Its samples tell also what the store is. */
  contender(name: string, operation: string, point: NonNullable<Contender['point']>): Contender {
    return {
      name,
      point,
      open: async (surroundings) => {
        this.#users += 1
        this.#opening ??= this.#open(surroundings)
        const { load, figures } = await this.#opening
        return {
          run: async (seconds, signal) => {
            return { ...(await load.run({ seconds, mix: operation }, signal)), figures }
          },
          close: () => this.#release(),
        }
      },
    }
  }

  async #open(surroundings: Surroundings): Promise<Opened> {
    const rows = this.#rows
    const store = await BenchStore.open(
      { rows, commit: 'auto', fill: 'transactions' },
      surroundings,
    )
    const { dataDirectory } = store
    const figures = store.figures()
    await store.close()
    const settings: GrowthSettings = { dataDirectory, rows }
    const order = { module: WORKLOAD, settings, clients: 1, seed: 1, holdsStore: true }
    const load = await LoadProcess.open(order)
    return { load, figures }
  }

  async #release(): Promise<void> {
    this.#users -= 1
    if (this.#users > 0) return
    const opening = this.#opening
    this.#opening = undefined
    await (await opening)?.load.close()
  }
}
