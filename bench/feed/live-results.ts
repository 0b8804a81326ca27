// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Contender, Experiment } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { SharedServer, serverCpuDuring } from '../servers/measured-server.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'
import { mebibytesOf } from '../servers/process-figures.ts'
import { CREATE_MESSAGES, type LiveSettings, ROOM_ROWS, subscribeTo } from './live-workload.ts'
import { tickName } from './ticks.ts'

const MODULE = new URL('./live-workload.ts', import.meta.url).href
const COMMITS_PER_SECOND = 100
const CONNECTIONS = 32
const ROWS_PER_REQUEST = 1_000
const IDLE_RESULTS = 10_000
/** `socketSubscriptionsMax`. */
const PER_SOCKET = 100
const SETTLE_MS = 5_000

function messageServer(options: PercoliteOptions, rooms: number): SharedServer<PercoliteServer> {
  return new SharedServer('live', async (folder) => {
    const server = await startPercolite(folder, options)
    await server.query({ sql: CREATE_MESSAGES })
    const rows = Array.from({ length: rooms * ROOM_ROWS }, (_, at) => [
      Math.floor(at / ROOM_ROWS),
      at % ROOM_ROWS,
    ])
    for (let at = 0; at < rows.length; at += ROWS_PER_REQUEST) {
      const some = rows.slice(at, at + ROWS_PER_REQUEST)
      const values = some.map(([room, id]) => `(${room}, ${id}, '${tickName(0)}')`)
      await server.query({ sql: `INSERT INTO message (room, id, n) VALUES ${values.join()}` })
    }
    return server
  })
}

const ONE_WINDOW = '1 window, 1,000 subscribers'
const MANY_WINDOWS = '1,000 windows, 1 subscriber each'

const KINDS = [
  { name: ONE_WINDOW, rooms: 1, subscribers: 1_000, perSocket: 1 },
  { name: MANY_WINDOWS, rooms: 1_000, subscribers: 1, perSocket: PER_SOCKET },
] as const

/** From a commit to the patch of a live result that has it, and how many evaluations that takes. */
export function liveResults(options: PercoliteOptions): Experiment {
  const goals = KINDS.flatMap(({ name }) => [
    {
      what: `commit -> patch p99, ${name}, ${COMMITS_PER_SECOND} commits/s`,
      of: name,
      figure: 'figures.frameP99Ms' as const,
      must: 100,
      aim: 20,
      smallerIsBetter: true,
      unit: 'ms',
    },
    {
      what: `evaluations for a commit, ${name}`,
      of: name,
      figure: 'figures.evaluationsPerCommit' as const,
      must: 1,
      aim: 1,
      smallerIsBetter: true,
      unit: '',
    },
  ])
  return {
    name: 'live',
    title: `Live results of ${ROOM_ROWS} rows, ${COMMITS_PER_SECOND} commits a second into them, open loop`,
    unit: 'commits',
    contenders: KINDS.map(({ name, rooms, subscribers, perSocket }) =>
      loadedContender({
        name,
        server: messageServer(options, rooms),
        load: ({ origin, pid }) => ({
          module: MODULE,
          settings: { origin, pid, rooms, subscribers, perSocket } satisfies LiveSettings,
        }),
        clients: CONNECTIONS,
        ratePerSecond: COMMITS_PER_SECOND,
      }),
    ),
    goals,
    notes: [
      'Times are as in `frames`. A commit whose row is written again before its state was told counts with that one.',
    ],
  }
}

/** What is held for live results that nothing is told. */
export function idleResults(options: PercoliteOptions): Experiment {
  const name = `${IDLE_RESULTS.toLocaleString('en')} live results`
  return {
    name: 'live-idle',
    title: `Memory of ${name} of ${ROOM_ROWS} rows that do not change`,
    unit: 'live results',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [idleContender(name, options)],
    goals: [
      {
        what: 'resident memory for one idle live result',
        of: name,
        figure: 'figures.kBPerResult',
        must: 20,
        aim: 10,
        smallerIsBetter: true,
        unit: 'kB',
      },
    ],
  }
}

function idleContender(name: string, options: PercoliteOptions): Contender {
  const shared = messageServer(options, IDLE_RESULTS)
  return {
    name,
    open: async (surroundings) => {
      const server = await shared.acquire(surroundings)
      return {
        run: (_seconds, signal) => idleSample(server, signal),
        close: () => shared.release(),
      }
    },
  }
}

async function idleSample(server: PercoliteServer, signal: AbortSignal): Promise<Sample> {
  const { origin, pid } = server
  const began = performance.now()
  const beforeMiB = mebibytesOf(pid, 'VmRSS')
  const { result: sockets, cpuSeconds } = await serverCpuDuring(server, async () => {
    const opened: Awaited<ReturnType<typeof subscribeTo>>[] = []
    for (let first = 0; first < IDLE_RESULTS && !signal.aborted; first += PER_SOCKET) {
      const rooms = Array.from({ length: PER_SOCKET }, (_, at) => first + at)
      opened.push(await subscribeTo(origin, rooms, () => () => undefined))
    }
    return opened
  })
  const seconds = (performance.now() - began) / 1_000
  await delay(SETTLE_MS, undefined, { signal })
  const residentMiB = mebibytesOf(pid, 'VmRSS')
  for (const socket of sockets) socket.close()
  const kBPerResult = ((residentMiB - beforeMiB) * 1_048.576) / IDLE_RESULTS
  return {
    ...{ operations: IDLE_RESULTS, seconds, cpuSeconds },
    figures: { beforeMiB, residentMiB, kBPerResult },
  }
}
