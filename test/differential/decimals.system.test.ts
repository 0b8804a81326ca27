// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { PeerMissing } from '../../bench/servers/executable.ts'
import { startPostgres, withClient } from '../../bench/servers/postgres-server.ts'
import type { Client } from './beside-postgres.ts'
import { compareDates } from './date-comparison.ts'
import { compareDecimals } from './decimal-comparison.ts'

const SECONDS = Number(process.env.DIFFERENTIAL_SECONDS ?? 4)
const SEED = process.env.DIFFERENTIAL_SEED

/** Replay one with `DIFFERENTIAL_SEED=<seed> node --test test/differential/decimals.system.test.ts`. */
test('random statements of DECIMALs, DATEs and rows of values answer what PostgreSQL answers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-decimals-'))
  t.after(() => rm(folder, { recursive: true }))
  const postgres = await startPostgres(folder).catch((error) => {
    if (error instanceof PeerMissing) return undefined
    throw error
  })
  if (postgres === undefined) return t.skip('there is no PostgreSQL')
  try {
    const first = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED)
    const until = performance.now() + SECONDS * 1_000
    const counted = { same: 0, refusedAlike: 0, rounded: 0, tooLong: 0, behindNull: 0 }
    const total = { tables: 0, ...counted, dates: 0 }
    await withClient(postgres.address, async (client) => {
      do {
        const seed = first + total.tables
        const counts = await compareBoth(client, seed).catch((error) => {
          throw new Error(`DIFFERENTIAL_SEED=${seed}`, { cause: error })
        })
        total.tables += 1
        for (const [name, count] of Object.entries(counts))
          total[name as keyof typeof counts] += count
      } while (SEED === undefined && performance.now() < until)
    })
    t.diagnostic(`from seed ${first}: ${JSON.stringify(total)}`)
    assert.ok(total.same > 2 * total.refusedAlike, JSON.stringify(total))
  } finally {
    await postgres.close()
  }
})

async function compareBoth(client: Client, seed: number) {
  const decimals = await compareDecimals(client, seed)
  const { same: dates } = await compareDates(client, seed)
  return { ...decimals, dates }
}
