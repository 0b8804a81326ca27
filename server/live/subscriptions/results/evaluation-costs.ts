// SPDX-License-Identifier: Apache-2.0
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { Permits } from '../permits.ts'

/** A live result spends at most this part of a core on its evaluations. */
export const RESULT_PART = 1 / 10
/** All live results of one client together. */
const CLIENT_PART = 1 / 4
/** A client may be ahead of its part by so much. */
const BURST_MS = 500
/** Evaluations of one client at a time: the others wait, and those of other clients do not. */
const CLIENT_EVALUATIONS_MAX = 2

/** What the evaluations of each client have taken, of which it pays a part where others have them too. */
export class EvaluationCosts {
  /** When what a client has spent is made up for, on a clock that never goes back. */
  readonly #paidAtMs = new Map<ClientKey, number>()
  readonly #permits = new Map<ClientKey, { readonly permits: Permits; users: number }>()

  /** Runs an evaluation of the client, when it has room for one more. */
  async run<T>(client: ClientKey, work: () => Promise<T>): Promise<T> {
    const own = this.#permits.get(client) ?? {
      permits: new Permits(CLIENT_EVALUATIONS_MAX),
      users: 0,
    }
    this.#permits.set(client, own)
    own.users += 1
    try {
      return await own.permits.run(client, work)
    } finally {
      own.users -= 1
      if (own.users === 0) this.#permits.delete(client)
    }
  }

  /** How long the client has to wait for another evaluation; 0 where it may have one now. */
  waitMs(client: ClientKey, nowMs: number): number {
    const paidAtMs = this.#paidAtMs.get(client)
    if (paidAtMs === undefined) return 0
    if (paidAtMs <= nowMs) this.#paidAtMs.delete(client)
    return Math.max(0, paidAtMs - nowMs - BURST_MS)
  }

  /** Divides what an evaluation took evenly among the clients that were told of it. */
  spend(clients: ReadonlySet<ClientKey>, tookMs: number, nowMs: number): void {
    const eachMs = tookMs / clients.size / CLIENT_PART
    for (const client of clients) {
      const paidAtMs = Math.max(this.#paidAtMs.get(client) ?? nowMs, nowMs)
      this.#paidAtMs.set(client, paidAtMs + eachMs)
    }
  }
}
