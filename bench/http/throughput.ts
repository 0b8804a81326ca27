// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Goal } from '../harness/experiment.ts'
import { STATEMENTS_PER_BATCH } from '../load/http-workload.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import {
  durableCeiling,
  HELLO_PATH,
  requestLoad,
  sharedHello,
  sharedPercolite,
} from './http-contenders.ts'

const CLIENTS = [1, 4, 16, 64] as const
const MOST_CLIENTS = 64
const BATCH_CLIENTS = 16
const CONTENDING_CLIENTS = 32
// A server is fast when V8 has compiled what it does: after six to ten seconds under load. Contenders by
// the number of clients share one.
const SHARED_WARM_UP_SECONDS = 3

const GOALS: Readonly<Record<'get' | 'set', Pick<Goal, 'what' | 'must' | 'aim'>>> = {
  get: { what: 'GET over HTTP / Fastify hello-world POST, same client', must: 0.55, aim: 0.8 },
  set: { what: `SET over HTTP, durable, ${MOST_CLIENTS} clients / hello`, must: 0.5, aim: 0.85 },
}

/** GETs or durable SETs of one row a request, beside the hello server, by the number of clients. */
export function clientScaling(request: 'get' | 'set', options: PercoliteOptions): Experiment {
  const percolite = sharedPercolite(options)
  const hello = sharedHello(request, options)
  const ceiling = request === 'set' ? durableCeiling(options, MOST_CLIENTS) : undefined
  const nameOf = (who: string, clients: number) => `${who}, ${clients} clients`
  const verb = request.toUpperCase()
  return {
    name: request,
    title: `${verb} of one row over HTTP, closed loop`,
    unit: 'requests',
    warmUpSeconds: SHARED_WARM_UP_SECONDS,
    contenders: [
      ...CLIENTS.flatMap((clients) => [
        loadedContender({
          name: nameOf(verb, clients),
          point: { series: `percolite ${verb}`, x: clients },
          server: percolite,
          load: requestLoad(request, options),
          clients,
        }),
        loadedContender({
          name: nameOf('hello', clients),
          point: { series: 'hello', x: clients },
          server: hello,
          load: requestLoad(request, options, HELLO_PATH),
          clients,
        }),
      ]),
      ...(ceiling === undefined ? [] : [ceiling]),
    ],
    goals: [
      { ...GOALS[request], of: nameOf(verb, MOST_CLIENTS), to: nameOf('hello', MOST_CLIENTS) },
      ...(ceiling === undefined
        ? []
        : [
            {
              what: 'SET over HTTP / hello with a raw durable put',
              of: nameOf(verb, MOST_CLIENTS),
              to: ceiling.name,
            },
          ]),
    ],
    plots: [
      {
        name: `${request}-clients`,
        title: `${verb} over HTTP by clients`,
        figure: 'operationsPerSecond',
        kind: 'lines',
        xTitle: 'clients',
        yTitle: 'requests per second',
        xLogarithmic: true,
      },
    ],
  }
}

/**
 * A hundred GETs in one request of one snapshot, and each in a request of its own: by one client, which waits for
 * each answer before it asks again, and by so many that the server is never idle.
 */
export function batching(options: PercoliteOptions): Experiment {
  const server = sharedPercolite(options)
  const one = (clients: number) => `${STATEMENTS_PER_BATCH} requests of one GET, ${clients} clients`
  const many = (clients: number) =>
    `one request of ${STATEMENTS_PER_BATCH} GETs, ${clients} clients`
  return {
    name: 'batch',
    title: `GETs alone and ${STATEMENTS_PER_BATCH} in a request`,
    unit: 'statements',
    warmUpSeconds: SHARED_WARM_UP_SECONDS,
    contenders: [1, BATCH_CLIENTS].flatMap((clients) => [
      loadedContender({
        name: one(clients),
        server,
        load: requestLoad('get', options),
        clients,
      }),
      loadedContender({
        name: many(clients),
        server,
        load: requestLoad('batchOfGets', options),
        clients,
        unitsPerOperation: STATEMENTS_PER_BATCH,
      }),
    ]),
    goals: [
      {
        what: 'statements/s in one request of 100 GETs / 100 requests',
        ...{ of: many(1), to: one(1), must: 8, aim: 15 },
      },
      {
        what: `the same by ${BATCH_CLIENTS} clients, of a server that is never idle`,
        ...{ of: many(BATCH_CLIENTS), to: one(BATCH_CLIENTS) },
      },
    ],
    notes: ['CPU and throughput are for each statement, latency is for each request.'],
  }
}

/** Two SETs of an expression of what the row holds, one transaction in one request; its conflicts are run again. */
export function transfers(options: PercoliteOptions): Experiment {
  const server = sharedPercolite(options)
  const contender = (name: string, clients: number, request: 'transfer' | 'skewedTransfer') =>
    loadedContender({ name, server, load: requestLoad(request, options), clients })
  const nameOf = (clients: number) => `transfer, ${clients} clients`
  const uniform = contender(nameOf(CONTENDING_CLIENTS), CONTENDING_CLIENTS, 'transfer')
  const skewed = contender(`${uniform.name}, Zipf 1.5`, CONTENDING_CLIENTS, 'skewedTransfer')
  return {
    name: 'transfer',
    title: 'Two-row transfer in one request, durable',
    unit: 'transfers',
    warmUpSeconds: SHARED_WARM_UP_SECONDS,
    contenders: [
      ...[1, 16].map((clients) => contender(nameOf(clients), clients, 'transfer')),
      uniform,
      skewed,
      contender(nameOf(MOST_CLIENTS), MOST_CLIENTS, 'transfer'),
    ],
    goals: [
      {
        what: 'transfers between accounts drawn by Zipf 1.5 / uniform ones',
        ...{ of: skewed.name, to: uniform.name, must: 0.8, aim: 1 },
      },
    ],
    notes: ['`retries` are the transfers that were answered 409, which the clients sent again.'],
  }
}
