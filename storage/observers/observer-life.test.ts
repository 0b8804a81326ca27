// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManualClock } from '../../test/manual-clock.ts'
import { ObserverScene, withScene } from '../../test/storage/observer-scene.ts'
import { MemoryCellStore } from '../cells/memory/memory-cell-store.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { openGateway, type StorageLog } from '../storage.ts'
import { silentLog } from '../storage-log.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import { dropObserver, pauseObserver, replayObserver, resumeObserver } from '../tables/tables.ts'
import { deadLetterKey, encodeDeadLetter } from './dead-letter.ts'
import { countedRowsMax, deadLettersShownMax } from './observers.ts'

const IN_MEMORY = { engine: 'memory' } as const
const NO_HISTORY = { ...IN_MEMORY, retention: { retentionMs: 0, heldMsMax: 0 } }

async function withClock(work: (scene: ObserverScene, clock: ManualClock) => Promise<void>) {
  const clock = new ManualClock()
  await withScene((scene) => work(scene, clock), { ...IN_MEMORY, clock })
}

async function failOften(scene: ObserverScene, clock: ManualClock, times: number): Promise<void> {
  for (let failures = 0; failures < times; failures += 1) {
    const notification = await scene.next('reader')
    await notification.failed(new Error('the page cannot be read'))
    await clock.advance(120_000)
  }
}

describe('an observer that is paused', () => {
  test('is notified and not run, and runs when it is resumed', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      const waiting = scene.next('reader')
      await scene.commit(async (at, catalog) => pauseObserver(at, catalog, 'reader'))
      await scene.insert(1, 'while it was paused')
      assert.ok(await scene.isIdle('reader'))
      const [status] = await scene.storage.observers.status()
      assert.deepEqual([status?.state, status?.pending], ['paused', 1])
      await scene.commit(async (at, catalog) => resumeObserver(at, catalog, 'reader'))
      assert.deepEqual(await scene.run(await waiting), { text: 'while it was paused' })
    }, IN_MEMORY)
  })

  test('that is dropped tells so to who waits for it', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      const waiting = assert.rejects(scene.next('reader'), { code: 'unknown_observer' })
      await scene.commit((at, catalog) => dropObserver(at, catalog, 'reader', { ifExists: false }))
      await waiting
    }, IN_MEMORY)
  })

  test('that is dropped while it runs: the run may commit, and what is left goes with the garbage', async () => {
    await withScene(async (scene) => {
      const id = await scene.createObserver('reader')
      await scene.insert(1)
      await scene.runNext('reader')
      await scene.set(1, { text: 'again' })
      await scene.commit((at, catalog) => dropObserver(at, catalog, 'reader', { ifExists: false }))
      assert.equal((await scene.cells(1, 'notify')).length, 1)
      await scene.storage.collectGarbage()
      assert.deepEqual(await scene.cells(1, 'notify'), [])
      const columns = (await scene.cells(1, 'write')).map(({ qualifier }) => qualifier)
      assert.ok(!columns.includes(`ack/${id}`))
    }, NO_HISTORY)
  })
})

describe('a replay', () => {
  test('tells again of what has changed since, deleted rows too, and of nothing older', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      for (const id of [1, 2, 3]) await scene.insert(id, `page ${id}`)
      for (let runs = 0; runs < 3; runs += 1) await scene.runNext('reader')
      const { timestamp } = await scene.storage.status()
      await scene.set(2, { text: 'changed' })
      await scene.delete(3)
      for (let runs = 0; runs < 2; runs += 1) await scene.runNext('reader')
      assert.ok(await scene.isIdle('reader'))
      await scene.commit(async (at, catalog) => replayObserver(at, catalog, 'reader', timestamp))
      await scene.untilBackfilled('reader')
      const seen = [await scene.runNext('reader'), await scene.runNext('reader')]
      assert.deepEqual(seen.map((one) => JSON.stringify(one)).sort(), [
        '{"text":"changed"}',
        '{"text":null}',
      ])
      assert.ok(await scene.isIdle('reader'))
    }, IN_MEMORY)
  })

  test('is not undone by a run of before that clears its notification late', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      await scene.insert(1, 'old')
      const notification = await scene.next('reader')
      const run = await scene.storage.begin()
      await notification.acknowledge(run)
      await run.commit()
      await scene.commit(async (at, catalog) => replayObserver(at, catalog, 'reader', 1))
      await scene.untilBackfilled('reader')
      await notification.committed()
      assert.deepEqual(await scene.runNext('reader'), { text: 'old' })
      assert.ok(await scene.isIdle('reader'))
    }, IN_MEMORY)
  })

  test('does not forget what was changed before it and had not been observed', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      await scene.insert(1, 'not seen')
      const { timestamp } = await scene.storage.status()
      await scene.commit(async (at, catalog) => replayObserver(at, catalog, 'reader', timestamp))
      await scene.untilBackfilled('reader')
      assert.deepEqual(await scene.runNext('reader'), { text: 'not seen' })
    }, IN_MEMORY)
  })
})

describe('a notification whose runs fail', () => {
  test('is tried again after a while, and counted', async () => {
    await withClock(async (scene, clock) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      await failOften(scene, clock, 2)
      assert.deepEqual(await scene.runNext('reader'), { text: 'new' })
      const [status] = await scene.storage.observers.status()
      assert.equal(status?.lastError?.message, 'Error: the page cannot be read')
      const { runs, retries, failures, conflicts, deadLetters, pending } = status ?? {}
      assert.deepEqual(
        { runs, retries, failures, conflicts, deadLetters, pending },
        { runs: 1, retries: 1, failures: 2, conflicts: 0, deadLetters: 0, pending: 0 },
      )
    })
  })

  test('becomes a dead letter, which keeps the error and the notify cell, until RESUME', async () => {
    await withClock(async (scene, clock) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      await failOften(scene, clock, STORAGE_LIMITS.observerTriesMax)
      assert.ok(await scene.isIdle('reader'))
      const [dead] = await scene.storage.observers.status()
      assert.deepEqual([dead?.deadLetters, dead?.pending], [1, 1])
      await scene.commit(async (at, catalog) => resumeObserver(at, catalog, 'reader'))
      assert.deepEqual(await scene.runNext('reader'), { text: 'new' })
      const [alive] = await scene.storage.observers.status()
      assert.deepEqual([alive?.deadLetters, alive?.pending], [0, 0])
    })
  })

  test('is no dead letter when somebody else has observed the row, whose lease had passed', async () => {
    await withClock(async (scene, clock) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      await failOften(scene, clock, STORAGE_LIMITS.observerTriesMax - 1)
      const late = await scene.storage.observers.lease('reader', { leaseMs: 1_000 })
      const other = scene.next('reader')
      await clock.advance(2_000)
      assert.deepEqual(await scene.run(await other), { text: 'new' })
      await late.failed(new Error('the page cannot be read'))
      const [status] = await scene.storage.observers.status()
      assert.deepEqual([status?.deadLetters, status?.pending], [0, 0])
    })
  })

  test('is taken up again when its row changes', async () => {
    await withClock(async (scene, clock) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      await failOften(scene, clock, STORAGE_LIMITS.observerTriesMax)
      await scene.set(1, { text: 'mended' })
      assert.deepEqual(await scene.runNext('reader'), { text: 'mended' })
      const [status] = await scene.storage.observers.status()
      assert.equal(status?.deadLetters, 0)
    })
  })

  test('is a dead letter among so many that the status does not count them all', async () => {
    await withScene(async (scene) => {
      const id = await scene.createObserver('reader')
      const transaction = await scene.storage.begin()
      for (let letter = 0; letter <= countedRowsMax; letter += 1) {
        const key = deadLetterKey(id, Buffer.from(`row ${letter}`))
        const value = encodeDeadLetter({ error: 'poison', tries: 10, notified: 1 })
        transaction.put(key, ROW_COLUMN, value)
      }
      await transaction.commit()
      const [status] = await scene.storage.observers.status()
      const shown = status?.deadLettersShown.length
      assert.deepEqual([status?.deadLetters, shown], [countedRowsMax, deadLettersShownMax])
    }, IN_MEMORY)
  })

  test('whose function throws what is no text fails like all others', async () => {
    await withScene(async (scene) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      const notification = await scene.next('reader')
      await notification.failed(Object.create(null))
      const [status] = await scene.storage.observers.status()
      assert.equal(status?.lastError?.message, 'a value of type object')
    }, IN_MEMORY)
  })

  test('is no dead letter for conflicts, however many', async () => {
    await withClock(async (scene, clock) => {
      await scene.createObserver('reader')
      await scene.insert(1)
      for (let tries = 0; tries < 2 * STORAGE_LIMITS.observerTriesMax; tries += 1) {
        const work = () => scene.set(1, { visits: BigInt(tries) })
        const run = scene.runNext('reader', async (transaction) => {
          await scene.setIn(transaction, 1, { visits: 0n })
          await work()
        })
        await assert.rejects(run, { code: 'write_conflict' })
        await clock.advance(2_000)
      }
      assert.deepEqual(await scene.runNext('reader'), { text: 'new' })
      const [status] = await scene.storage.observers.status()
      assert.deepEqual([status?.conflicts, status?.deadLetters], [20, 0])
    })
  })
})

test('garbage collection leaves what an observer has still to see, and takes it afterwards', async () => {
  await withScene(async (scene) => {
    await scene.createObserver('reader')
    await scene.insert(1)
    await scene.runNext('reader')
    await scene.delete(1)
    await scene.storage.collectGarbage()
    assert.deepEqual(await scene.runNext('reader'), { text: null })
    await scene.storage.collectGarbage()
    await scene.storage.collectGarbage()
    assert.deepEqual(await scene.allCells(1), [])
  }, NO_HISTORY)
})

test('observers that notify each other in a circle are named, and the log says so once', async () => {
  const warned: unknown[] = []
  const log: StorageLog = {
    ...silentLog,
    warn: (facts) => void warned.push('observers' in facts && facts.observers),
  }
  await withScene(
    async (scene) => {
      await scene.createObserver('reader')
      await scene.createObserver('counter', 'visits')
      await scene.insert(1)
      const ping = () =>
        scene.runNext('reader', (transaction) => scene.setIn(transaction, 1, { visits: 1n }))
      const pong = () =>
        scene.runNext('counter', (transaction) => scene.setIn(transaction, 1, { text: 'again' }))
      await ping()
      assert.deepEqual(warned, [])
      await pong()
      await ping()
      const statuses = await scene.storage.observers.status()
      assert.deepEqual(
        statuses.map(({ observer, cyclesWith }) => [observer, [...cyclesWith].sort()]),
        [
          ['counter', ['counter', 'reader']],
          ['reader', ['counter', 'reader']],
        ],
      )
      assert.deepEqual(
        warned.map((names) => [names].flat().sort()),
        [['counter', 'reader']],
      )
    },
    { ...IN_MEMORY, log },
  )
})

describe('two gateways over one store', () => {
  test('a change of one is observed at the other, and by one of them only', async () => {
    const cellStore = new MemoryCellStore()
    const one = new ObserverScene(await openGateway(cellStore))
    const two = new ObserverScene(await openGateway(cellStore))
    try {
      await one.createTable()
      await one.createObserver('reader')
      const leased = [one.next('reader', 10_000), two.next('reader', 10_000)]
      await one.insert(1, 'hello')
      const [first, second] = await Promise.all(leased)
      assert.ok(first !== undefined && second !== undefined)
      const runs = await Promise.allSettled([one.run(first), two.run(second)])
      const seen = runs.filter(
        (run) => run.status === 'fulfilled' && run.value !== 'alreadyObserved',
      )
      assert.equal(seen.length, 1)
    } finally {
      await Promise.all([one.storage.close(), two.storage.close()])
      await cellStore.close()
    }
  })
})
