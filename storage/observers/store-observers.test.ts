// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../test/manual-clock.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { MemoryCellStore } from '../cells/memory/memory-cell-store.ts'
import { silentLog } from '../storage-log.ts'
import { type Catalog, createCatalog } from '../tables/catalog/catalog.ts'
import type { ObserverDefinition } from '../tables/table-definition.ts'
import type { TimestampOracle } from '../transactions/oracle/timestamp-oracle.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { nextTurn } from '../turns/turns.ts'
import { StoreObservers } from './store-observers.ts'

const ROW = { key: Buffer.from('a row'), at: 'start' } as const

/** A catalog with these observers, each active or paused. */
function catalogWith(states: Readonly<Record<string, ObserverDefinition['state']>>): Catalog {
  const observers = Object.entries(states).map(([name, state], position) => {
    return { id: position + 1, name, isWeak: false, columns: [1], state, isBackfilled: true }
  })
  const table = { id: 9, name: 'page', version: 1, columns: [], families: [], primaryKey: [] }
  const rest = { indexes: [], schedules: [], nextColumnId: 2, nextFamilyId: 1 }
  return createCatalog(1, [{ ...table, ...rest, observers } as never])
}

/** A transaction that finds nothing in the store. */
const TRANSACTION = {
  startTs: 5,
  rollback: () => undefined,
  async *scanRows() {},
} as unknown as Transaction

/** Observers whose looks at the catalog the test answers. */
function startObservers(t: TestContext, readCatalog: () => Promise<Catalog>) {
  const clock = new ManualClock()
  const cellStore = new MemoryCellStore()
  const observers = new StoreObservers({
    cellStore,
    storeNow: () => cellStore,
    oracle: { lastSeen: () => 5 } as unknown as TimestampOracle,
    clock,
    randomness: new SeededRandomness(1),
    log: silentLog,
    settle: () => Promise.reject(new Error('There is no lock.')),
    refusal: () => undefined,
    begin: async () => TRANSACTION,
    catalog: readCatalog,
    scanMs: 5_000,
  })
  t.after(() => observers.stop())
  return { observers, clock }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

test('an observer that is resumed while somebody asks for it the first time is not taken for paused', async (t) => {
  let now = catalogWith({ other: 'active', reader: 'paused' })
  const slow = Promise.withResolvers<Catalog>()
  let isSlow = false
  const { observers } = startObservers(t, () => (isSlow ? slow.promise : Promise.resolve(now)))
  const ended = new AbortController()
  const other = observers.lease('other', { signal: ended.signal }).catch(() => undefined)
  await turns()
  isSlow = true
  const old = now
  const leased = observers.lease('reader')
  await turns()
  isSlow = false
  now = catalogWith({ other: 'active', reader: 'active' })
  observers.catalogChanged()
  await turns()
  slow.resolve(old)
  await turns()
  observers.committed([{ ...ROW, observerId: 2 }], TRANSACTION, 6)
  assert.deepEqual((await leased).key, ROW.key)
  ended.abort()
  await other
})

test('a change of the catalog that could not be read at once is read later', async (t) => {
  let answer = async () => catalogWith({ reader: 'paused' })
  const { observers, clock } = startObservers(t, () => answer())
  const leased = observers.lease('reader')
  await turns()
  answer = () => Promise.reject(new Error('The store does not answer.'))
  observers.catalogChanged()
  await turns()
  answer = async () => catalogWith({ reader: 'active' })
  await clock.advance(1_000)
  await turns()
  observers.committed([{ ...ROW, observerId: 1 }], TRANSACTION, 6)
  assert.deepEqual((await leased).key, ROW.key)
})
