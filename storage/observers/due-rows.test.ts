// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { Auction } from '../../test/storage/auction/auction.ts'
import type { RowScan } from '../cells/cell-store.ts'
import { MemoryCellStore } from '../cells/memory/memory-cell-store.ts'
import { hasPrefix } from '../cells/row-key.ts'
import { openGateway, Storage, StorageError } from '../storage.ts'
import { indexSpace } from '../tables/bytes/index-key.ts'
import { dropObserver, replayObserver } from '../tables/tables.ts'

suite('an observer that is due', () => {
  test('runs for a row when its time has come and not before, past times at once', async () => {
    const auction = await Auction.open()
    await auction.observe()
    await auction.put(1, 700)
    await auction.put(2, -5_000)
    await auction.put(3, null)
    assert.equal(await auction.runNext(), 2)
    const began = performance.now()
    assert.equal(await auction.runNext(), 1)
    assert.ok(performance.now() - began < 1_700, 'within a second of its time')
    assert.equal(await auction.runNext(500), undefined)
    await auction.requireSound()
    await auction.storage.close()
  })

  test('waits for a time that was moved, and for none that was taken away', async () => {
    const auction = await Auction.open()
    await auction.observe()
    for (const id of [1, 2, 3]) await auction.put(id, 300)
    await auction.put(1, 1_000)
    await auction.put(2, null)
    await auction.delete(3)
    await delay(400)
    assert.equal(await auction.runNext(300), undefined)
    assert.equal(await auction.runNext(), 1)
    assert.equal(await auction.runNext(500), undefined)
    await auction.requireSound()
    await auction.storage.close()
  })

  test('sees a row that was moved after it had been handed out at its new time alone', async () => {
    const auction = await Auction.open()
    await auction.observe()
    await auction.put(1, -1_000)
    const notification = await auction.storage.observers.lease('close')
    await auction.put(1, 600)
    const transaction = await auction.storage.begin()
    assert.equal(await notification.acknowledge(transaction), 'alreadyObserved')
    transaction.rollback()
    await notification.committed()
    assert.equal(await auction.runNext(300), undefined)
    assert.equal(await auction.runNext(), 1)
    await auction.requireSound()
    await auction.storage.close()
  })

  test('gets the rows of before, and those of a REPLAY once more', async () => {
    const auction = await Auction.open()
    for (let id = 0; id < 600; id += 1) await auction.put(id, id < 3 ? -1_000 : 3_600_000)
    await auction.observe()
    await auction.requireSound()
    const first = [await auction.runNext(), await auction.runNext(), await auction.runNext()]
    assert.deepEqual(first.sort(), [0, 1, 2])
    assert.equal(await auction.runNext(400), undefined)
    const { timestamp } = await auction.storage.status()
    await auction.put(1, -500)
    assert.equal(await auction.runNext(), 1)
    await auction.commit((transaction, catalog) =>
      replayObserver(transaction, catalog, 'close', timestamp),
    )
    await auction.untilBackfilled()
    assert.equal(await auction.runNext(), 1)
    assert.equal(await auction.runNext(400), undefined)
    await auction.requireSound()
    await auction.storage.close()
  })

  test('leaves nothing behind when it is dropped', async () => {
    const cellStore = new MemoryCellStore()
    const retention = { retentionMs: 0, heldMsMax: 0 }
    const auction = await Auction.open(
      await Storage.open(cellStore, { owner: 'exclusive', retention }),
    )
    await auction.observe()
    await auction.put(1, -1_000)
    await auction.put(2, 3_600_000)
    assert.equal(await auction.runNext(), 1)
    await auction.commit((transaction, catalog) =>
      dropObserver(transaction, catalog, 'close', { ifExists: false }),
    )
    await auction.storage.collectGarbage()
    const found = await Array.fromAsync(
      cellStore.scanRows({ start: Uint8Array.of(1), filter: [{ family: 'write' }] }),
    )
    const columns = found.flatMap(({ cells }) => cells.map(({ qualifier }) => qualifier))
    assert.deepEqual(columns.sort(), ['0', '0', '1', '1'])
    await auction.storage.close()
  })

  test('gets nothing when it is dropped while a look is under way (T1)', async (t) => {
    const cellStore = new MemoryCellStore()
    const auction = await Auction.open(await openGateway(cellStore))
    const other = await Auction.open(await openGateway(cellStore))
    await auction.observe()
    await auction.put(1, -10)
    await auction.put(2, 3_600_000)
    const space = indexSpace((await auction.observer()).id)
    const scanRows = cellStore.scanRows.bind(cellStore)
    let dropping: Promise<unknown> | undefined
    t.mock.method(cellStore, 'scanRows', async function* (scan: RowScan) {
      yield* scanRows(scan)
      if (!hasPrefix(scan.start, space)) return
      dropping ??= other.commit((transaction, catalog) =>
        dropObserver(transaction, catalog, 'close', { ifExists: false }),
      )
      await dropping
    })
    await assert.rejects(auction.storage.observers.lease('close'), { code: 'unknown_observer' })
    const found = await Array.fromAsync(
      scanRows({ start: Uint8Array.of(1), filter: [{ family: 'write' }, { family: 'notify' }] }),
    )
    const columns = found.flatMap(({ cells }) => cells.map(({ qualifier }) => qualifier))
    // Of a row its two families, and of an entry one.
    assert.deepEqual(columns.sort(), ['0', '0', '0', '0', '1', '1'])
    for (const { storage } of [auction, other]) await storage.close()
  })

  test('closes each lot once for each change, over two gateways, whatever is written meanwhile', async (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
    t.diagnostic(`seed ${seed}`)
    const random = new SeededRandomness(seed)
    const below = (count: number) => Math.floor(random.fraction() * count)
    const cellStore = new MemoryCellStore()
    const gateways = [
      await Auction.open(await openGateway(cellStore)),
      await Auction.open(await openGateway(cellStore)),
    ] as const
    await gateways[0].observe()
    const changes = new Map<number, number>()
    const begun = performance.now()
    const write = async (auction: Auction) => {
      while (performance.now() - begun < 2_500) {
        const id = below(12)
        const kind = below(10)
        const inMs = kind === 0 ? null : kind < 3 ? undefined : below(1_200) - 200
        try {
          if (kind === 9) await auction.delete(id)
          else {
            await auction.put(id, inMs)
            changes.set(id, (changes.get(id) ?? 0) + 1)
          }
        } catch (error) {
          if (!(error instanceof StorageError && error.isWorthRerun)) throw error
        }
        await delay(below(20))
      }
    }
    const runs = new Map<number, number>()
    const work = async (auction: Auction) => {
      for (;;) {
        const isWriting = performance.now() - begun < 2_500
        const ran = await auction.runNext(1_800)
        if (ran === undefined && !isWriting) return
        if (typeof ran === 'number') runs.set(ran, (runs.get(ran) ?? 0) + 1)
      }
    }
    await Promise.all(gateways.flatMap((auction) => [write(auction), work(auction), work(auction)]))
    const lots = await gateways[0].lots()
    for (const [id, row] of lots) {
      const ran = runs.get(id) ?? 0
      assert.ok(ran <= (changes.get(id) ?? 0), `lot ${id} was closed ${ran} times`)
      if (row[2] !== null) assert.ok(Number(row[3]) > 0, `lot ${id} was not closed`)
    }
    assert.ok([...runs.values()].reduce((sum, count) => sum + count, 0) > 10)
    await gateways[1].requireSound()
    for (const { storage } of gateways) await storage.close()
  })
})
