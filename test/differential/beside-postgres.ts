// SPDX-License-Identifier: Apache-2.0
import type { withClient } from '../../bench/servers/postgres-server.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { SqlSession } from '../sql-session.ts'
import { Chooser } from './random/random-table.ts'

export type Client = Parameters<Parameters<typeof withClient>[1]>[0]

/** An empty store and a PostgreSQL that are asked the same, and what came of it. */
export type Sides<Counts> = {
  readonly choose: Chooser
  readonly session: SqlSession
  readonly client: Client
  readonly counts: Counts
}

/** Resolves to `counts` after `compare`, whose choices are those of the seed. */
export async function besidePostgres<Counts>(
  client: Client,
  seed: number,
  counts: Counts,
  compare: (sides: Sides<Counts>) => Promise<void>,
): Promise<Counts> {
  const choose = new Chooser(new SeededRandomness(seed))
  const session = await SqlSession.open()
  try {
    await compare({ choose, session, client, counts })
    return counts
  } finally {
    await session.close()
  }
}
