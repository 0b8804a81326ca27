// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ManualClock } from '../../../test/manual-clock.ts'
import { WatchedCellStore } from '../../../test/storage/watched-cell-store.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { StorageError } from '../../errors.ts'
import { silentLog } from '../../storage-log.ts'
import { EmbeddedOracle } from './embedded-oracle.ts'
import { readOracleState } from './oracle-row.ts'
import { SharedOracle } from './shared-oracle.ts'
import type { Stamp } from './timestamp-oracle.ts'

async function given() {
  const clock = new ManualClock()
  const cellStore = new WatchedCellStore(new MemoryCellStore())
  const open = (own = clock) => SharedOracle.open({ cellStore, clock: own, log: silentLog })
  return { clock, cellStore, open, oracle: await open() }
}

test('the first timestamp of an empty store is near the wall clock', async () => {
  const { clock, oracle } = await given()
  assert.equal((await oracle.next()).timestamp, clock.wallMicros() + 1)
})

test('a hundred waiting requests are one call of the store', async () => {
  const { cellStore, oracle } = await given()
  await oracle.next()
  cellStore.calls.length = 0
  const stamps = await Promise.all(Array.from({ length: 100 }, () => oracle.next()))
  assert.deepEqual(cellStore.calls, ['readModifyWriteRow'])
  const timestamps = stamps.map(({ timestamp }) => timestamp)
  assert.equal(new Set(timestamps).size, 100)
  assert.equal(Math.max(...timestamps), oracle.lastSeen())
})

test('requests that come while a call is under way wait for the next one', async () => {
  const { cellStore, oracle } = await given()
  await oracle.next()
  cellStore.calls.length = 0
  const call = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  cellStore.before = () => {
    begun.resolve()
    return call.promise
  }
  const early = oracle.next()
  await begun.promise
  const late = Promise.all(Array.from({ length: 10 }, () => oracle.next()))
  call.resolve()
  const { timestamp } = await early
  for (const stamp of await late) assert.ok(stamp.timestamp > timestamp)
  assert.deepEqual(cellStore.calls, ['readModifyWriteRow', 'readModifyWriteRow'])
})

test('a timestamp asked for after another was answered is larger, over several processes and lost answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      fc.array(
        fc.record({
          process: fc.nat(2),
          pause: fc.nat(3),
          jumpMs: fc.integer({ min: -9_000, max: 9_000 }),
        }),
        { minLength: 5, maxLength: 60 },
      ),
      async (chance, requests) => {
        const cellStore = new WatchedCellStore(new MemoryCellStore())
        const turns = async () => {
          for (let left = chance.next().value; left > 0; left--) await Promise.resolve()
        }
        cellStore.before = turns
        cellStore.after = async () => {
          await turns()
          if (chance.next().value === 0) throw new CellStoreError('ambiguous', 'Lost.')
        }
        const clocks = [0, -60_000, 60_000].map((offsetMs) => {
          return new ManualClock({ wallMicros: 1_800_000_000_000_000 + offsetMs * 1_000 })
        })
        const ticking = async <T>(work: Promise<T>): Promise<T> => {
          let done = false
          const ended = work.finally(() => {
            done = true
          })
          while (!done) await Promise.all(clocks.map((clock) => clock.advance(10)))
          return await ended
        }
        const oracles = await ticking(
          Promise.all(
            clocks.map((clock) => SharedOracle.open({ cellStore, clock, log: silentLog })),
          ),
        )
        let answered = 0
        const seen = new Set<number>()
        const asked = requests.map(async ({ process, pause, jumpMs }, at) => {
          for (let left = at * pause; left > 0; left--) await Promise.resolve()
          clocks[process]?.jumpWall(jumpMs)
          const before = answered
          const { timestamp } = await (oracles[process] as SharedOracle).next()
          assert.ok(timestamp > before, `${timestamp} was issued after ${before}`)
          assert.ok(!seen.has(timestamp), `${timestamp} was issued twice`)
          seen.add(timestamp)
          answered = Math.max(answered, timestamp)
        })
        await ticking(Promise.all(asked))
      },
    ),
    { numRuns: 60 },
  )
})

test('a counter more than a second behind is raised to the wall clock, and not before', async () => {
  const { clock, cellStore, oracle } = await given()
  const { timestamp } = await oracle.next()
  cellStore.calls.length = 0
  await clock.advance(1_000)
  assert.equal((await oracle.next()).timestamp, timestamp + 1)
  assert.deepEqual(cellStore.calls, ['readModifyWriteRow'])
  await clock.advance(1)
  // The answer does not wait for it.
  assert.equal((await oracle.next()).timestamp, timestamp + 2)
  assert.equal((await oracle.next()).timestamp, clock.wallMicros() + 1)
})

test('two processes that raise the counter at once do not drive it into the future', async () => {
  const { clock, open, oracle } = await given()
  const other = await open()
  await oracle.next()
  await clock.advance(60_000)
  const stamps = await Promise.all([oracle.next(), other.next()])
  for (const { timestamp } of stamps) assert.ok(timestamp <= clock.wallMicros() + 2)
})

test('a wall clock that is behind or leaps ahead does not move the counter', async () => {
  const { clock, open, oracle } = await given()
  const slow = new ManualClock({ wallMicros: clock.wallMicros() - 3_600_000_000 })
  const behind = await open(slow)
  const { timestamp } = await oracle.next()
  assert.equal((await behind.next()).timestamp, timestamp + 1)
  slow.jumpWall(10 * 3_600_000)
  assert.equal((await behind.next()).timestamp, timestamp + 2)
})

test('fences come with the timestamp to every process and never go back', async () => {
  const { clock, open, oracle } = await given()
  const other = await open()
  const { timestamp: first } = await oracle.next()
  const { timestamp: second } = await oracle.next()
  await oracle.raiseSchemaFence([7], second)
  await other.raiseSchemaFence([7], first)
  const raised = Promise.all([oracle.raiseSafePoint(second), other.raiseSafePoint(first)])
  await clock.advance(31_500)
  await raised
  const { schemaFence, safePoint } = await other.next([1, 7])
  assert.deepEqual({ schemaFence, safePoint }, { schemaFence: second, safePoint: second })
})

test('requests that share a call get the schema fences of their own tables', async () => {
  const { oracle } = await given()
  const { timestamp } = await oracle.next()
  await oracle.raiseSchemaFence([7, 7], timestamp)
  const stamps = await Promise.all([
    oracle.next([7]),
    oracle.next([8]),
    oracle.next(),
    oracle.next([23]),
  ])
  // Tables whose ids are 16 apart share a fence.
  assert.deepEqual(
    stamps.map(({ schemaFence }) => schemaFence),
    [timestamp, 0, 0, timestamp],
  )
})

test('the safe point is answered from a lease of thirty seconds and asked afresh after it', async () => {
  const { clock, cellStore, oracle } = await given()
  await oracle.next()
  cellStore.calls.length = 0
  await clock.advance(29_999)
  await oracle.currentSafePoint()
  assert.equal(cellStore.calls.length, 0)
  await clock.advance(1)
  await oracle.currentSafePoint()
  assert.ok(cellStore.calls.includes('readModifyWriteRow'))
})

test('where the disk is full the safe point is read, without a new timestamp', async () => {
  const { clock, cellStore, oracle } = await given()
  await oracle.next()
  await clock.advance(30_001)
  cellStore.before = async (call) => {
    if (call !== 'readModifyWriteRow') return
    throw new CellStoreError('full', 'The disk is full.')
  }
  assert.equal(await oracle.currentSafePoint(), 0)
})

test('the lease runs from before the safe point was asked for', async () => {
  const { clock, cellStore, oracle } = await given()
  await oracle.next()
  const call = Promise.withResolvers<void>()
  cellStore.after = () => call.promise
  const asked = oracle.next()
  await clock.advance(10_000)
  call.resolve()
  await asked
  cellStore.calls.length = 0
  await clock.advance(20_000)
  await oracle.currentSafePoint()
  assert.ok(cellStore.calls.includes('readModifyWriteRow'))
})

test('a safe point is acknowledged when no process can rely on an older one any more', async () => {
  const { clock, open, oracle } = await given()
  const other = await open()
  const { timestamp } = await oracle.next()
  await other.next()
  let acknowledged = false
  const raised = oracle.raiseSafePoint(timestamp).then(() => {
    acknowledged = true
  })
  await clock.advance(29_999)
  assert.equal(await other.currentSafePoint(), 0)
  await clock.advance(1_500)
  assert.equal(acknowledged, false)
  assert.equal(await other.currentSafePoint(), timestamp)
  await clock.advance(1)
  await raised
})

test('a store that does not answer for long is reported to all who wait', async () => {
  const { clock, cellStore, oracle } = await given()
  cellStore.before = async () => {
    throw new CellStoreError('notApplied', 'The store is away.')
  }
  const asked = Promise.allSettled([oracle.next(), oracle.next()])
  await clock.advance(60_000)
  for (const one of await asked) assert.equal(one.status, 'rejected')
  cellStore.before = async () => {}
  assert.ok((await oracle.next()).timestamp > 0)
})

test('close refuses what waits and ends the wait for a lease', async () => {
  const { oracle } = await given()
  const isClosed = (error: unknown) => error instanceof StorageError && error.code === 'closed'
  const { timestamp }: Stamp = await oracle.next()
  const raising = assert.rejects(oracle.raiseSafePoint(timestamp), isClosed)
  await new Promise((resolve) => setImmediate(resolve))
  const waiting = assert.rejects(oracle.next(), isClosed)
  await oracle.close()
  await raising
  await waiting
  await assert.rejects(oracle.next(), isClosed)
})

test('an embedded oracle goes on above a shared one over the same store, and the other way round', async () => {
  const { clock, cellStore, oracle } = await given()
  const { timestamp: first } = await oracle.next()
  clock.jumpWall(-3_500_000)
  const embedded = await EmbeddedOracle.open({ cellStore, clock, log: silentLog })
  const { timestamp: second } = await embedded.next()
  assert.ok(second > first)
  const { timestamp: mark } = await readOracleState(cellStore)
  const shared = await SharedOracle.open({ cellStore, clock, log: silentLog })
  assert.ok((await shared.next()).timestamp > mark)
})
