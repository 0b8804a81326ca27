// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../storage/storage.ts'
import type { ClientKey } from '../budgets/client-key.ts'
import { clientOverloaded } from '../errors/server-error.ts'
import { SERVER_LIMITS } from '../limits.ts'

const MINUTE_MS = 60_000
/** Clients that are remembered; beyond that all are forgotten, and guess no faster than so many addresses let them. */
const CLIENTS_MAX = 10_000

/** How often each client has shown a wrong token lately: whoever guesses waits, and costs no hash meanwhile. */
export class FailedAttempts {
  readonly #clock: Clock
  readonly #clients = new Map<ClientKey, { count: number; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws ServerError `client_overloaded` while there were too many. Nobody is asked for where nobody failed. */
  check(clientOf: () => ClientKey): void {
    if (this.#clients.size === 0) return
    const client = clientOf()
    const known = this.#clients.get(client)
    if (known === undefined) return
    if (this.#clock.monotonicMs() - known.sinceMs >= MINUTE_MS) {
      this.#clients.delete(client)
      return
    }
    const { failedTokensMax } = SERVER_LIMITS
    if (known.count < failedTokensMax) return
    const detail = 'Too many wrong tokens came from this client.'
    throw clientOverloaded('failedTokensMax', failedTokensMax, known.count, detail)
  }

  note(client: ClientKey): void {
    const known = this.#clients.get(client)
    if (known !== undefined) {
      known.count += 1
      return
    }
    if (this.#clients.size >= CLIENTS_MAX) this.#clients.clear()
    this.#clients.set(client, { count: 1, sinceMs: this.#clock.monotonicMs() })
  }
}
