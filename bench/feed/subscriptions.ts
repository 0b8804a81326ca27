// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { SharedServer } from '../servers/measured-server.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'
import type { FeedSettings } from './feed-workload.ts'
import { CREATE_TICKS } from './ticks.ts'

const MODULE = new URL('./feed-workload.ts', import.meta.url).href
const COMMITS_PER_SECOND = 100
const SUBSCRIBERS = [0, 1, 100, 1_000] as const
/** More than can be under way at that rate. */
const CONNECTIONS = 32
/** Commits under way at once, enough to keep the server busy without a queue that only waits. */
const FAN_OUT = [
  { subscribers: 100, commits: 64, must: 80_000, aim: 150_000 },
  { subscribers: 1_000, commits: 8, must: 40_000, aim: 80_000 },
] as const
const SMALL_BODY = 32
const LARGE_BODY = 20_000
const READERS_BESIDE = 10

function tickServer(options: PercoliteOptions): SharedServer<PercoliteServer> {
  return new SharedServer('feed', async (folder) => {
    const server = await startPercolite(folder, options)
    await server.query({ sql: CREATE_TICKS })
    return server
  })
}

function loadOf(settings: Omit<FeedSettings, 'origin' | 'pid'>) {
  return ({ origin, pid }: PercoliteServer) => {
    return { module: MODULE, settings: { ...settings, origin, pid } satisfies FeedSettings }
  }
}

const people = (count: number) =>
  count === 0
    ? 'no subscriber'
    : `${count.toLocaleString('en')} ${count === 1 ? 'subscriber' : 'subscribers'}`

/** From the moment at which a commit should have been sent to its frame at a subscriber. */
export function frameLatency(options: PercoliteOptions): Experiment {
  return {
    name: 'frames',
    title: `From a commit to its frames, ${COMMITS_PER_SECOND} commits a second, open loop`,
    unit: 'commits',
    contenders: SUBSCRIBERS.map((subscribers) =>
      loadedContender({
        name: people(subscribers),
        ...(subscribers === 0 ? {} : { point: { series: 'percolite', x: subscribers } }),
        // A server of its own: the subscribers of the others would be told, too.
        server: tickServer(options),
        load: loadOf({ subscribers, bodyCharacters: SMALL_BODY }),
        clients: CONNECTIONS,
        ratePerSecond: COMMITS_PER_SECOND,
      }),
    ),
    goals: [
      {
        what: 'commit -> WebSocket frame p99, 100 subscribers, 100 commits/s',
        of: people(100),
        figure: 'figures.frameP99Ms',
        must: 20,
        aim: 5,
        smallerIsBetter: true,
        unit: 'ms',
      },
    ],
    plots: (['frameP50Ms', 'frameP99Ms'] as const).map((figure) => ({
      name: `frames-${figure === 'frameP50Ms' ? 'p50' : 'p99'}`,
      title: `From a commit to its frame, ${figure === 'frameP50Ms' ? 'p50' : 'p99'}`,
      figure: `figures.${figure}` as const,
      kind: 'lines' as const,
      xTitle: 'subscribers',
      yTitle: 'milliseconds',
      xLogarithmic: true,
    })),
    notes: [
      '`frameP50Ms` and the like are of all frames of all subscribers, from the moment at which the request with the commit should have been sent: request, sync to disk and answer are in it. Latency is that of the last subscriber who got the frame.',
    ],
  }
}

/** How many frames a second leave the server when commits come as fast as they are told. */
export function fanOut(options: PercoliteOptions): Experiment {
  return {
    name: 'fan-out',
    title: 'Frames a second to all subscribers together, closed loop',
    unit: 'messages',
    contenders: FAN_OUT.map(({ subscribers, commits }) =>
      loadedContender({
        name: people(subscribers),
        server: tickServer(options),
        load: loadOf({ subscribers, bodyCharacters: SMALL_BODY }),
        clients: commits,
        unitsPerOperation: subscribers,
      }),
    ),
    goals: FAN_OUT.map(({ subscribers, must, aim }) => ({
      what: `fan-out, ${people(subscribers)}, messages/s`,
      of: people(subscribers),
      must,
      aim,
      unit: '/s',
    })),
    notes: [
      `A commit ends when each subscriber has its frame; ${FAN_OUT.map(({ subscribers, commits }) => `${commits} are under way with ${people(subscribers)}`).join(', ')}. The subscribers are one process, which has a core to itself only where there are more than two.`,
    ],
  }
}

const ALL_READ = 'everybody reads'
const ONE_DOES_NOT = 'one more does not read'

/** What it costs the others that one stops reading, and whether it gets everything in the end. */
export function slowReader(options: PercoliteOptions, seconds: number): Experiment {
  const contender = (name: string, hasSlowReader: boolean) =>
    loadedContender({
      name,
      server: tickServer(options),
      load: loadOf({ subscribers: READERS_BESIDE, bodyCharacters: LARGE_BODY, hasSlowReader }),
      clients: CONNECTIONS,
      ratePerSecond: COMMITS_PER_SECOND,
    })
  return {
    name: 'slow-reader',
    title: `${READERS_BESIDE} subscribers at ${COMMITS_PER_SECOND} commits of ${LARGE_BODY / 1000} kB a second, and one that stops reading for ${seconds} s`,
    unit: 'commits',
    seconds,
    repetitions: 3,
    contenders: [contender(ALL_READ, false), contender(ONE_DOES_NOT, true)],
    goals: [
      {
        what: 'p99 of the frames of the others, with one that does not read / without',
        of: ONE_DOES_NOT,
        to: ALL_READ,
        figure: 'figures.frameP99Ms',
        must: 1.5,
        aim: 1.1,
        smallerIsBetter: true,
      },
      {
        what: 'resident memory of the server, with one that does not read / without',
        of: ONE_DOES_NOT,
        to: ALL_READ,
        figure: 'figures.residentMiB',
        must: 1.25,
        aim: 1.1,
        smallerIsBetter: true,
      },
      {
        what: 'frames missing, doubled or out of order after it has read on',
        of: ONE_DOES_NOT,
        figure: 'figures.wrongFrames',
        must: 0,
        aim: 0,
        smallerIsBetter: true,
        unit: '',
      },
    ],
    notes: [
      'Memory is taken while the one reader has not read on yet; `framesBehind` and `catchUpMs` are what it then had before it, and how long that took. The server closes who takes nothing for 60 seconds.',
    ],
  }
}
