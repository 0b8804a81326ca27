// SPDX-License-Identifier: Apache-2.0
import { setStatement, transferRequest } from '../stores/percolite-store.ts'
import { ACCOUNTS, ITEMS, itemId, itemValue, twoAccounts, twoSkewedAccounts } from './data.ts'
import { HttpClient, Retries } from './http-client.ts'
import { Random } from './random.ts'
import type { LoadOptions, Workload } from './workload.ts'

export type HttpSettings = {
  readonly origin: string
  /** A path other than the request's own: the hello server takes any body there. */
  readonly path?: string
  readonly request: keyof typeof REQUESTS
  /** How many items and accounts there are. */
  readonly rows: number
  /** Shown with each request. */
  readonly token?: string | undefined
}

/** A POST where it has a body. */
type Request = { readonly path: string; readonly body?: unknown }

type Draw = { readonly random: Random; readonly rows: number; readonly sequence: number }

const GET = 'GET id, value FROM item WHERE id = :id'
const BATCH_SIZE = 100
const PAGE_ROWS_MAX = 10_000
const SHORT_SCAN_ROWS = 20
export const STATEMENTS_PER_BATCH = BATCH_SIZE

/** Of the table `owned`, whose rows all have this owner. */
export const OWNER = 'ann'
export const OWNED_ROWS = 1_000

const randomItem = ({ random, rows }: Draw) => itemId(random.below(rows))

/** Every request that the HTTP benchmarks send, by name. Written values differ from each other. */
const REQUESTS = {
  get: (draw) => query({ sql: GET, params: { id: randomItem(draw) } }),
  getOwned: ({ random, rows }) =>
    query({
      sql: 'GET id, value FROM owned WHERE owner = :owner AND id = :id',
      params: { owner: OWNER, id: random.below(rows) },
    }),
  set: (draw) => {
    const value = itemValue(draw.random, draw.sequence)
    return query(setStatement(ITEMS, randomItem(draw), [[0, value]]))
  },
  batchOfGets: (draw) => {
    const statements = Array.from({ length: BATCH_SIZE }, () => {
      return { sql: GET, params: { id: randomItem(draw) } }
    })
    return query({ statements })
  },
  row: (draw) => ({ path: `/v1/tables/item/rows/${randomItem(draw)}` }),
  shortScan: ({ random, rows }) => {
    const first = random.below(Math.max(1, rows - SHORT_SCAN_ROWS))
    return query({
      sql: 'SCAN id, value FROM item WHERE id >= :first AND id < :end',
      params: { first: itemId(first), end: itemId(first + SHORT_SCAN_ROWS) },
    })
  },
  transfer: ({ random, rows }) => query(transferRequest(ACCOUNTS, ...twoAccounts(random, rows))),
  skewedTransfer: ({ random, rows }) =>
    query(transferRequest(ACCOUNTS, ...twoSkewedAccounts(random, rows))),
  scan: ({ rows }) =>
    query({ sql: 'SCAN id, value FROM item', pageSize: Math.min(rows, PAGE_ROWS_MAX) }),
} as const satisfies Record<string, (draw: Draw) => Request>

export async function openWorkload(
  settings: HttpSettings,
  options: LoadOptions,
): Promise<Workload> {
  const client = new HttpClient(settings.origin, options.clients, settings.token)
  const random = new Random(options.seed)
  const retries = new Retries()
  const make: (draw: Draw) => Request = REQUESTS[settings.request]
  return {
    operate(_client, sequence) {
      const { path, body } = make({ random, rows: settings.rows, sequence })
      const text = body === undefined ? body : JSON.stringify(body)
      return retries.run(() => client.ask(settings.path ?? path, text))
    },
    takeFigures: () => ({ retries: retries.take() }),
    close: async () => client.close(),
  }
}

/** One request of this name, for rows of which there are as many. */
export function exampleRequest(name: keyof typeof REQUESTS, rows: number): Request {
  return REQUESTS[name]({ random: new Random(1), rows, sequence: 1 })
}

function query(body: unknown): Request {
  return { path: '/v1/query', body }
}
