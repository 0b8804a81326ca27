// SPDX-License-Identifier: Apache-2.0
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerCounts } from './answer-counts.ts'
import { ask, type Request, readWhole } from './ask.ts'

/** Between two requests of one of them, on average. */
const IDLE_MS = 5_000
/** Within so long those come who are not connected at the beginning. */
const COMING_MS = 1_000
/** So many open their connections at the same moment, where the server has nothing else to do. */
const TOGETHER = 250

/** Many clients with a connection each, which stays open and is mostly idle. */
export class Crowd {
  readonly counts = new AnswerCounts()
  /** How long the slowest of their requests took. */
  slowestMs = 0
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #leaving = new AbortController()
  #working: Promise<unknown> = Promise.resolve()

  constructor(url: string) {
    this.#url = url
  }

  /** Resolves when so many connections are open. */
  async open(clients: number): Promise<void> {
    for (let first = 0; first < clients; first += TOGETHER) {
      const count = Math.min(TOGETHER, clients - first)
      await Promise.all(Array.from({ length: count }, (_, at) => this.#askOnce(first + at, 0)))
    }
  }

  /** Those that are connected ask now and then; the others come within a second, and do so too. */
  start({ connected, coming }: { readonly connected: number; readonly coming: number }): void {
    const all = Array.from({ length: connected + coming }, async (_, id) => {
      if (id >= connected) {
        await sleep(Math.random() * COMING_MS)
        await this.#askOnce(id, 0)
      }
      await this.#work(id)
    })
    this.#working = Promise.all(all)
  }

  async stop(): Promise<void> {
    this.#leaving.abort()
    this.#agent.destroy()
    await this.#working
  }

  async #work(id: number): Promise<void> {
    const { signal } = this.#leaving
    for (let time = id; !signal.aborted; time += 1) {
      await sleep(Math.random() * 2 * IDLE_MS, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await this.#askOnce(id, time)
    }
  }

  async #askOnce(id: number, time: number): Promise<void> {
    const beganMs = performance.now()
    const through = { agent: this.#agent, localAddress: addressOf(id) }
    try {
      const answer = await ask(this.#url, smallRequest(id, time), through)
      this.counts.add(answer)
      await readWhole(answer)
      this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
    } catch {
      if (!this.#leaving.signal.aborted) this.counts.broken += 1
    }
  }
}

/** Each is another client. */
function addressOf(id: number): string {
  return `127.1.${id >> 7}.${(id & 127) + 1}`
}

function smallRequest(id: number, time: number): Request {
  if (time % 2 === 0) return { method: 'GET', path: `/v1/tables/big/rows/${id}` }
  const body = JSON.stringify({
    sql: 'SET n = :n ON crowd WHERE id = :id',
    params: { id, n: time },
  })
  return { method: 'POST', path: '/v1/query', body: Buffer.from(body) }
}
