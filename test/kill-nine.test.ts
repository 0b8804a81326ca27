// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, type Database, PercoliteError } from '../client-sdk/client.ts'
import { SeededRandomness } from './seeded-randomness.ts'
import { ServerProcess } from './server-process.ts'

/**
 * `kill -9` in the middle of 64 clients' transfers, several times on one data directory. Each
 * transfer also inserts a row with an id of its own, so afterwards it can be told whether it is there.
 * `KILL_CYCLES` and `KILL_SEED` change the defaults.
 */
const CLIENTS = 64
const ACCOUNTS = 40
const OPENING = 1_000
const CYCLES = Number(process.env.KILL_CYCLES ?? 3)
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)

type Ledger = {
  readonly acknowledged: Set<string>
  readonly refused: Set<string>
  /** The answer never came. */
  readonly unknown: Set<string>
}

const account = (number: number) => `account-${number}`

async function transferForEver(
  db: Database,
  client: string,
  random: SeededRandomness,
  ledger: Ledger,
): Promise<void> {
  for (let round = 0; ; round += 1) {
    const id = `${client}-${round}`
    const from = random.below(ACCOUNTS)
    const to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS
    const params = { id, from: account(from), to: account(to), amount: random.below(50) }
    try {
      await db.execute([
        {
          sql: 'SET balance = balance - :amount ON account WHERE id = :from',
          params: pick(params, 'amount', 'from'),
        },
        {
          sql: 'SET balance = balance + :amount ON account WHERE id = :to',
          params: pick(params, 'amount', 'to'),
        },
        {
          sql: 'INSERT INTO transfer (id, amount) VALUES (:id, :amount)',
          params: pick(params, 'id', 'amount'),
        },
      ])
      ledger.acknowledged.add(id)
    } catch (error) {
      if (!(error instanceof PercoliteError)) throw error
      if (error.code === 'connection_failed') {
        ledger.unknown.add(id)
        return
      }
      assert.ok(error.retryable, `${error.code}: ${error.message}`)
      ledger.refused.add(id)
    }
  }
}

function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>
}

async function verify(db: Database, ledger: Ledger): Promise<void> {
  const { rows } = await db.query<{ balance: number }>('SCAN balance FROM account')
  const sum = rows.reduce((total, { balance }) => total + balance, 0)
  assert.equal(sum, ACCOUNTS * OPENING, 'no transfer is there by half')
  const present = new Set<string>()
  for await (const { id } of db.scan<{ id: string }>('SCAN id FROM transfer')) present.add(id)
  const lost = [...ledger.acknowledged].filter((id) => !present.has(id))
  assert.deepEqual(lost, [], 'every acknowledged transfer is there')
  const undead = [...ledger.refused].filter((id) => present.has(id))
  assert.deepEqual(undead, [], 'no refused transfer is there')
}

/** Milliseconds until no lock of the ended process stands any more. */
async function locksGone(url: string): Promise<number> {
  const start = performance.now()
  for (;;) {
    const answer = await fetch(`${url}/v1/locks`)
    const { locks } = (await answer.json()) as { locks: unknown[] }
    const elapsed = performance.now() - start
    if (locks.length === 0) return elapsed
    assert.ok(elapsed < 5_000, `${locks.length} locks stand 5 s after the start`)
  }
}

test(`kill -9 under 64 clients, ${CYCLES} times (KILL_SEED=${SEED})`, async (t) => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-kill-'))
  t.after(() => rm(dataDirectory, { recursive: true, force: true }))
  const random = new SeededRandomness(SEED)
  const ledger: Ledger = { acknowledged: new Set(), refused: new Set(), unknown: new Set() }

  let server = await ServerProcess.start(dataDirectory)
  const first = connect({ url: server.url })
  await first.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await first.query('CREATE TABLE transfer (id TEXT PRIMARY KEY, amount INTEGER NOT NULL)')
  await first.execute(
    Array.from({ length: ACCOUNTS }, (_, number) => ({
      sql: 'INSERT INTO account (id, balance) VALUES (:id, :balance)',
      params: { id: account(number), balance: OPENING },
    })),
  )
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const before = ledger.acknowledged.size
    const db = connect({ url: server.url })
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      transferForEver(db, `${cycle}-${client}`, random, ledger),
    )
    const killAt = performance.now() + 300 + random.below(1_500)
    while (performance.now() < killAt || ledger.acknowledged.size === before) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await server.killNine()
    await Promise.all(clients)
    const restart = performance.now()
    server = await ServerProcess.start(dataDirectory)
    const recoveryMs = performance.now() - restart
    const locksMs = await locksGone(server.url)
    await verify(connect({ url: server.url }), ledger)
    t.diagnostic(
      `cycle ${cycle}: ${ledger.acknowledged.size - before} acknowledged, ` +
        `${ledger.unknown.size} without an answer so far, ready after ${Math.round(recoveryMs)} ms, ` +
        `last lock gone ${Math.round(locksMs)} ms later`,
    )
  }
  assert.equal(await server.stop(), 0)
})
