// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ObserverScene, withScene } from '../../test/storage/observer-scene.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import { resumeObserver } from '../tables/tables.ts'
import { deadLetterKey, encodeDeadLetter } from './dead-letter.ts'

const IN_MEMORY = { engine: 'memory' } as const

/** Makes dead letters of rows `a0000`, `a0001` …, which have no other part of a dead letter. */
async function bury(scene: ObserverScene, id: number, letter: string, count: number) {
  const transaction = await scene.storage.begin()
  for (let n = 0; n < count; n += 1) {
    const key = deadLetterKey(id, Buffer.from(`${letter}${String(n).padStart(4, '0')}`))
    transaction.put(key, ROW_COLUMN, encodeDeadLetter({ error: 'poison', tries: 10, notified: 1 }))
  }
  await transaction.commit()
}

/** The keys of each page, and whether another was said to follow. */
async function pages(scene: ObserverScene, limit: number): Promise<string[][]> {
  const read: string[][] = []
  let after: Uint8Array | undefined
  do {
    const wanted = { limit, ...(after === undefined ? {} : { after }) }
    const page = await scene.storage.observers.deadLetters('reader', wanted)
    read.push(page.letters.map(({ key }) => Buffer.from(key).toString()))
    after = page.next
  } while (after !== undefined)
  return read
}

describe('the dead letters of an observer, by pages', () => {
  it('are all there once, in the order of their rows, and the last page says that it is that', async () => {
    await withScene(async (scene) => {
      await bury(scene, await scene.createObserver('reader'), 'a', 6)
      const keys = ['a0000', 'a0001', 'a0002', 'a0003', 'a0004', 'a0005']
      assert.deepEqual(await pages(scene, 4), [keys.slice(0, 4), keys.slice(4)])
      assert.deepEqual(await pages(scene, 3), [keys.slice(0, 3), keys.slice(3)])
      assert.deepEqual(await pages(scene, 100), [keys])
      const [first] = (await scene.storage.observers.deadLetters('reader', { limit: 1 })).letters
      assert.deepEqual([first?.error, first?.tries], ['poison', 10])
      assert.ok((first?.timestamp ?? 0) > 1)
    }, IN_MEMORY)
  })

  it('leave out those that were taken up, and look at so many of them for one page', async () => {
    await withScene(async (scene) => {
      const id = await scene.createObserver('reader')
      await bury(scene, id, 'a', 2_500)
      await scene.commit(async (at, catalog) => resumeObserver(at, catalog, 'reader'))
      await bury(scene, id, 'b', 2)
      assert.deepEqual(await pages(scene, 10), [[], [], ['b0000', 'b0001']])
    }, IN_MEMORY)
  })

  it('are of an observer that there is', async () => {
    await withScene(async (scene) => {
      const none = scene.storage.observers.deadLetters('nobody', { limit: 1 })
      await assert.rejects(none, { code: 'unknown_observer' })
    }, IN_MEMORY)
  })
})
