// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import type { RowMutations } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { silentLog } from '../../storage-log.ts'
import { SharedOracle } from '../oracle/shared-oracle.ts'
import type { Lock } from '../records/lock.ts'
import { ExclusiveLiveness, LOCK_TTL_MS, SharedLiveness, TOKEN_TTL_MS } from './liveness.ts'

/** The shared counter follows the wall clock only when it is more than a second behind. */
const ORACLE_LAG_MS = 1_200

const noHeartbeat = async () => {}

class WatchedTokens extends ForwardingCellStore {
  readonly atomicScope = 'row'
  writes = 0
  /** Nothing that is written arrives, or is answered. */
  isCutOff = false

  override mutateRows(entries: readonly RowMutations[]) {
    this.writes += 1
    return this.isCutOff ? new Promise<never>(() => {}) : super.mutateRows(entries)
  }
}

function lockOf(incarnation: string, wallMicros: number): Lock {
  const primary = { row: Buffer.from('bob'), column: '0' }
  return { startTs: 7, primary, incarnation, wallMicros, content: { kind: 'delete' } }
}

const oldestSnapshot = () => undefined

async function twoProcesses() {
  const clock = new ManualClock()
  const cellStore = new WatchedTokens(new MemoryCellStore())
  const start = async (seed: number) => {
    const deps = {
      ...{ cellStore, clock, log: silentLog, oldestSnapshot },
      randomness: new SeededRandomness(seed),
    }
    const oracle = await SharedOracle.open(deps)
    return await SharedLiveness.start({ ...deps, oracle })
  }
  return { clock, cellStore, a: await start(1), b: await start(2) }
}

/** Moves the clock in small steps, so that timers in between do their work. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await clock.advance(100)
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('liveness of the only owner of a store', () => {
  test('its own lock lives while its commit is under way; every other run has ended', async () => {
    const deps = { clock: new ManualClock(), randomness: new SeededRandomness(1) }
    const liveness = new ExclusiveLiveness(deps)
    assert.match(liveness.incarnation, /^[0-9a-f]{32}$/)
    liveness.startedCommit(7)
    assert.equal(await liveness.isOwnerDead(lockOf(liveness.incarnation, 0)), false)
    liveness.endedCommit(7)
    assert.equal(await liveness.isOwnerDead(lockOf(liveness.incarnation, 0)), true)
    assert.equal(await liveness.isOwnerDead(lockOf('ff'.repeat(16), 0)), true)
  })
})

describe('liveness of several processes', () => {
  test('a lock lives as long as its owner renews its token and the lock', async () => {
    const { clock, a, b } = await twoProcesses()
    const lock = () => lockOf(a.incarnation, a.wallMicros())
    for (let second = 0; second < 10; second += 1) {
      assert.equal(await b.isOwnerDead(lock()), false)
      await pass(clock, 1_000)
    }
    await a.stop()
    await b.stop()
  })

  test('a process that stopped renewing is dead after the life of its token', async () => {
    const { clock, cellStore, a, b } = await twoProcesses()
    a.startedCommit(7, noHeartbeat)
    await pass(clock, TOKEN_TTL_MS)
    // As a lock that its process had renewed for ever.
    const lock = lockOf(a.incarnation, a.wallMicros() + 3600 * 1_000_000)
    assert.equal(await b.isOwnerDead(lock), false)
    cellStore.isCutOff = true
    await pass(clock, TOKEN_TTL_MS + ORACLE_LAG_MS)
    assert.equal(await b.isOwnerDead(lock), true)
  })

  test('a process that stops in order is dead at once', async () => {
    const { a, b } = await twoProcesses()
    const lock = lockOf(a.incarnation, a.wallMicros())
    assert.equal(await b.isOwnerDead(lock), false)
    await a.stop()
    assert.equal(await b.isOwnerDead(lock), true)
    await b.stop()
  })

  test('a lock without a heartbeat is dead after its own life, though its process lives', async () => {
    const { clock, a, b } = await twoProcesses()
    const lock = lockOf(a.incarnation, a.wallMicros())
    await pass(clock, LOCK_TTL_MS + ORACLE_LAG_MS)
    assert.equal(await b.isOwnerDead(lock), true)
    await a.stop()
    await b.stop()
  })

  test('a lock from a clock far ahead is dead once it was watched unchanged for its life', async () => {
    const { clock, a, b } = await twoProcesses()
    const lock = lockOf(a.incarnation, a.wallMicros() + 3600 * 1_000_000)
    assert.equal(await b.isOwnerDead(lock), false)
    await pass(clock, LOCK_TTL_MS + 100)
    assert.equal(await b.isOwnerDead(lock), true)
    await a.stop()
    await b.stop()
  })

  test('a renewed primary and an old secondary, met in turns, do not keep each other young', async () => {
    const { clock, a, b } = await twoProcesses()
    const ahead = a.wallMicros() + 3600 * 1_000_000
    const locks = [lockOf(a.incarnation, ahead), lockOf(a.incarnation, ahead + 700_000)]
    for (const lock of locks) assert.equal(await b.isOwnerDead(lock), false)
    await pass(clock, LOCK_TTL_MS + 100)
    for (const lock of locks) assert.equal(await b.isOwnerDead(lock), true)
    await a.stop()
    await b.stop()
  })

  test('a wall clock that jumps ahead does not make the locks of its process outlive it', async () => {
    const { clock, a, b } = await twoProcesses()
    clock.jumpWall(600_000)
    const lock = lockOf(a.incarnation, a.wallMicros())
    await a.stop()
    clock.jumpWall(-600_000)
    await pass(clock, LOCK_TTL_MS + ORACLE_LAG_MS)
    assert.ok(lock.wallMicros <= b.wallMicros(), 'it is not from the future')
    assert.equal(await b.isOwnerDead(lock), true)
    await b.stop()
  })

  test('an idle process asks the store seldom, and one that commits keeps its token young', async () => {
    const clock = new ManualClock()
    const cellStore = new WatchedTokens(new MemoryCellStore())
    const deps = {
      ...{ cellStore, clock, log: silentLog, oldestSnapshot },
      randomness: new SeededRandomness(1),
    }
    const oracle = await SharedOracle.open(deps)
    const liveness = await SharedLiveness.start({ ...deps, oracle })
    await pass(clock, 20_000)
    assert.ok(cellStore.writes <= 4, `${cellStore.writes} writes in 20 s of idleness`)
    cellStore.writes = 0
    liveness.startedCommit(7, noHeartbeat)
    await pass(clock, 10_000)
    liveness.endedCommit(7)
    assert.ok(cellStore.writes >= 14, `${cellStore.writes} writes in a commit of 10 s`)
    await liveness.stop()
  })

  test('a process that commits and then rests is alive all the time', async () => {
    const { clock, a, b } = await twoProcesses()
    a.startedCommit(7, noHeartbeat)
    await pass(clock, 1_000)
    a.endedCommit(7)
    for (let passed = 0; passed < 20_000; passed += 100) {
      await pass(clock, 100)
      assert.equal(await b.tokens.hasEnded(a.incarnation), false, `${passed} ms`)
    }
    await a.stop()
    await b.stop()
  })

  test('the process beats for its commits under way, and for them only', async () => {
    const { clock, a, b } = await twoProcesses()
    let beats = 0
    const heartbeat = async () => {
      beats += 1
    }
    a.startedCommit(7, heartbeat)
    await pass(clock, LOCK_TTL_MS)
    assert.ok(beats >= 3, `${beats} heartbeats within the life of a lock`)
    a.endedCommit(7)
    beats = 0
    await pass(clock, LOCK_TTL_MS)
    assert.equal(beats, 0)
    assert.equal(await a.isOwnerDead(lockOf(a.incarnation, 0)), true)
    a.startedCommit(7, noHeartbeat)
    assert.equal(await a.isOwnerDead(lockOf(a.incarnation, 0)), false)
    await a.stop()
    await b.stop()
  })
})
