// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { ClientKey } from '../budgets/client-key.ts'
import { unauthenticated } from './principal.ts'

const MINUTE_MS = 60_000
/** Clients that are remembered; beyond that all are forgotten, and guess no faster than so many addresses let them. */
const CLIENTS_MAX = 10_000

/**
 * How often each client has shown a wrong token lately. It refuses wrong ones alone: to tell that one is right takes
 * less than to answer at all, and others may come from the same address.
 */
export class FailedAttempts {
  readonly #clock: Clock
  readonly #clients = new Map<ClientKey, { count: number; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a wrong token. Returns what its client is told: that it is wrong, or that there were too many. */
  refusal(client: ClientKey): ServerError {
    const nowMs = this.#clock.monotonicMs()
    let known = this.#clients.get(client)
    if (known === undefined || nowMs - known.sinceMs >= MINUTE_MS) {
      if (this.#clients.size >= CLIENTS_MAX) this.#clients.clear()
      known = { count: 0, sinceMs: nowMs }
      this.#clients.set(client, known)
    }
    known.count += 1
    const { failedTokensMax: limitValue } = SERVER_LIMITS
    if (known.count <= limitValue) return unauthenticated()
    return new ServerError('client_overloaded', 'Too many wrong tokens came from this client.', {
      limit: 'failedTokensMax',
      limitValue,
      actual: known.count,
      retryAfterSeconds: Math.ceil((known.sinceMs + MINUTE_MS - nowMs) / 1_000),
      hint: 'Send a token that counts; a right one is let in at any time.',
    })
  }
}
