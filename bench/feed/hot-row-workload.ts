// SPDX-License-Identifier: Apache-2.0
import { HttpClient, Retries } from '../load/http-client.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'

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
export async function openWorkload(
  { origin, kind }: HotRowSettings,
  { clients }: LoadOptions,
): Promise<Workload> {
  const client = new HttpClient(origin, clients)
  // After several attempts the server gives up; how many those were, it does not say, so they count as one.
  const retries = new Retries()
  let trades = 0
  return {
    async operate() {
      trades += 1
      const tell = { sql: TELL[kind], ...(kind === 'strong' ? { params: [trades] } : {}) }
      const insert = { sql: 'INSERT INTO trade (id, broker) VALUES ($1, 1)', params: [trades] }
      const body = JSON.stringify({ statements: [insert, tell] })
      const answer = await retries.run(() => client.ask('/v1/query', body))
      retries.add(JSON.parse(answer).attempts - 1)
    },
    takeFigures: () => ({ conflicts: retries.take() }),
    close: async () => client.close(),
  }
}
