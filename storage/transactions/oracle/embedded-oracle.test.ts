// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { WatchedCellStore } from '../../../test/storage/watched-cell-store.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { StorageError } from '../../errors.ts'
import { InvariantViolation } from '../../invariant.ts'
import { silentLog } from '../../storage-log.ts'
import { EmbeddedOracle } from './embedded-oracle.ts'
import { readOracleState } from './oracle-row.ts'

async function given() {
  const clock = new ManualClock()
  const cellStore = new WatchedCellStore(new MemoryCellStore())
  const open = (acceptClock = false) =>
    EmbeddedOracle.open({ cellStore, clock, log: silentLog, acceptClock })
  return { clock, cellStore, open, oracle: await open() }
}

test('timestamps are the wall clock and strictly increase, however many ask at once', async () => {
  const { clock, oracle } = await given()
  const stamps = await Promise.all(Array.from({ length: 1_000 }, () => oracle.next()))
  const timestamps = stamps.map(({ timestamp }) => timestamp)
  assert.deepEqual(
    timestamps,
    timestamps.map((_, at) => clock.wallMicros() + at),
  )
  await clock.advance(1_000)
  assert.equal((await oracle.next()).timestamp, clock.wallMicros())
  assert.equal(oracle.lastSeen(), clock.wallMicros())
})

test('nothing above the mark on disk is handed out, over hours of use', async () => {
  const { clock, cellStore, oracle } = await given()
  for (let step = 0; step < 500; step++) {
    await clock.advance([1, 500, 2_900, 3_100, 20_000][step % 5] as number)
    const { timestamp } = await oracle.next()
    const { timestamp: mark } = await readOracleState(cellStore)
    assert.ok(timestamp <= mark, `${timestamp} was issued under mark ${mark}`)
  }
})

test('the mark is raised ahead of need: nobody waits for a disk that takes seconds', async () => {
  const { clock, cellStore, oracle } = await given()
  const disk = Promise.withResolvers<void>()
  cellStore.before = () => disk.promise
  await clock.advance(600)
  const { timestamp: first } = await oracle.next()
  await clock.advance(3_000)
  const stamps = await Promise.all(Array.from({ length: 50 }, () => oracle.next()))
  assert.deepEqual(
    stamps.map(({ timestamp }) => timestamp),
    stamps.map((_, at) => first + 1 + at),
  )
  assert.equal(cellStore.calls.length, 2)

  disk.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(1)
  // This one needs a mark of its own, and is the wall clock again.
  assert.equal((await oracle.next()).timestamp, clock.wallMicros())
  assert.ok(cellStore.calls.length <= 4, `${cellStore.calls.length} calls`)
})

test('when nothing is left below the mark, who asks waits for the disk', async () => {
  const { clock, cellStore, oracle } = await given()
  await clock.advance(5_000)
  const disk = Promise.withResolvers<void>()
  cellStore.before = () => disk.promise
  const waiting = Promise.all(Array.from({ length: 50 }, () => oracle.next()))
  assert.equal(oracle.take(), undefined)
  disk.resolve()
  const timestamps = (await waiting).map(({ timestamp }) => timestamp)
  assert.equal(new Set(timestamps).size, 50)
  assert.ok(Math.min(...timestamps) >= clock.wallMicros())
})

test('a disk so slow that the clock passes each new mark: timestamps are answered all the same', async () => {
  const { clock, cellStore, oracle } = await given()
  cellStore.before = () => clock.advance(1_500)
  await clock.advance(5_000)
  const { timestamp: first } = await oracle.next()
  const { timestamp: second } = await oracle.next()
  assert.ok(second > first)
})

test('after a kill the next process goes on above everything issued, also with the clock set back', async () => {
  const { clock, open, oracle } = await given()
  await clock.advance(4_000)
  const { timestamp: issued } = await oracle.next()
  clock.jumpWall(-24 * 3_600_000)
  const reopened = await open(true)
  assert.ok(reopened.lastSeen() >= issued)
  const { timestamp: first } = await reopened.next()
  const { timestamp: second } = await reopened.next()
  assert.ok(first > issued)
  assert.equal(second, first + 1)
})

test('after a long rest the next process goes on at the wall clock', async () => {
  const { clock, open, oracle } = await given()
  await oracle.close()
  await clock.advance(3_600_000)
  assert.equal((await (await open()).next()).timestamp, clock.wallMicros())
})

test('closed and opened over and over, it stays with the wall clock', async () => {
  const { clock, open, oracle } = await given()
  const { timestamp: first } = await oracle.next()
  await oracle.close()
  let last = first
  for (let start = 0; start < 20; start += 1) {
    const reopened = await open()
    const { timestamp } = await reopened.next()
    assert.ok(timestamp > last)
    last = timestamp
    await reopened.close()
  }
  assert.equal(last, clock.wallMicros() + 20)
})

test('killed and started once a second, it stays within two seconds of the wall clock', async () => {
  const { clock, open, oracle } = await given()
  let { timestamp: last } = await oracle.next()
  for (let start = 0; start < 100; start += 1) {
    await clock.advance(1_000)
    const { timestamp } = await (await open()).next()
    assert.ok(timestamp > last)
    last = timestamp
  }
  assert.ok(last - clock.wallMicros() < 2_000_000, `${last - clock.wallMicros()} µs ahead`)
})

test('a clock that goes backwards: timestamps go on one by one', async () => {
  const { clock, oracle } = await given()
  const { timestamp } = await oracle.next()
  clock.jumpWall(-5_000)
  assert.equal((await oracle.next()).timestamp, timestamp + 1)
  clock.jumpWall(-3_600_000)
  assert.equal((await oracle.next()).timestamp, timestamp + 2)
})

test('a clock that leaps ahead by more than ten seconds is not followed', async () => {
  const { clock, oracle } = await given()
  const { timestamp } = await oracle.next()
  clock.jumpWall(10 * 365 * 24 * 3_600_000)
  await clock.advance(1_000)
  assert.equal((await oracle.next()).timestamp, timestamp + 1_000_000)
})

test('a schema fence concerns the tables named, and is answered with the next timestamp', async () => {
  const { oracle } = await given()
  const { timestamp: first } = await oracle.next()
  const { timestamp: second } = await oracle.next()
  await oracle.raiseSchemaFence([1, 2], second)
  await oracle.raiseSchemaFence([2], first)
  const fenceOf = async (...scopes: number[]) => (await oracle.next(scopes)).schemaFence
  assert.equal(await fenceOf(1), second)
  assert.equal(await fenceOf(2), second)
  assert.equal(await fenceOf(3), 0)
  assert.equal(await fenceOf(3, 1), second)
  assert.equal(await fenceOf(), 0)
})

test('a safe point is known at once, is on disk before it is acknowledged, and never goes back', async () => {
  const { cellStore, oracle, open } = await given()
  const { timestamp: first } = await oracle.next()
  const { timestamp: second } = await oracle.next()
  const disk = Promise.withResolvers<void>()
  cellStore.before = () => disk.promise
  let acknowledged = false
  const raised = oracle.raiseSafePoint(second).then(() => {
    acknowledged = true
  })
  assert.equal(await oracle.currentSafePoint(), second)
  assert.equal((await oracle.next()).safePoint, second)
  assert.equal(acknowledged, false)
  disk.resolve()
  await raised
  await oracle.raiseSafePoint(first)
  assert.equal(await oracle.currentSafePoint(), second)
  assert.equal((await readOracleState(cellStore)).safePoint, second)
  assert.equal(await (await open()).currentSafePoint(), second)
})

test('a fence above every issued timestamp is refused', async () => {
  const { oracle } = await given()
  const { timestamp } = await oracle.next()
  await assert.rejects(oracle.raiseSafePoint(timestamp + 1), InvariantViolation)
  await assert.rejects(oracle.raiseSchemaFence([1], timestamp + 1), InvariantViolation)
})

test('a lost answer of the store is asked for again', async () => {
  const { clock, cellStore, oracle } = await given()
  let lost = 0
  cellStore.after = async () => {
    if (++lost === 1) throw new CellStoreError('ambiguous', 'The answer was lost.')
  }
  await clock.advance(60_000)
  assert.equal((await oracle.next()).timestamp, clock.wallMicros())
  assert.equal(lost, 2)
})

test('a closed oracle refuses', async () => {
  const { oracle } = await given()
  await oracle.close()
  const isClosed = (error: unknown) => error instanceof StorageError && error.code === 'closed'
  await assert.rejects(oracle.next(), isClosed)
})

test('a store without room for a higher mark: readers have the last timestamp, writers what is left below the mark', async () => {
  const { clock, cellStore, oracle } = await given()
  const { timestamp: last } = await oracle.next()
  const full = async () => {
    throw new CellStoreError('full', 'The disk is full.', { freeBytes: 7 })
  }
  cellStore.before = full
  await clock.advance(5_000)
  const calls = cellStore.calls.length
  const { timestamp, writeRefusal } = await oracle.nextToRead()
  assert.equal(timestamp, last)
  assert.deepEqual([writeRefusal?.code, writeRefusal?.fields], ['disk_full', { freeBytes: 7 }])
  for (let reader = 0; reader < 100; reader += 1) assert.equal(oracle.takeToRead()?.timestamp, last)
  assert.equal(cellStore.calls.length - calls, 1, 'no try for each reader')
  assert.equal(oracle.take(), last + 1)
  assert.equal(oracle.takeToRead()?.timestamp, last + 1)

  // Behind the pause there is another try, and meanwhile somebody gets a timestamp of his own.
  await clock.advance(1_000)
  assert.equal((await oracle.nextToRead()).writeRefusal, undefined)
  await clock.advance(1)
  assert.equal(oracle.takeToRead()?.writeRefusal?.code, 'disk_full')

  cellStore.before = async () => {}
  await clock.advance(1_000)
  await oracle.nextToRead()
  await clock.advance(1)
  assert.deepEqual(await oracle.nextToRead(), { timestamp: clock.wallMicros(), safePoint: 0 })
})

test('an oracle opens over a store that is full, for those who read', async () => {
  const { clock, cellStore, oracle, open } = await given()
  const { timestamp } = await oracle.next()
  cellStore.before = async () => {
    throw new CellStoreError('full', 'The disk is full.')
  }
  await clock.advance(60_000)
  const second = await open()
  const stamp = await second.nextToRead()
  assert.ok(stamp.timestamp >= timestamp)
  assert.equal(stamp.writeRefusal?.code, 'disk_full')
  await assert.rejects(second.next(), { kind: 'full' })
})
