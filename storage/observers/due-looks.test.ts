// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Auction } from '../../test/storage/auction/auction.ts'
import type { RowScan } from '../cells/cell-store.ts'
import { MemoryCellStore } from '../cells/memory/memory-cell-store.ts'
import { hasPrefix } from '../cells/row-key.ts'
import { openGateway } from '../storage.ts'
import { indexSpace } from '../tables/bytes/index-key.ts'

/** What was read of the index of what is due: from its beginning, and from where a look had ended. */
type Looks = { whole: number; onwards: number; rowsOnwards: number }

/** An auction whose looks from the beginning take so long, as if very many entries had been handed out. */
async function slowFromBeginning(t: TestContext, ms: number, due: 'ends' | 'day' = 'ends') {
  const cellStore = new MemoryCellStore()
  const auction = await Auction.open(await openGateway(cellStore))
  t.after(() => auction.storage.close())
  await auction.observe(due)
  const space = indexSpace((await auction.observer()).id)
  const looks: Looks = { whole: 0, onwards: 0, rowsOnwards: 0 }
  const scanRows = cellStore.scanRows.bind(cellStore)
  t.mock.method(cellStore, 'scanRows', async function* (scan: RowScan) {
    const isOfDue = hasPrefix(scan.start, space)
    const isWhole = isOfDue && scan.start.length === space.length
    if (isOfDue) looks[isWhole ? 'whole' : 'onwards'] += 1
    if (isWhole) await delay(ms)
    for await (const row of scanRows(scan)) {
      if (isOfDue && !isWhole) looks.rowsOnwards += 1
      yield row
    }
  })
  return { auction, looks }
}

suite('looks for rows whose time has come', () => {
  test('go on from what was handed out, and find what was written with a time of before', async (t) => {
    // As if old versions of very many entries lay there.
    const { auction, looks } = await slowFromBeginning(t, 60)
    for (let id = 0; id < 40; id += 1) await auction.put(id, 500 + id * 40)
    const ran = new Set<unknown>()
    const runUntil = async (count: number) => {
      for (let next: unknown = 0; ran.size < count; ran.add(next)) {
        next = await auction.runNext()
        assert.equal(typeof next, 'number', `after ${ran.size} runs`)
      }
    }
    await runUntil(20)
    await auction.put(99, -5_000)
    await runUntil(41)
    assert.ok(looks.onwards > 2 * looks.whole, JSON.stringify(looks))
    await auction.requireSound()
  })

  test('go on while one from the beginning takes long', async (t) => {
    const { auction, looks } = await slowFromBeginning(t, 3_000)
    for (let id = 0; id < 8; id += 1) await auction.put(id, 300 * (id + 1))
    await auction.put(99, -5_000)
    for (let id = 0; id < 8; id += 1) {
      assert.equal(await auction.runNext(), id)
      assert.ok(Date.now() - Number((await auction.lots()).get(id)?.[2]) / 1000 < 1_000)
    }
    assert.equal(await auction.runNext(), 99)
    assert.equal(looks.whole, 1)
  })

  test('do not read again what was due on this day', async (t) => {
    const { auction, looks } = await slowFromBeginning(t, 60, 'day')
    for (let id = 0; id < 40; id += 1) await auction.put(id, 0)
    for (let count = 0; count < 40; count += 1) {
      assert.equal(typeof (await auction.runNext()), 'number')
    }
    const before = { ...looks }
    assert.equal(await auction.runNext(1_500), undefined)
    assert.ok(looks.onwards - before.onwards >= 3, JSON.stringify(looks))
    assert.equal(looks.rowsOnwards - before.rowsOnwards, 0)
    await auction.put(99, 0)
    assert.equal(await auction.runNext(), 99)
    await auction.requireSound()
  })

  test('leave the status nothing to count again', async (t) => {
    const { auction, looks } = await slowFromBeginning(t, 60)
    for (const [id, inMs] of [-5_000, -5_000, 3_600_000, 7_200_000].entries())
      await auction.put(id, inMs)
    for (const id of [0, 1]) assert.equal(await auction.runNext(), id)
    const { whole, rowsOnwards } = looks
    const [status] = await auction.storage.observers.status()
    assert.equal(status?.due?.rows, 2)
    assert.equal(status?.due?.next, Number((await auction.lots()).get(2)?.[2]))
    assert.deepEqual([looks.whole, looks.rowsOnwards], [whole, rowsOnwards + 2])
  })
})
