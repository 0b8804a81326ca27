// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ObserverScene } from '../../../test/storage/observer-scene.ts'
import { ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { openStorage, type StorageOptions } from '../../storage.ts'
import type { SeenStep } from './followed-rows.ts'
import { StepWatch, type Watcher } from './step-watch.ts'

const watcher = (): Watcher => ({ called() {}, settled() {} })

test('commits call the engine itself, but while somebody watches', () => {
  const { context } = new ProtocolWorld(1).a
  const engine = context.cellStore
  const watch = new StepWatch(context)
  assert.equal(context.cellStore, engine)
  const [one, other] = [watcher(), watcher()]
  const [bob, joe] = [Uint8Array.of(1), Uint8Array.of(2)]
  watch.add([bob, joe], one)
  assert.notEqual(context.cellStore, engine)
  watch.add([bob], other)
  watch.remove([bob, joe], one)
  assert.notEqual(context.cellStore, engine, 'the other one still watches')
  watch.remove([bob], other)
  assert.equal(context.cellStore, engine)
})

const nothingLeftOut = (count: number) => assert.equal(count, 0)

async function scene(t: TestContext, options: Partial<StorageOptions>) {
  const retention = { retentionMs: 0, heldMsMax: 0 }
  const storage = await openStorage({ engine: 'memory', retention, ...options })
  t.after(() => storage.close())
  const made = new ObserverScene(storage)
  await made.createTable()
  return made
}

async function followed(t: TestContext, made: ObserverScene, id: number) {
  const steps: SeenStep[] = []
  const row = await made.key(id)
  const { release, stop } = await made.storage.inspection.follow(
    [row],
    (step) => steps.push(step),
    nothingLeftOut,
  )
  t.after(stop)
  release()
  return steps
}

for (const commit of ['one-phase', 'two-phase'] as const) {
  describe(`with a commit in ${commit}, who follows a row`, () => {
    test('sees that an observer has run: its notification is cleared', async (t) => {
      const made = await scene(t, { commit })
      await made.createObserver('watcher')
      const steps = await followed(t, made, 7)
      await made.insert(7)
      await made.runNext('watcher', async () => {})
      while (steps.at(-1)?.step !== 'acknowledge') await new Promise(setImmediate)
      const notified = steps.flatMap(({ set }) => set.filter(({ family }) => family === 'notify'))
      assert.equal(notified.length, 1)
      const [cleared] = steps.at(-1)?.erased ?? []
      assert.equal(cleared?.family, 'notify')
      assert.equal(cleared?.qualifier, notified[0]?.qualifier)
      assert.equal(steps.at(-1)?.transaction, undefined)
    })

    test('sees what a collection deletes of it', async (t) => {
      const made = await scene(t, { commit })
      await made.insert(7, 'old')
      await made.insert(7, 'new')
      const steps = await followed(t, made, 7)
      await made.storage.collectGarbage()
      const [collected] = steps
      assert.equal(collected?.step, 'collect')
      assert.ok((collected?.erased.length ?? 0) > 0)
      assert.deepEqual(collected?.set, [])
    })

    test('sees no step of another row, and none after the end', async (t) => {
      const made = await scene(t, { commit })
      const seen: SeenStep[] = []
      const keys = [await made.key(7)]
      const { release, stop } = await made.storage.inspection.follow(
        keys,
        (step) => seen.push(step),
        nothingLeftOut,
      )
      release()
      await made.insert(8)
      assert.deepEqual(seen, [])
      await made.insert(7)
      const count = seen.length
      assert.ok(count > 0)
      stop()
      await made.insert(7)
      assert.equal(seen.length, count)
    })
  })
}
