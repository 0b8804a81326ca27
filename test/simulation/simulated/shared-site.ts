// SPDX-License-Identifier: Apache-2.0
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { collectionsWatched } from '../checkers/collection-checker.ts'
import { Gateway } from './gateway.ts'
import { SimulatedCellStore } from './simulated-cell-store.ts'
import type { Site, SiteDependencies } from './site.ts'
import { StepWatch } from './step-watch.ts'

/** How often a gateway looks at least for what it might help with. */
const TOGETHER_MS_MIN = 5_000

/** Several gateways over a store of their own machines, which they reach over a network. */
export class SharedSite implements Site {
  readonly gateways: readonly Gateway[]
  readonly cells = new MemoryCellStore()

  constructor({ world, swarm, log, violations }: SiteDependencies) {
    const watch = new StepWatch(this.cells, log, world.counters)
    const network = {
      ...world,
      inner: collectionsWatched(this.cells, { violations, counters: world.counters }),
      splitRows: swarm.ranges.splitRows,
      applied: (call: Parameters<StepWatch['applied']>[0]) => watch.applied(call),
    }
    const { collectEveryMs = 0, ranges } = swarm
    const collectionIntervalMs = Math.max(collectEveryMs, TOGETHER_MS_MIN)
    const options = { owner: 'shared', ...(ranges.together && { collectionIntervalMs }) } as const
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
