// SPDX-License-Identifier: Apache-2.0
import { HttpClient, UnexpectedAnswer } from '../load/http-client.ts'
import type { LoadPlace, Workload } from '../load/workload.ts'

export type HotRowSettings = {
  readonly origin: string
  readonly kind: 'strong' | 'weak'
}

/** How the transaction lets the observer of the broker know: by writing the row, or by a hint. */
const TELL = {
  strong: 'SET trades = $1 ON broker WHERE id = 1',
  weak: 'NOTIFY fold ON broker WHERE id = 1',
} as const

/** Each operation inserts a trade of its own, and tells of the one broker that all of them have. */
class HotRowWorkload implements Workload {
  readonly #client: HttpClient
  readonly #kind: HotRowSettings['kind']
  #trades = 0
  #conflicts = 0

  constructor({ origin, kind }: HotRowSettings, { clients }: LoadPlace) {
    this.#client = new HttpClient(origin, clients)
    this.#kind = kind
  }

  async operate(): Promise<void> {
    this.#trades += 1
    const id = this.#trades
    const tell = { sql: TELL[this.#kind], ...(this.#kind === 'strong' ? { params: [id] } : {}) }
    const insert = { sql: 'INSERT INTO trade (id, broker) VALUES ($1, 1)', params: [id] }
    const body = JSON.stringify({ statements: [insert, tell] })
    for (;;) {
      try {
        const { attempts } = JSON.parse(await this.#client.post('/v1/query', body))
        this.#conflicts += attempts - 1
        return
      } catch (error) {
        // The server has tried several times by then; how often, it does not say, so it counts as one.
        if (!(error instanceof UnexpectedAnswer && error.retryable)) throw error
        this.#conflicts += 1
      }
    }
  }

  takeFigures(): Record<string, number> {
    const conflicts = this.#conflicts
    this.#conflicts = 0
    return { conflicts }
  }

  async close(): Promise<void> {
    this.#client.close()
  }
}

export async function openWorkload(settings: HotRowSettings, place: LoadPlace): Promise<Workload> {
  return new HotRowWorkload(settings, place)
}
