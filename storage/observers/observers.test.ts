// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withScene } from '../../test/storage/observer-scene.ts'
import { StorageError } from '../storage.ts'

const WAYS = [
  { name: 'one-phase commit', options: { commit: 'one-phase' } },
  { name: 'two-phase commit', options: { commit: 'two-phase' } },
  { name: 'the general protocol', options: { isGateway: true } },
] as const

for (const { name, options } of WAYS) {
  describe(`observers with ${name}`, () => {
    test('an insert is observed once, and leaves nothing behind but the acknowledgment', async () => {
      await withScene(async (scene) => {
        const id = await scene.createObserver('reader')
        await scene.insert(1, 'hello')
        assert.equal((await scene.cells(1, 'notify')).length, 1)
        assert.deepEqual(await scene.runNext('reader'), { text: 'hello' })
        assert.equal((await scene.cells(1, 'notify')).length, 0)
        const acks = (await scene.cells(1, 'write')).filter(
          (cell) => cell.qualifier === `ack/${id}`,
        )
        assert.equal(acks.length, 1)
        assert.ok(await scene.isIdle('reader'))
      }, options)
    })

    test('a SET of a column that is not observed notifies nobody', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        await scene.runNext('reader')
        await scene.set(1, { visits: 7n })
        assert.equal((await scene.cells(1, 'notify')).length, 0)
        assert.ok(await scene.isIdle('reader'))
      }, options)
    })

    test('a delete is observed, and the run sees that the row is gone', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        await scene.runNext('reader')
        await scene.delete(1)
        assert.deepEqual(await scene.runNext('reader'), { text: null })
      }, options)
    })

    test('many changes of one row are seen by one run, which sees the last of them', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        for (let change = 0; change < 40; change += 1) await scene.set(1, { text: `v${change}` })
        assert.deepEqual(await scene.runNext('reader'), { text: 'v39' })
        assert.equal((await scene.cells(1, 'notify')).length, 0)
        assert.ok(await scene.isIdle('reader'))
      }, options)
    })

    test('a change between the begin of a run and its commit is observed by another run', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1, 'first')
        const seen = await scene.runNext('reader', () => scene.set(1, { text: 'second' }))
        assert.deepEqual(seen, { text: 'first' })
        assert.deepEqual(await scene.runNext('reader'), { text: 'second' })
        assert.ok(await scene.isIdle('reader'))
      }, options)
    })

    test('a writer that began before a run and commits after it is observed by another run', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1, 'first')
        const writer = await scene.storage.begin()
        await scene.setIn(writer, 1, { text: 'second' })
        const notification = await scene.next('reader')
        const run = await scene.storage.begin()
        assert.equal(await notification.acknowledge(run), 'pending')
        await writer.commit()
        await run.commit()
        await notification.committed()
        assert.equal((await scene.cells(1, 'notify')).length, 1, 'it is still to be seen')
        assert.deepEqual(await scene.runNext('reader'), { text: 'second' })
      }, options)
    })

    test('of two runs of one notification one commits, and the other finds nothing to do', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        const notification = await scene.next('reader')
        const [one, two] = [await scene.storage.begin(), await scene.storage.begin()]
        assert.equal(await notification.acknowledge(one), 'pending')
        assert.equal(await notification.acknowledge(two), 'pending')
        await one.commit()
        await assert.rejects(two.commit(), { code: 'write_conflict' })
        const three = await scene.storage.begin()
        assert.equal(await notification.acknowledge(three), 'alreadyObserved')
        three.rollback()
        await notification.committed()
        assert.equal((await scene.cells(1, 'notify')).length, 0)
      }, options)
    })

    test('a writer of the row does not conflict with the acknowledgment, whichever comes first', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        for (const isWriterFirst of [true, false]) {
          const id = isWriterFirst ? 1 : 2
          await scene.insert(id, 'first')
          const notification = await scene.next('reader')
          const [writer, run] = [await scene.storage.begin(), await scene.storage.begin()]
          await scene.setIn(writer, id, { text: 'second' })
          assert.equal(await notification.acknowledge(run), 'pending')
          const both = isWriterFirst ? [writer, run] : [run, writer]
          await Promise.all(both.map((transaction) => transaction.commit()))
          await notification.committed()
          assert.deepEqual(await scene.runNext('reader'), { text: 'second' })
        }
      }, options)
    })

    test('two observers of one row each see it once', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.createObserver('counter', 'visits')
        await scene.insert(1)
        assert.deepEqual(await scene.runNext('reader'), { text: 'new' })
        assert.deepEqual(await scene.runNext('counter'), { text: 'new' })
        await scene.set(1, { visits: 1n })
        assert.ok(await scene.isIdle('reader'))
        assert.deepEqual(await scene.runNext('counter'), { text: 'new' })
      }, options)
    })

    test('a notification belongs to one caller until it is given back or ended', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        const notification = await scene.next('reader')
        assert.ok(await scene.isIdle('reader'))
        notification.release()
        const again = await scene.next('reader')
        assert.notEqual(again.id, notification.id)
        assert.deepEqual(await scene.run(again), { text: 'new' })
      }, options)
    })

    test('a lease that runs out gives the notification to the next', async () => {
      await withScene(async (scene) => {
        await scene.createObserver('reader')
        await scene.insert(1)
        const late = await scene.storage.observers.lease('reader', { leaseMs: 20 })
        assert.deepEqual(await scene.runNext('reader'), { text: 'new' })
        assert.equal(await scene.run(late), 'alreadyObserved')
      }, options)
    })

    test('a row that was there before its observer is observed', async () => {
      await withScene(async (scene) => {
        await scene.insert(1, 'old')
        await scene.insert(2, 'gone')
        await scene.delete(2)
        await scene.createObserver('reader')
        assert.deepEqual(await scene.runNext('reader'), { text: 'old' })
        assert.ok(await scene.isIdle('reader'))
        assert.equal((await scene.cells(2, 'notify')).length, 0)
      }, options)
    })

    test('nobody conflicts over a weak observer, which may be told without any write', async () => {
      await withScene(async (scene) => {
        const id = await scene.createObserver('watcher', 'text', true)
        const key = await scene.key(1)
        const [one, two] = [await scene.storage.begin(), await scene.storage.begin()]
        one.notify(key, id, 'weak')
        two.notify(key, id, 'weak')
        await one.commit()
        await two.commit()
        assert.equal((await scene.cells(1, 'notify')).length, 2)
        assert.deepEqual(await scene.runNext('watcher'), { text: null })
        assert.equal((await scene.cells(1, 'notify')).length, 0)
        assert.ok(await scene.isIdle('watcher'))
      }, options)
    })

    test('a weak notifier that began before a run and commits after it is observed again', async () => {
      await withScene(async (scene) => {
        const id = await scene.createObserver('watcher', 'text', true)
        await scene.notify(1, id)
        const late = await scene.storage.begin()
        late.notify(await scene.key(1), id, 'weak')
        const notification = await scene.next('watcher')
        await scene.run(notification, async () => void (await late.commit()))
        assert.equal((await scene.cells(1, 'notify')).length, 1)
        await scene.runNext('watcher')
        assert.equal((await scene.cells(1, 'notify')).length, 0)
      }, options)
    })

    test('what a statement notified that failed is not notified', async () => {
      await withScene(async (scene) => {
        const id = await scene.createObserver('watcher', 'text', true)
        const key = await scene.key(1)
        const transaction = await scene.storage.begin()
        const failing = transaction.statement(async () => {
          transaction.notify(key, id, 'weak')
          throw new Error('no')
        })
        await assert.rejects(failing)
        assert.equal((await transaction.commit()).commitTs, null)
        assert.equal((await scene.cells(1, 'notify')).length, 0)
      }, options)
    })
  })
}

test('who waits for an observer that is not there, is dropped or is closed is told so', async () => {
  await withScene(async (scene) => {
    await assert.rejects(scene.next('nobody'), { code: 'unknown_observer' })
    await scene.createObserver('reader')
    const closed = assert.rejects(scene.next('reader'), { code: 'closed' })
    await scene.storage.begin()
    const stopped = new AbortController()
    const aborted = scene.storage.observers.lease('reader', { signal: stopped.signal })
    stopped.abort(new StorageError('closed', 'enough'))
    await assert.rejects(aborted, { message: 'enough' })
    await scene.storage.close()
    await closed
    await assert.rejects(scene.next('reader'), { code: 'closed' })
  })
})
