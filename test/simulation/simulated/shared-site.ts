// SPDX-License-Identifier: Apache-2.0
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { Gateway } from './gateway.ts'
import { SimulatedCellStore } from './simulated-cell-store.ts'
import type { Site, SiteDependencies } from './site.ts'
import { StepWatch } from './step-watch.ts'

/** Several gateways over a store of their own machines, which they reach over a network. */
export class SharedSite implements Site {
  readonly gateways: readonly Gateway[]
  readonly cells = new MemoryCellStore()

  constructor({ world, swarm, log, violations }: SiteDependencies) {
    const watch = new StepWatch(this.cells, log, world.counters)
    const network = {
      ...world,
      inner: this.cells,
      applied: (call: Parameters<StepWatch['applied']>[0]) => watch.applied(call),
    }
    const options = { owner: 'shared' } as const
    this.gateways = Array.from(
      { length: swarm.gateways },
      (_, index) =>
        new Gateway(`g${index + 1}`, world, {
          swarm,
          violations,
          engine: (process, clock) => ({
            cellStore: new SimulatedCellStore(network, { process, clock }),
            options,
          }),
        }),
    )
  }

  checkMoment(): void {}

  checkRest(): void {}
}
