// SPDX-License-Identifier: Apache-2.0
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import { Shared } from '../harness/shared.ts'
import { LoadProcess } from '../load/load-process.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import type { GrowthSettings } from './growth-workload.ts'

const WORKLOAD = new URL('./growth-workload.ts', import.meta.url).href

export type GrownStore = MeasuredServer & {
  readonly load: LoadProcess
  readonly figures: ReturnType<EmbeddedStore['figures']>
}

/**
 * A store of so many rows in a process of its own, as a server has it: in one process with others they
 * would share a heap, and what its garbage collector costs. Filled by the first of its contenders.
 */
export function grownStore(rows: number): Shared<GrownStore> {
  return new Shared(async (surroundings) => {
    const store = await EmbeddedStore.open(
      { rows, commit: 'auto', fill: 'transactions' },
      surroundings,
    )
    const { dataDirectory } = store
    const figures = store.figures()
    await store.close()
    const settings: GrowthSettings = { dataDirectory, rows }
    const order = { module: WORKLOAD, settings, clients: 1, seed: 1, holdsStore: true }
    const load = await LoadProcess.open(order)
    return { load, figures, pid: process.pid, inProcess: true, close: () => load.close() }
  })
}
