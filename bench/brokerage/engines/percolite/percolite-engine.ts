// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { HttpClient, UnexpectedAnswer } from '../../../load/http-client.ts'
import type { MeasuredServer } from '../../../servers/measured-server.ts'
import {
  moveDatabase,
  type PercoliteOptions,
  type PercoliteServer,
  startGateway,
  startPercolite,
} from '../../../servers/percolite-server.ts'
import { folderBytes } from '../../../servers/process-figures.ts'
import type { BeginOptions, BulkLoader, Engine, Session, Transaction } from '../../engine.ts'
import { loadDataDirectory } from '../../loading/percolite-loader.ts'
import type { ColumnOf, IndexOf, TableName } from '../../schema/schema.ts'
import { putCents } from '../amounts.ts'
import { type AnyRow, BufferedTransaction } from '../buffered-transaction.ts'
import { walkStatement } from './percolite-statements.ts'
import { interactiveSteps, snapshotSteps } from './percolite-steps.ts'
import { abortOfCode, abortOfLoss, type PercoliteRequests, QuerySocket } from './query-socket.ts'

/** Half of what the server lets run on one socket. */
const QUERIES_PER_SOCKET = 16

/** Requests over as few sockets as carry so many at once; each goes over the one with the fewest. */
function socketRequests(origin: string, requestsAtOnce: number): PercoliteRequests {
  const count = Math.ceil(requestsAtOnce / QUERIES_PER_SOCKET)
  const sockets = Array.from({ length: count }, () => new QuerySocket(origin))
  return {
    ask(request, options) {
      const freest = sockets.reduce((least, socket) => {
        return socket.underWay < least.underWay ? socket : least
      })
      return freest.ask(request, options)
    },
    async close() {
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}

/** Each request is a `POST /v1/query`, those of open transactions as well. */
function httpRequests(origin: string, connections: number): PercoliteRequests {
  const http = new HttpClient(origin, connections)
  return {
    async ask(request, { commits = false } = {}) {
      try {
        return JSON.parse(await http.ask('/v1/query', JSON.stringify(request)))
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw abortOfCode(codeOf(error.text), error)
        throw abortOfLoss(error, commits)
      }
    },
    close: async () => http.close(),
  }
}

function codeOf(text: string): string {
  try {
    return String(JSON.parse(text).code)
  } catch {
    return ''
  }
}

const WALK_ROWS = 10_000
/** Over a store on the network that was there before. */
const GATEWAYS = 2

const WAYS = {
  http: { words: 'HTTP', open: httpRequests },
  ws: { words: 'its WebSocket, which all sessions share', open: socketRequests },
} as const

type PercoliteWay = keyof typeof WAYS

export type EngineSettings = {
  /** Empty, and its own. */
  readonly folder: string
  readonly percolite: PercoliteOptions
  /** Requests that are under way at once. */
  readonly connections: number
}

/** Percolite as `npm start` runs it: a process of its own, asked over HTTP or its WebSocket. */
export class PercoliteEngine implements Engine {
  readonly name: string
  readonly description: string
  readonly #way: PercoliteWay
  readonly #folder: string
  readonly #options: PercoliteOptions
  /** Empty, or where the database is to be moved to. */
  readonly #store: string
  readonly #connections: number
  readonly #gateways: number
  /** The store on the network, where it is the engine's own. */
  readonly #ownStore: MeasuredServer | undefined
  /** One, or several over a store on the network; sessions take turns. */
  #servers: PercoliteServer[] = []
  #requests: PercoliteRequests[] = []
  #sessions = 0
  /** Whether the database is in the store on the network. */
  #isElsewhere: boolean

  constructor(
    way: PercoliteWay,
    { folder, percolite, connections }: EngineSettings,
    /** Started for this engine alone, and closed with it: its processor time counts as the engine's. */
    own: {
      readonly ownStore?: { readonly at: string; readonly server: MeasuredServer }
      readonly gateways?: number
    } = {},
  ) {
    this.name = `percolite-${way}`
    this.#store = own.ownStore?.at ?? percolite.store ?? ''
    this.#ownStore = own.ownStore?.server
    this.#gateways = own.gateways ?? GATEWAYS
    const where =
      this.#store === ''
        ? 'a process of its own on this machine, snapshot isolation, on disk before a commit is acknowledged'
        : `${this.#gateways === 1 ? 'one process' : `${this.#gateways} processes`} over ${this.#store}, snapshot isolation`
    this.description = `percolite over ${WAYS[way].words}, ${where}, one request for each step of a transaction`
    this.#isElsewhere = this.#store !== '' && percolite.move !== 'yes'
    this.#way = way
    this.#folder = folder
    this.#options = percolite
    this.#connections = connections
  }

  get processIds(): readonly number[] {
    const servers = this.#ownStore === undefined ? [] : [this.#ownStore]
    return [...this.#servers, ...servers].map(({ pid }) => pid)
  }

  /** The rows are put into the data directory before the server begins, or before it is moved. */
  async load(fill: (loader: BulkLoader) => Promise<void>): Promise<void> {
    await loadDataDirectory(join(this.#folder, 'data'), fill)
    if (this.#isElsewhere)
      await moveDatabase(join(this.#folder, 'data'), this.#store, this.#options)
    await this.#start()
  }

  /** The sessions go on with the servers of the other store. */
  async moveAway(): Promise<void> {
    const before = [...this.#servers, ...this.#requests]
    await moveDatabase(this.#running.origin, this.#store, this.#options)
    this.#isElsewhere = true
    await this.#start()
    for (const one of before) await one.close()
  }

  async connect(): Promise<Session> {
    const session = this.#sessions
    this.#sessions += 1
    return {
      begin: async (options) => this.#begin(session, options),
      close: async () => {},
    }
  }

  async *walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    columns: readonly C[],
    { index }: { readonly index?: IndexOf<T> } = {},
  ) {
    const body = { ...walkStatement(table, columns, index), pageSize: WALK_ROWS }
    let cursor: string | undefined
    do {
      const answer = (await this.#running.query(
        cursor === undefined ? body : { ...body, cursor },
      )) as { readonly results: readonly [{ readonly rows: AnyRow[] }]; readonly cursor?: string }
      yield putCents(table, columns, answer.results[0].rows) as never
      cursor = answer.cursor
    } while (cursor !== undefined)
  }

  async diskBytes(): Promise<number> {
    return this.#isElsewhere ? 0 : await folderBytes(join(this.#folder, 'data'))
  }

  async storeRequests(): Promise<number | undefined> {
    if (!this.#isElsewhere) return undefined
    const counts = await Promise.all(this.#servers.map((server) => server.storeRequests()))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async killAndRestart(): Promise<void> {
    for (const server of this.#servers) await server.kill()
    for (const requests of this.#requests) await requests.close()
    await this.#start()
  }

  async close(): Promise<void> {
    for (const requests of this.#requests) await requests.close()
    for (const server of this.#servers) await server.close()
    await this.#ownStore?.close()
  }

  get #running(): PercoliteServer {
    const [server] = this.#servers
    if (server === undefined) throw new Error('the server has not been started')
    return server
  }

  async #start(): Promise<void> {
    this.#servers = []
    if (!this.#isElsewhere) this.#servers.push(await this.#startOwn())
    while (this.#isElsewhere && this.#servers.length < this.#gateways) {
      const folder = join(this.#folder, `gateway-${this.#servers.length}`)
      this.#servers.push(await startGateway(folder, this.#store, this.#options))
    }
    const { open } = WAYS[this.#way]
    this.#requests = this.#servers.map(({ origin }) => open(origin, this.#connections))
  }

  async #startOwn(): Promise<PercoliteServer> {
    const { 'server-flags': flags = '' } = this.#options
    const allowed = this.#store === '' ? flags : `${flags} --allow-move`
    return await startPercolite(this.#folder, { ...this.#options, 'server-flags': allowed })
  }

  /**
   * What only reads, or writes new rows only, needs no transaction that stays open: its steps read the
   * snapshot of the first one, and all its writes are one request.
   */
  #begin(session: number, { readOnly = false, insertsOnly = false }: BeginOptions): Transaction {
    const requests = this.#requests[session % this.#requests.length] as PercoliteRequests
    const steps = readOnly || insertsOnly ? snapshotSteps : interactiveSteps
    return new BufferedTransaction(steps(requests))
  }
}
