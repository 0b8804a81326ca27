// SPDX-License-Identifier: Apache-2.0

import { type CellStore, systemClock } from '../../storage/storage.ts'
import { SharedOracle } from '../../storage/transactions/oracle/shared-oracle.ts'
import type { Contender, Experiment, Surroundings } from '../harness/experiment.ts'
import { measureHere, runClosedLoop } from '../load/closed-loop.ts'
import { askOracle, type OpenOracle, oracleContender, SILENT } from '../micro/timestamps.ts'
import { ENGINES, type EngineName, startEngine, withInstalledEngine } from './shared-engine.ts'

/** Transactions that wait for a timestamp at a time. */
const CALLERS = [1, 100, 5_000]

/** Each with a connection and an oracle of its own, for which so many wait. */
const GATEWAYS = [2, 4, 8]
const CALLERS_OF_GATEWAY = 100

type TimestampsSize = { readonly seconds?: number; readonly repetitions?: number }

export const TIMESTAMPS_SIZES = {
  /** What `npm run bench -- engines` takes when nothing is said: the run's own. */
  alone: {},
  /** As a part of an hour, and of ten minutes. */
  hour: { seconds: 2, repetitions: 5 },
  quick: { seconds: 1, repetitions: 3 },
} as const satisfies Readonly<Record<string, TimestampsSize>>

/** About as many as the paper's oracle serves in a second. */
const PAPER = 2e6

/** The timestamps of section 2.3, where each request to the store is one over the network and durable. */
export function timestampsOnEngines(size: TimestampsSize): Experiment[] {
  return ENGINES.map((name) => timestampsOnEngine(name, size))
}

function timestampsOnEngine(name: EngineName, size: TimestampsSize): Experiment {
  const open = (surroundings: Surroundings) => openOracle(name, surroundings)
  const nameOf = (callers: number) => `${callers.toLocaleString('en')} waiting`
  const throughOf = (gateways: number) =>
    `through ${gateways} gateways, ${nameOf(CALLERS_OF_GATEWAY)} at each`
  return withInstalledEngine(name, {
    ...size,
    name: `timestamps-${name}`,
    title: `Timestamps from a row of ${name}, one request for all who wait`,
    unit: 'timestamps',
    contenders: [
      ...CALLERS.map((callers) =>
        oracleContender(nameOf(callers), open, askOracle({ callers, callsPerLook: 1 })),
      ),
      ...GATEWAYS.map((gateways) => throughGateways(throughOf(gateways), name, gateways)),
    ],
    goals: [
      ...CALLERS.map((callers) => ({
        what: `timestamps per second from ${name}, ${nameOf(callers)}`,
        ...{ of: nameOf(callers), unit: '/s' },
        // Its clients send one request for all their transactions that wait.
        ...(callers === Math.max(...CALLERS) ? { paper: PAPER } : {}),
      })),
      ...GATEWAYS.map((gateways) => ({
        what: `timestamps per second from ${name}, ${throughOf(gateways)}`,
        ...{ of: throughOf(gateways), unit: '/s' },
      })),
    ],
    notes: [
      "The paper's oracle is a machine of its own, which serves about two million timestamps a second from its memory; clients send it one request for all that wait. Here each request is a change of a row in a store that others use too, from one process, whose CPU time alone is told.",
      'Gateways are oracles of that process, each with a connection of its own: what they share is the row.',
    ],
  })
}

/** Takes how long one caller waits, too: gateways that change the row at the same time hold each other up. */
function throughGateways(name: string, engineName: EngineName, gateways: number): Contender {
  return {
    name,
    async open({ temporaryFolder }) {
      const engine = await startEngine(engineName, {
        ...{ members: 1, folder: await temporaryFolder(engineName) },
      })
      const stores: CellStore[] = []
      const oracles: SharedOracle[] = []
      const close = async () => {
        for (const oracle of oracles) await oracle.close()
        for (const store of stores) await store.close()
        await engine.close()
      }
      try {
        while (oracles.length < gateways) {
          const cellStore = await engine.open('oracle')
          stores.push(cellStore)
          oracles.push(await SharedOracle.open({ cellStore, clock: systemClock, log: SILENT }))
        }
      } catch (error) {
        await close()
        throw error
      }
      const work = (seconds: number, signal: AbortSignal) =>
        runClosedLoop({
          ...{ seconds, signal, takesLatency: true },
          clients: gateways * CALLERS_OF_GATEWAY,
          operation: (_, client) => (oracles[client % gateways] as SharedOracle).next(),
        })
      return { run: (seconds, signal) => measureHere(() => work(seconds, signal)), close }
    },
  }
}

async function openOracle(
  name: EngineName,
  { temporaryFolder }: Surroundings,
): Promise<OpenOracle<SharedOracle>> {
  const engine = await startEngine(name, { members: 1, folder: await temporaryFolder(name) })
  try {
    const cellStore = await engine.open('oracle')
    const oracle = await SharedOracle.open({ cellStore, clock: systemClock, log: SILENT })
    const close = async () => {
      await cellStore.close()
      await engine.close()
    }
    return { oracle, cellStore: { close } }
  } catch (error) {
    await engine.close()
    throw error
  }
}
