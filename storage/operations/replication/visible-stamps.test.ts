// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { Storage } from '../../database.ts'
import type { StorageError } from '../../errors.ts'

const NEVER = new AbortController().signal

async function openedStore(
  t: { after(end: () => Promise<void>): void },
  {
    owner = 'exclusive',
    cellStore = new MemoryCellStore(),
  }: {
    readonly owner?: 'exclusive' | 'shared'
    readonly cellStore?: MemoryCellStore
  } = {},
) {
  const clock = new ManualClock()
  const storage = await Storage.open(cellStore, { owner, clock, ownsCellStore: true })
  t.after(() => storage.close())
  const newest = async () => {
    const transaction = await storage.begin()
    transaction.rollback()
    return transaction.startTs
  }
  return { storage, clock, newest }
}

for (const owner of ['exclusive', 'shared'] as const) {
  describe(`the stamps of a store with an owner that is ${owner}`, () => {
    test('that were issued are visible at once, and their snapshots are at least as new', async (t) => {
      const { storage, newest } = await openedStore(t, { owner })
      const seen = await newest()
      assert.equal(storage.visibleAt(seen, NEVER), undefined)
      assert.ok(storage.visible.newest >= seen)
      assert.ok((await newest()) >= seen)
    })

    test('of a clock that is ahead are waited for, for as long as the clock takes', async (t) => {
      const { storage, clock, newest } = await openedStore(t, { owner })
      const wanted = (await newest()) + 1_200_000
      let isThere = false
      const reached = Promise.resolve(storage.visibleAt(wanted, NEVER)).then(() => {
        isThere = true
      })
      for (let ms = 0; ms < 1_150; ms += 50) await clock.advance(50)
      assert.equal(isThere, false)
      for (let ms = 0; ms < 1_000 && !isThere; ms += 50) await clock.advance(50)
      await reached
      assert.ok((await newest()) >= wanted)
    })

    test('that nobody can have issued are refused, and none is waited for beyond its signal', async (t) => {
      const { storage, newest } = await openedStore(t, { owner })
      const far = (await newest()) + 11_000_000
      await assert.rejects(
        async () => storage.visibleAt(far, NEVER),
        (error: StorageError) => {
          const { code, fields } = error
          assert.deepEqual([code, fields.minTimestamp], ['timestamp_in_future', far])
          return fields.newest === storage.visible.newest
        },
      )
      const waiting = new AbortController()
      const reached = storage.visibleAt((await newest()) + 5_000_000, waiting.signal)
      assert.ok(reached instanceof Promise)
      waiting.abort(new Error('enough'))
      await assert.rejects(reached, { message: 'enough' })
    })
  })
}

test('while the disk is full, a stamp of the past is visible and one to come is waited for', async (t) => {
  const cellStore = new MemoryCellStore()
  const { storage, clock, newest } = await openedStore(t, { cellStore })
  const seen = await newest()
  const { checkAndMutateRow } = cellStore
  let isFull = true
  cellStore.checkAndMutateRow = async (...batch) => {
    if (isFull) throw new CellStoreError('full', 'There is no room.')
    return await checkAndMutateRow.apply(cellStore, batch)
  }
  await clock.advance(5_000)
  assert.equal(storage.visibleAt(seen, NEVER), undefined)
  const waiting = new AbortController()
  const reached = Promise.resolve(storage.visibleAt(seen + 9_000_000, waiting.signal))
  for (let ms = 0; ms < 6_000; ms += 500) await clock.advance(500)
  isFull = false
  for (let ms = 0; ms < 3_000; ms += 500) await clock.advance(500)
  await reached
  assert.ok((await newest()) >= seen + 9_000_000)
})
