// SPDX-License-Identifier: Apache-2.0
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerCounts } from './answer-counts.ts'
import { ask, readWhole } from './ask.ts'
import type { HeavyKind } from './heavy-requests.ts'

/** For how long an answer that nobody reads is left where it is. */
const UNREAD_MS = 3_000
/** Within so long all of its connections have begun. */
const STARTING_MS = 1_000
/** Its requests come again long before `Retry-After` says so. */
const AGAIN_MS = 250

/** One client that has as many requests under way as it has connections, all the time. */
export class HeavyClient {
  readonly counts = new AnswerCounts()
  readonly name: string
  readonly #url: string
  readonly #kind: HeavyKind
  readonly #localAddress: string
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY })
  readonly #leaving = new AbortController()
  #working: Promise<unknown> = Promise.resolve()
  #count = 0

  constructor(url: string, kind: HeavyKind, localAddress: string) {
    this.#url = url
    this.#kind = kind
    this.#localAddress = localAddress
    this.name = kind.name
  }

  /** Resolves when all connections are open. */
  async open(connections: number): Promise<void> {
    const through = { agent: this.#agent, localAddress: this.#localAddress }
    const hello = async () =>
      readWhole(await ask(this.#url, { method: 'GET', path: '/healthz' }, through))
    await Promise.all(Array.from({ length: connections }, hello))
  }

  start(connections: number): void {
    const all = Array.from({ length: connections }, async (_, at) => {
      await sleep((at / connections) * STARTING_MS)
      await this.#work()
    })
    this.#working = Promise.all(all)
  }

  /** Leaves with all that is under way. */
  async stop(): Promise<void> {
    this.#leaving.abort()
    // Otherwise the system goes on sending what it has of a body, for as long as that takes.
    for (const socket of Object.values(this.#agent.sockets).flat()) socket?.resetAndDestroy()
    this.#agent.destroy()
    await this.#working
  }

  async #work(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      const next = this.#kind.next(this.#count++)
      try {
        await this.#askOnce(next)
      } catch {
        if (!signal.aborted) this.counts.broken += 1
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #askOnce(next: Parameters<typeof ask>[1]): Promise<void> {
    const { signal } = this.#leaving
    const through = { agent: this.#agent, localAddress: this.#localAddress }
    const answer = await ask(this.#url, next, through)
    this.counts.add(answer)
    if (this.#kind.isRead || answer.statusCode !== 200) return await readWhole(answer)
    answer.on('error', () => undefined)
    await sleep(UNREAD_MS, undefined, { signal }).catch(() => undefined)
    answer.destroy()
  }
}
