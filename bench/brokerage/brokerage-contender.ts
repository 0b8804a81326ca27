// SPDX-License-Identifier: Apache-2.0
import type { OpenContender } from '../harness/experiment.ts'
import type { PeerContender } from '../servers/installed-peers.ts'
import { runBrokerage } from './brokerage-run.ts'
import { BrokerageDriver } from './driver/brokerage-driver.ts'
import type { Engine } from './engine.ts'
import { ENGINE_KINDS, type EngineName, programOf } from './engines/engine-kinds.ts'
import { loadPopulation } from './loading/load-population.ts'
import { verifyLoad } from './loading/verify-load.ts'
import type { Population } from './population/population.ts'
import { sampleOf } from './report/run-sample.ts'

export type ContenderOrder = {
  readonly name: string
  readonly kind: EngineName
  readonly population: Population
  readonly users: number
  /** Trade results per second; as fast as the users can when absent. */
  readonly pace: number | undefined
  readonly kills: boolean
  readonly moves: boolean
  /** For the server. */
  readonly percolite: Readonly<Record<string, string>>
}

/** An engine with a population of its own, ready for one run after the other. */
export function brokerageContender(order: ContenderOrder): PeerContender {
  const { name, kind, population, users } = order
  const isChecked = kind !== 'null'
  return {
    name,
    program: programOf(kind),
    async open(surroundings): Promise<OpenContender> {
      const engine: Engine = await ENGINE_KINDS[kind].open({
        folder: await surroundings.temporaryFolder(kind),
        percolite: order.percolite,
        connections: 2 * users,
      })
      try {
        await engine.load(async (loader) => {
          await loadPopulation(loader, population, surroundings)
        })
        const problems = isChecked ? await verifyLoad(engine, population) : []
        // What is wrong before a run can never be right after it.
        if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`)
        const driver = await BrokerageDriver.open({ engine, ...order })
        return {
          run: async (seconds, signal) =>
            sampleOf(await runBrokerage({ engine, driver, isChecked, ...order }, seconds, signal)),
          async close() {
            try {
              await driver.close()
            } finally {
              await engine.close()
            }
          },
        }
      } catch (error) {
        await engine.close()
        throw error
      }
    },
  }
}
