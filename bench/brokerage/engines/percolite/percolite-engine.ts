// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { folderBytes } from '../../../servers/folder-bytes.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../../../servers/percolite-server.ts'
import type {
  BeginOptions,
  BulkLoader,
  Engine,
  Observation,
  ObserverFailed,
  ObserverRun,
  Session,
  Transaction,
} from '../../engine.ts'
import { loadDataDirectory } from '../../loading/percolite-loader.ts'
import type { ColumnOf, IndexOf, TableName } from '../../schema/schema.ts'
import type { AnyRow } from '../buffered-transaction.ts'
import { BufferedTransaction } from '../buffered-transaction.ts'
import { httpRequests } from './http-requests.ts'
import type { PercoliteRequests } from './percolite-requests.ts'
import { createObserverStatement, observerOf, walkStatement } from './percolite-statements.ts'
import { InteractiveSteps, SnapshotSteps } from './percolite-steps.ts'
import { SocketObservation } from './socket-observation.ts'
import { socketRequests } from './socket-requests.ts'

const WALK_ROWS = 10_000

const WAYS = {
  http: { words: 'HTTP', open: httpRequests },
  ws: { words: 'its WebSocket, which all sessions share', open: socketRequests },
} as const

export type PercoliteWay = keyof typeof WAYS

type Observed = {
  readonly table: TableName
  readonly run: ObserverRun
  readonly failed: ObserverFailed
  observation: SocketObservation
}

/** Percolite as `npm start` runs it: a process of its own, asked over HTTP or its WebSocket. */
export class PercoliteEngine implements Engine {
  readonly name: string
  readonly description: string
  readonly #way: PercoliteWay
  readonly #folder: string
  readonly #options: PercoliteOptions
  readonly #connections: number
  #server: PercoliteServer | undefined
  #requests: PercoliteRequests | undefined
  #observed: Observed | undefined

  constructor(order: {
    readonly way: PercoliteWay
    readonly folder: string
    readonly options: PercoliteOptions
    readonly connections: number
  }) {
    this.name = `percolite-${order.way}`
    this.description = `percolite over ${WAYS[order.way].words}, a process of its own on this machine, snapshot isolation, on disk before a commit is acknowledged, one request for each step of a transaction`
    this.#way = order.way
    this.#folder = order.folder
    this.#options = order.options
    this.#connections = order.connections
  }

  get processId(): number {
    return this.#running.pid
  }

  /** The rows are put into the data directory before the server begins. */
  async load(fill: (loader: BulkLoader) => Promise<void>): Promise<void> {
    await loadDataDirectory(join(this.#folder, 'data'), fill)
    await this.#start()
  }

  async connect(): Promise<Session> {
    return {
      begin: async (options) => this.#begin(options),
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
      yield answer.results[0].rows as never
      cursor = answer.cursor
    } while (cursor !== undefined)
  }

  async observe(table: TableName, run: ObserverRun, failed: ObserverFailed): Promise<Observation> {
    await this.#running.query({ sql: createObserverStatement(table).sql })
    const order = { table, run, failed }
    const observed = { ...order, observation: this.#observation(order) }
    this.#observed = observed
    return { stop: () => observed.observation.stop() }
  }

  async diskBytes(): Promise<number> {
    return await folderBytes(join(this.#folder, 'data'))
  }

  async killAndRestart(): Promise<void> {
    await this.#running.kill()
    await this.#requests?.close()
    this.#observed?.observation.abandon()
    await this.#start()
    if (this.#observed === undefined) return
    this.#observed.observation = this.#observation(this.#observed)
  }

  async close(): Promise<void> {
    await this.#requests?.close()
    await this.#server?.close()
  }

  get #running(): PercoliteServer {
    if (this.#server === undefined) throw new Error('the server has not been started')
    return this.#server
  }

  async #start(): Promise<void> {
    this.#server = await startPercolite(this.#folder, this.#options)
    this.#requests = WAYS[this.#way].open(this.#server.origin, this.#connections)
  }

  #observation({ table, run, failed }: Omit<Observed, 'observation'>): SocketObservation {
    return new SocketObservation(this.#running.origin, observerOf(table), { run, failed })
  }

  /**
   * What only reads, or writes new rows only, needs no transaction that stays open: its steps read the
   * snapshot of the first one, and all its writes are one request.
   */
  #begin({ readOnly = false, insertsOnly = false }: BeginOptions): Transaction {
    const requests = this.#requests as PercoliteRequests
    const Steps = readOnly || insertsOnly ? SnapshotSteps : InteractiveSteps
    return new BufferedTransaction(new Steps(requests))
  }
}
