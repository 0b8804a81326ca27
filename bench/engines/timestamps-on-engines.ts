// SPDX-License-Identifier: Apache-2.0

import { type CellStore, systemClock } from '../../storage/storage.ts'
import { SharedOracle } from '../../storage/transactions/oracle/shared-oracle.ts'
import type { Contender, Experiment } from '../harness/experiment.ts'
import { measureHere, runClosedLoop } from '../load/closed-loop.ts'
import { SILENT } from '../micro/timestamps.ts'
import { ENGINES, type EngineName, startEngine, withInstalledEngine } from './shared-engine.ts'

/** Who takes timestamps from one row: so many wait at each gateway, which has a connection and an oracle of its own. */
type Takers = { readonly gateways: number; readonly callers: number }

const TAKERS: readonly Takers[] = [
  ...[1, 100, 5_000].map((callers) => ({ gateways: 1, callers })),
  ...[2, 4, 8].map((gateways) => ({ gateways, callers: 100 })),
]

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
  const mostCallers = Math.max(...TAKERS.map(({ callers }) => callers))
  return withInstalledEngine(name, {
    ...size,
    name: `timestamps-${name}`,
    title: `Timestamps from a row of ${name}, one request for all who wait`,
    unit: 'timestamps',
    contenders: TAKERS.map((takers) => taking(name, takers)),
    goals: TAKERS.map((takers) => ({
      what: `timestamps per second from ${name}, ${nameOf(takers)}`,
      ...{ of: nameOf(takers), unit: '/s' },
      // Its clients send one request for all their transactions that wait.
      ...(takers.callers === mostCallers ? { paper: PAPER } : {}),
    })),
    notes: [
      "The paper's oracle is a machine of its own, which serves about two million timestamps a second from its memory; clients send it one request for all that wait. Here each request is a change of a row in a store that others use too, from one process, whose CPU time alone is told.",
      'Gateways are oracles of that process, each with a connection of its own: what they share is the row.',
    ],
  })
}

function nameOf({ gateways, callers }: Takers): string {
  const waiting = `${callers.toLocaleString('en')} waiting`
  return gateways === 1 ? waiting : `through ${gateways} gateways, ${waiting} at each`
}

function taking(engineName: EngineName, takers: Takers): Contender {
  const { gateways, callers } = takers
  return {
    name: nameOf(takers),
    async open({ temporaryFolder }) {
      const folder = await temporaryFolder(engineName)
      const engine = await startEngine(engineName, { members: 1, folder })
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
          ...{ seconds, signal },
          clients: gateways * callers,
          operation: (_, client) => (oracles[client % gateways] as SharedOracle).next(),
        })
      return { run: (seconds, signal) => measureHere(() => work(seconds, signal)), close }
    },
  }
}
