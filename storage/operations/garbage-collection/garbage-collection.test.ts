// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { EmbeddedWorld } from '../../../test/storage/embedded-world.ts'
import { putRow } from '../../../test/storage/row-writes.ts'
import { openStorage, type Storage, type StorageOptions } from '../../storage.ts'
import { createTable, dropTable, getRows, type TableDefinition } from '../../tables/tables.ts'
import { GarbageCollection } from './garbage-collection.ts'
import { GarbageCollector } from './garbage-collector.ts'

const AT_ONCE = { retentionMs: 0, heldMsMax: 3600_000 }

async function withStore(
  options: Partial<StorageOptions>,
  work: (storage: Storage, dataDirectory: string) => Promise<void>,
): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-garbage-'))
  const storage = await openStorage({
    engine: 'sqlite',
    dataDirectory,
    retention: AT_ONCE,
    ...options,
  })
  try {
    await work(storage, dataDirectory)
  } finally {
    await storage.close()
    await rm(dataDirectory, { recursive: true })
  }
}

async function makeTable(storage: Storage): Promise<TableDefinition> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const definition = {
    name: 'item',
    columns: [
      { name: 'id', type: 'INTEGER', notNull: true },
      { name: 'body', type: 'TEXT', notNull: false },
    ],
    primaryKey: [{ column: 'id', descending: false }],
  } as const
  const { table } = await createTable(transaction, catalog, definition, { ifNotExists: false })
  await transaction.commit()
  return table
}

async function fill(storage: Storage, table: TableDefinition, body: string, rows = 200) {
  const transaction = await storage.begin({ keepsOutcome: true })
  for (let id = 0; id < rows; id += 1) await putRow(transaction, table, [BigInt(id), body], null)
  await transaction.commit()
  return transaction
}

async function bodyOf(storage: Storage, table: TableDefinition, asOf?: number) {
  const transaction = await storage.begin(asOf === undefined ? {} : { asOf })
  const [row] = await getRows(transaction, table, [[7n]])
  transaction.rollback()
  return row?.row[1]
}

describe('garbage collection of an embedded store', () => {
  test('gives the space of old versions back to the file system', async () => {
    await withStore({}, async (storage, dataDirectory) => {
      const table = await makeTable(storage)
      for (let turn = 0; turn < 8; turn += 1) await fill(storage, table, `${turn}`.repeat(20_000))
      const report = await storage.collectGarbage()
      assert.ok(report.bytesReclaimed > 20e6, `${report.bytesReclaimed} bytes`)
      assert.ok(report.rowsCollected >= 200)
      await storage.close()
      const { size } = await stat(join(dataDirectory, 'cells.db'))
      assert.ok(size < 6e6, `the file has ${size} bytes; one version takes four million`)
      const again = await openStorage({ engine: 'sqlite', dataDirectory })
      assert.equal(await bodyOf(again, table), '7'.repeat(20_000))
      await again.close()
    })
  })

  test('keeps what an open transaction reads, and takes it when that has ended', async () => {
    await withStore({}, async (storage) => {
      const table = await makeTable(storage)
      await fill(storage, table, 'old')
      const reader = await storage.begin()
      await fill(storage, table, 'new')
      const { safePoint } = await storage.collectGarbage()
      assert.equal(safePoint, reader.startTs)
      const [row] = await getRows(reader, table, [[7n]])
      assert.equal(row?.row[1], 'old')
      const { startTs } = reader
      reader.rollback()
      await storage.collectGarbage()
      await assert.rejects(bodyOf(storage, table, startTs), { code: 'snapshot_too_old' })
      assert.equal(await bodyOf(storage, table), 'new')
    })
  })

  test('waits for an open transaction so long and no longer, and then refuses it', async () => {
    const retention = { retentionMs: 0, heldMsMax: 0 }
    await withStore({ retention }, async (storage) => {
      const table = await makeTable(storage)
      await fill(storage, table, 'old')
      const [reader, writer] = [await storage.begin(), await storage.begin()]
      await putRow(writer, table, [7n, 'mine'], null)
      await storage.collectGarbage()
      await assert.rejects(async () => getRows(reader, table, [[7n]]), { code: 'snapshot_too_old' })
      await assert.rejects(writer.commit(), { code: 'snapshot_too_old' })
      assert.equal(await bodyOf(storage, table), 'old')
    })
  })

  test('keeps everything within the retention', async () => {
    await withStore({ retention: { retentionMs: 3600_000, heldMsMax: 0 } }, async (storage) => {
      const table = await makeTable(storage)
      await fill(storage, table, 'old')
      const { timestamp } = await storage.status()
      await fill(storage, table, 'new')
      const { rowsCollected } = await storage.collectGarbage()
      assert.equal(rowsCollected, 0)
      assert.equal(await bodyOf(storage, table, timestamp), 'old')
    })
  })

  test('takes the rows of a dropped table, and not those of its successor', async () => {
    await withStore({}, async (storage) => {
      const old = await makeTable(storage)
      await fill(storage, old, 'old', 20)
      const change = await storage.begin()
      await dropTable(change, await storage.catalog(change), 'item', { ifExists: false })
      await change.commit()
      const table = await makeTable(storage)
      await fill(storage, table, 'new', 20)
      await storage.collectGarbage()
      const reader = await storage.begin()
      assert.deepEqual(await getRows(reader, old, [[7n]]), [null])
      reader.rollback()
      assert.equal(await bodyOf(storage, table), 'new')
    })
  })

  test('takes outcomes from before the safe point, which are unknown from then on', async () => {
    await withStore({}, async (storage, dataDirectory) => {
      const table = await makeTable(storage)
      const { id } = await fill(storage, table, 'x', 1)
      await storage.collectGarbage()
      await storage.close()
      const again = await openStorage({ engine: 'sqlite', dataDirectory })
      assert.deepEqual(await again.outcomeOf(id, 0), { kind: 'unknown' })
      await again.close()
    })
  })

  test('remembers the safe point over a restart', async () => {
    await withStore({}, async (storage, dataDirectory) => {
      const table = await makeTable(storage)
      const { startTs } = await fill(storage, table, 'x', 1)
      const { safePoint } = await storage.collectGarbage()
      await storage.close()
      const again = await openStorage({ engine: 'sqlite', dataDirectory })
      await assert.rejects(async () => again.begin({ asOf: startTs }), { code: 'snapshot_too_old' })
      assert.equal((await again.status()).safePoint, safePoint)
      await again.close()
    })
  })

  test('runs by itself from time to time, beside writers, and ends with the store', async () => {
    await withStore({ collectionIntervalMs: 20 }, async (storage) => {
      const table = await makeTable(storage)
      let turn = 0
      while ((await storage.status()).lastCollection === undefined || turn < 20) {
        turn += 1
        await fill(storage, table, String(turn), 20)
      }
      assert.equal(await bodyOf(storage, table), String(turn))
    })
  })
})

test('a collection raises the fence in the turn that chooses it: an older commit is refused after that', async () => {
  const world = new EmbeddedWorld(100)
  const collecting = collectionOf(world).collect()
  while (world.oracle.safePoint === 0) await Promise.resolve()
  await assert.rejects(world.commitAt(40, { joe: '1' }), { code: 'snapshot_too_old' })
  assert.equal((await collecting).safePoint, 101)
})

/** Collects everything that no open transaction needs, as the embedded store does. */
function collectionOf(world: EmbeddedWorld): GarbageCollection {
  return new GarbageCollection({
    context: world.context,
    collector: new GarbageCollector(world.context, async () => 0, 0),
    retention: { read: async () => AT_ONCE },
    gateways: { forgetEnded: async () => {}, oldestSnapshot: async () => undefined },
    isShared: false,
    oldestSnapshot: () => undefined,
    expendableAt: async () => ({ row: () => false, observer: () => false }),
  })
}
