// SPDX-License-Identifier: Apache-2.0
import { bars, type Experiment } from '../harness/experiment.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import { requestLoad, sharedPercolite } from './http-contenders.ts'

// Rates well below what the closed loop reaches: beyond it a queue grows and latency says only how long
// the run was.
const RATES = [
  { request: 'get', rates: [200, 500, 1000] },
  { request: 'set', rates: [100, 250, 500] },
] as const
const CONNECTIONS = 64
const RATE_BESIDE_SCAN = 200

/** Latency from the intended start, at fixed rates that do not wait for the server. */
export function openLoopLatency(options: PercoliteOptions): Experiment {
  const server = sharedPercolite(options)
  return {
    name: 'latency',
    title: 'Latency over HTTP at fixed rates, open loop',
    unit: 'requests',
    contenders: RATES.flatMap(({ request, rates }) =>
      rates.map((ratePerSecond) => {
        const verb = request.toUpperCase()
        return loadedContender({
          name: `${verb} at ${ratePerSecond}/s`,
          point: { series: verb, x: ratePerSecond },
          server,
          load: requestLoad(request, options),
          clients: CONNECTIONS,
          ratePerSecond,
        })
      }),
    ),
    goals: [],
    plots: (['p50', 'p99', 'p999'] as const).map((percentile) => {
      return {
        name: `latency-${percentile}`,
        title: `Latency ${percentile} from the intended start`,
        figure: `latency.${percentile}` as const,
        kind: 'lines' as const,
        xTitle: 'requests per second',
        yTitle: 'milliseconds',
      }
    }),
    notes: [
      'Requests start at fixed times whether or not earlier ones were answered; a stall counts for each request that should have begun in it.',
    ],
  }
}

/** What a small GET waits for when somebody else reads the whole table again and again. */
export function eventLoop(options: PercoliteOptions): Experiment {
  const server = sharedPercolite(options)
  const small = {
    server,
    load: requestLoad('get', options),
    clients: CONNECTIONS,
    ratePerSecond: RATE_BESIDE_SCAN,
  }
  return {
    name: 'event-loop',
    title: `Small GETs at ${RATE_BESIDE_SCAN}/s, alone and beside SCANs of all items`,
    unit: 'GETs',
    contenders: [
      loadedContender({ name: 'GETs alone', ...small }),
      loadedContender({
        name: 'GETs beside SCANs',
        ...small,
        beside: requestLoad('scan', options),
      }),
    ],
    goals: [],
    plots: [bars('event-loop', 'Latency p99 of small GETs', 'milliseconds', 'latency.p99')],
    notes: ['Latency is that of the small GETs; CPU time is that of everything the server does.'],
  }
}
