// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../storage/cells/cell-store.ts'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { type StorageLog, systemClock } from '../../storage/storage.ts'
import { EmbeddedOracle } from '../../storage/transactions/oracle/embedded-oracle.ts'
import { SharedOracle } from '../../storage/transactions/oracle/shared-oracle.ts'
import type {
  SynchronousOracle,
  TimestampOracle,
} from '../../storage/transactions/oracle/timestamp-oracle.ts'
import type { Contender, Experiment, Surroundings } from '../harness/experiment.ts'
import { measureHere, runClosedLoop } from '../load/closed-loop.ts'

const EMBEDDED = 'in process, taken within a turn'
const SHARED = 'from the shared store, 5,000 callers waiting'

/** The paper's oracle serves about two million timestamps per second from one machine (2.3). */
export function timestamps(): Experiment {
  const openEmbedded = onOwnStore((deps) => EmbeddedOracle.open(deps))
  const openShared = onOwnStore((deps) => SharedOracle.open(deps))
  return {
    name: 'timestamps',
    title: 'Timestamps from the oracles',
    unit: 'timestamps',
    contenders: [
      oracleContender(EMBEDDED, openEmbedded, takeWithinTurns),
      oracleContender(
        'in process, one caller',
        openEmbedded,
        askOracle({ callers: 1, callsPerLook: 1_000 }),
      ),
      oracleContender(
        'in process, 100 callers',
        openEmbedded,
        askOracle({ callers: 100, callsPerLook: 100 }),
      ),
      oracleContender(SHARED, openShared, askOracle({ callers: 5_000, callsPerLook: 1 })),
      oracleContender(
        'from the shared store, one caller',
        openShared,
        askOracle({ callers: 1, callsPerLook: 1 }),
      ),
    ],
    goals: [
      { what: 'timestamps per second, in process', of: EMBEDDED, must: 2e6, aim: 10e6, ...RATE },
      {
        what: 'timestamps per second, through a gateway',
        ...{ of: SHARED, must: 0.3e6, aim: 1e6, ...RATE },
      },
    ],
    notes: [
      'Transactions of the process that owns the store take their timestamps within a turn of the event loop, as `take`; the others ask for a promise, as `next`.',
      'A gateway asks the shared store once for all callers that are waiting; each such call is a durable increment of a row.',
    ],
  }
}

const RATE = { unit: '/s', paper: 2e6 }

type OpenOracle<Oracle> = {
  readonly oracle: Oracle
  readonly cellStore: Pick<CellStore, 'close'>
}

type OracleWork<Oracle> = (
  oracle: Oracle,
  seconds: number,
  signal: AbortSignal,
) => Promise<{ readonly operations: number }>

/** A contender over an oracle of its own. */
function oracleContender<Oracle extends TimestampOracle>(
  name: string,
  open: (surroundings: Surroundings) => Promise<OpenOracle<Oracle>>,
  work: OracleWork<Oracle>,
): Contender {
  return {
    name,
    async open(surroundings) {
      const { oracle, cellStore } = await open(surroundings)
      return {
        run: (seconds, signal) => measureHere(() => work(oracle, seconds, signal)),
        async close() {
          await oracle.close()
          await cellStore.close()
        },
      }
    },
  }
}

/** Each caller waits for its timestamp before it asks for the next. */
function askOracle({
  callers,
  callsPerLook,
}: {
  readonly callers: number
  readonly callsPerLook: number
}): OracleWork<TimestampOracle> {
  return (oracle, seconds, signal) =>
    runClosedLoop({
      ...{ seconds, signal },
      clients: callers,
      operationsPerLook: callsPerLook,
      operation: () => oracle.next(),
    })
}

const TAKEN_PER_LOOK = 1_000

/** As a transaction does it: at once, and after a wait only where the mark must be raised first. */
const takeWithinTurns: OracleWork<SynchronousOracle> = async (oracle, seconds, signal) => {
  const { operations } = await runClosedLoop({
    ...{ seconds, signal },
    clients: 1,
    operation: async () => {
      for (let count = 0; count < TAKEN_PER_LOOK; count += 1) {
        while (oracle.take() === undefined) await oracle.markRaised()
      }
    },
  })
  return { operations: operations * TAKEN_PER_LOOK }
}

export const SILENT: StorageLog = { info() {}, warn() {}, error() {} }

type OracleDependencies = {
  readonly cellStore: CellStore
  readonly clock: typeof systemClock
  readonly log: StorageLog
}

/** An oracle over a store of its own, on disk. */
function onOwnStore<Oracle>(open: (deps: OracleDependencies) => Promise<Oracle>) {
  return async ({ temporaryFolder }: Surroundings): Promise<OpenOracle<Oracle>> => {
    const dataDirectory = await temporaryFolder('oracle')
    const cellStore = await openSqliteCellStore({ dataDirectory })
    return { cellStore, oracle: await open({ cellStore, clock: systemClock, log: SILENT }) }
  }
}
