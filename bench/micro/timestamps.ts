// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../storage/cell-store/cell-store.ts'
import { openSqliteCellStore } from '../../storage/cell-store/sqlite-cell-store.ts'
import { EmbeddedOracle } from '../../storage/oracle/embedded-oracle.ts'
import { SharedOracle } from '../../storage/oracle/shared-oracle.ts'
import type { TimestampOracle } from '../../storage/oracle/timestamp-oracle.ts'
import { type StorageLog, systemClock } from '../../storage/storage.ts'
import { runClosedLoop } from '../harness/closed-loop.ts'
import type { Contender, Experiment, Surroundings } from '../harness/experiment.ts'
import { measureHere } from '../harness/measurement.ts'

const EMBEDDED = 'in process, one caller'
const SHARED = 'from the shared store, 5,000 callers waiting'

/** The paper's oracle serves about two million timestamps per second from one machine (2.3). */
export function timestamps(): Experiment {
  return {
    name: 'timestamps',
    title: 'Timestamps from the oracles',
    unit: 'timestamps',
    contenders: [
      fromOracle(EMBEDDED, { callers: 1, callsPerLook: 1_000 }, openEmbedded),
      fromOracle('in process, 100 callers', { callers: 100, callsPerLook: 100 }, openEmbedded),
      fromOracle(SHARED, { callers: 5_000, callsPerLook: 1 }, openShared),
      fromOracle('from the shared store, one caller', { callers: 1, callsPerLook: 1 }, openShared),
    ],
    goals: [
      { what: 'timestamps per second, in process', of: EMBEDDED, must: 2e6, aim: 10e6, ...RATE },
      {
        what: 'timestamps per second, through a gateway',
        ...{ of: SHARED, must: 0.3e6, aim: 1e6, ...RATE },
      },
    ],
    notes: [
      'A gateway asks the shared store once for all callers that are waiting; each such call is a durable increment of a row.',
    ],
    plots: [
      {
        name: 'timestamps',
        title: 'Timestamps from the oracles',
        figure: 'operationsPerSecond',
        kind: 'bars',
        yTitle: 'timestamps per second',
      },
    ],
  }
}

const RATE = { unit: '/s', paper: 2e6 }

type OpenOracle = { readonly oracle: TimestampOracle; readonly cellStore: CellStore }

function fromOracle(
  name: string,
  { callers, callsPerLook }: { readonly callers: number; readonly callsPerLook: number },
  open: (surroundings: Surroundings) => Promise<OpenOracle>,
): Contender {
  return {
    name,
    async open(surroundings) {
      const { oracle, cellStore } = await open(surroundings)
      return {
        run: (seconds, signal) =>
          measureHere(() =>
            runClosedLoop({
              ...{ seconds, signal },
              clients: callers,
              operationsPerLook: callsPerLook,
              operation: () => oracle.next(),
            }),
          ),
        async close() {
          await oracle.close()
          await cellStore.close()
        },
      }
    },
  }
}

const log: StorageLog = { info() {}, warn() {}, error() {} }

async function openEmbedded(surroundings: Surroundings): Promise<OpenOracle> {
  const cellStore = await openStore(surroundings)
  return { cellStore, oracle: await EmbeddedOracle.open({ cellStore, clock: systemClock, log }) }
}

async function openShared(surroundings: Surroundings): Promise<OpenOracle> {
  const cellStore = await openStore(surroundings)
  return { cellStore, oracle: await SharedOracle.open({ cellStore, clock: systemClock, log }) }
}

async function openStore({ temporaryFolder }: Surroundings): Promise<CellStore> {
  return await openSqliteCellStore({ dataDirectory: await temporaryFolder('oracle') })
}
