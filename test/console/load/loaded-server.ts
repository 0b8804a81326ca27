// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { RawSocket } from '../../../bench/feed/raw-socket.ts'
import { itemId } from '../../../bench/load/data.ts'
import { HttpClient } from '../../../bench/load/http-client.ts'
import { ALL_LIMITS } from '../../../server/limits.ts'
import { ServerProcess } from '../../server/server-process.ts'

export const ROWS = 100_000
export const CHANGES_PER_SECOND = 1_000
export const SUBSCRIPTIONS = 10_000

const ROWS_POSTED = 1_000
const ROWS_PER_COMMIT = 10
const HOT_COMMIT = 10
const COMMIT_EVERY_MS = (1_000 * ROWS_PER_COMMIT) / CHANGES_PER_SECOND
const VALUE = 'v'.repeat(60)
/** Commits under way; so many more wait than there ought to be. */
const CONNECTIONS = 8
const SUBSCRIBED = Buffer.from('{"type":"subscribed"')

/** A real server with rows, changes of them and subscriptions to them, as an application has. */
export class LoadedServer {
  readonly #server: ServerProcess
  readonly #client: HttpClient
  readonly #sockets: RawSocket[] = []
  readonly #ending = new AbortController()
  #writing: Promise<void> = Promise.resolve()
  #subscribed = 0
  #changes = 0

  private constructor(server: ServerProcess) {
    this.#server = server
    this.#client = new HttpClient(server.url, CONNECTIONS)
  }

  static async start(dataDirectory: string): Promise<LoadedServer> {
    return new LoadedServer(await ServerProcess.start(dataDirectory))
  }

  get url(): string {
    return this.#server.url
  }

  /** Rows that were changed so far. */
  get changes(): number {
    return this.#changes
  }

  /** Makes the table, in the form that the GETs of bench/load read. */
  async fill(): Promise<void> {
    await this.#query('CREATE TABLE item (id TEXT PRIMARY KEY, value TEXT, count INTEGER)')
    await this.#query('CREATE WEAK OBSERVER nobody ON item (value)')
    for (let from = 0; from < ROWS; from += ROWS_POSTED) {
      const rows = Array.from({ length: ROWS_POSTED }, (_, at) => {
        return { id: itemId(from + at), value: VALUE, count: 0 }
      })
      await this.#client.ask('/v1/tables/item/rows', JSON.stringify(rows))
    }
  }

  /** Each to a row of its own, by as many sockets as that takes. */
  async subscribe(): Promise<void> {
    const perSocket = ALL_LIMITS.socketSubscriptionsMax
    for (let from = 0; from < SUBSCRIPTIONS; from += perSocket) {
      const socket = await RawSocket.open(this.url, (buffer, start) => {
        const end = start + SUBSCRIBED.length
        if (buffer.compare(SUBSCRIBED, 0, SUBSCRIBED.length, start, end) === 0)
          this.#subscribed += 1
      })
      this.#sockets.push(socket)
      for (let at = 0; at < perSocket; at += 1) {
        const row = ((from + at) * ROWS) / SUBSCRIPTIONS
        const sql = `GET * FROM item WHERE id = '${itemId(row)}'`
        socket.send({ type: 'subscribe', id: `s${at}`, sql })
      }
      while (this.#subscribed < from + perSocket) await delay(1)
    }
  }

  /** Begins to change rows, through the whole table again and again. */
  change(): void {
    this.#writing = this.#change()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#writing
    for (const socket of this.#sockets) socket.close()
    this.#client.close()
    await this.#server.stop()
  }

  async #change(): Promise<void> {
    const { signal } = this.#ending
    const startedMs = performance.now()
    for (let commit = 0; !signal.aborted; commit += 1) {
      const early = startedMs + commit * COMMIT_EVERY_MS - performance.now()
      if (early > 0) await delay(early)
      // Some rows are hot: each of them is changed ten times a second.
      const from = commit % HOT_COMMIT === 0 ? 0 : (commit * ROWS_PER_COMMIT) % ROWS
      const [first, last] = [itemId(from), itemId(from + ROWS_PER_COMMIT - 1)]
      const where = `id >= '${first}' AND id <= '${last}'`
      await this.#query(`SET count = count + 1 ON item WHERE ${where}`)
      this.#changes += ROWS_PER_COMMIT
    }
  }

  async #query(sql: string): Promise<void> {
    await this.#client.ask('/v1/query', JSON.stringify({ sql }))
  }
}
