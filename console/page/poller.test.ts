// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Polled, Poller } from './poller.ts'

/** A page that is looked at or not, and a server that answers when it is told to. */
class Scene {
  isHidden = false
  readonly asked: Array<PromiseWithResolvers<number>> = []
  readonly told: Array<Polled<number>> = []
  readonly poller: Poller<number>
  #changed: () => void = () => {}

  constructor() {
    this.poller = new Poller<number>({
      ask: () => {
        const answer = Promise.withResolvers<number>()
        this.asked.push(answer)
        return answer.promise
      },
      everyMs: 1_000,
      listener: (polled) => this.told.push(polled),
      visibility: {
        isHidden: () => this.isHidden,
        onChange: (changed) => {
          this.#changed = changed
        },
      },
    })
  }

  look(isHidden: boolean): void {
    this.isHidden = isHidden
    this.#changed()
  }

  async answer(value: number): Promise<void> {
    this.asked.at(-1)?.resolve(value)
    await setImmediate()
  }
}

describe('a view that polls', { timeout: 10_000 }, () => {
  it('asks again a while after each answer, and never twice at once', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const scene = new Scene()
    t.mock.timers.tick(5_000)
    assert.equal(scene.asked.length, 1)
    await scene.answer(7)
    assert.deepEqual(scene.told, [{ value: 7, error: undefined }])
    t.mock.timers.tick(999)
    assert.equal(scene.asked.length, 1)
    t.mock.timers.tick(1)
    assert.equal(scene.asked.length, 2)
    scene.poller.now()
    assert.equal(scene.asked.length, 2)
    await scene.answer(8)
    assert.equal(scene.asked.length, 3, 'what was wanted meanwhile is asked')
    scene.poller.end()
  })

  it('asks nothing while nobody looks, and at once when somebody does', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const scene = new Scene()
    await scene.answer(1)
    scene.look(true)
    t.mock.timers.tick(60_000)
    assert.equal(scene.asked.length, 1)
    scene.look(false)
    assert.equal(scene.asked.length, 2)
    scene.poller.end()
  })

  it('keeps what it knew after an error, and says nothing after its end', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const scene = new Scene()
    await scene.answer(1)
    t.mock.timers.tick(1_000)
    const error = new Error('lost')
    scene.asked.at(-1)?.reject(error)
    await setImmediate()
    assert.deepEqual(scene.told.at(-1), { value: 1, error })
    t.mock.timers.tick(1_000)
    scene.poller.end()
    await scene.answer(2)
    assert.equal(scene.told.length, 2)
    t.mock.timers.tick(60_000)
    assert.equal(scene.asked.length, 3)
  })
})
