// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LockstepCellStore } from '../../bench/engines/lockstep-cell-store.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../storage/storage.ts'
import { ManualClock } from '../manual-clock.ts'
import { startTestServer } from '../server/test-server.ts'

/** Longer than the commits of secondaries take, which nobody waits for. */
const SETTLE_MS = 20

const SCHEMA = [
  'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)',
  'CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)',
  'CREATE INDEX itemByN ON item (n)',
  'INSERT INTO account (id, balance) VALUES (1, 10), (2, 10), (3, 1)',
  'INSERT INTO item (id, n) VALUES (1, 10)',
]

/**
 * What each request asks of the store until it is answered, and how often it has to wait for that: the price of a store
 * over the network. A change that adds to it fails here; one that takes from it is written down.
 */
const REQUESTS = [
  ['GET * FROM account WHERE id = 1', 2, 2],
  ['SCAN * FROM account USE PRIMARY KEY', 2, 2],
  ['SET balance = 5 ON account WHERE id = 1', 5, 4],
  ['SET balance = balance + 5 ON account WHERE id = 1', 6, 5],
  ['INSERT INTO account (id, balance) VALUES (7, 1)', 6, 5],
  [
    'SET balance = balance - 1 ON account WHERE id = 1; SET balance = balance + 1 ON account WHERE id = 2',
    ...([7, 5] as const),
  ],
  [
    'GET * FROM account WHERE id = 1; GET * FROM item WHERE id = 1; CHECK balance > 0 ON account WHERE id = 2; ' +
      'SET balance = balance + 1 ON account WHERE id = 3; DELETE FROM account WHERE id IN (5, 6)',
    ...([7, 5] as const),
  ],
  [
    'GET balance FROM account WHERE id = 3 INTO :a; GET balance FROM account WHERE id = 2 INTO :b; ' +
      'GET * FROM account WHERE id = :b; SET balance = :a ON account WHERE id = 1',
    ...([7, 6] as const),
  ],
  ['SET n = n + 1 ON item WHERE id = 1', 8, 5],
  ['DELETE FROM account WHERE id = 7', 6, 5],
] as const

async function gateway(t: TestContext) {
  const clock = new ManualClock({ wallMicros: 1_800_000_000_000_000 })
  const store = new LockstepCellStore(new MemoryCellStore(), () => clock.advance(1))
  const storage = await openGateway(store, { clock })
  const server = await startTestServer(t, { deps: { storage, clock } })
  const run = async (sql: string) => {
    const { status, text } = await server.query(sql)
    assert.equal(status, 200, text)
  }
  const settle = async () => {
    await clock.advance(SETTLE_MS)
    await store.quiet()
  }
  return { store, run, settle }
}

test('a request asks the store as often as it has to, and waits for what it must', async (t) => {
  const { store, run, settle } = await gateway(t)
  for (const sql of SCHEMA) await run(sql)
  for (const [sql, calls, waits] of REQUESTS) {
    await settle()
    const asked = await store.count(() => run(sql))
    t.diagnostic(`${sql}: ${asked.said}`)
    assert.deepEqual([asked.calls, asked.waits], [calls, waits], `${sql}: ${asked.said}`)
  }
})
