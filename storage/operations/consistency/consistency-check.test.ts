// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CATALOG_NAME,
  CATALOG_TABLE,
  change,
  DamagedWorld,
  LONG,
  makeTable,
  testDamages,
} from '../../../test/storage/damaged-world.ts'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { type Cell, FAMILIES } from '../../cells/cell.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { noteRowKey } from '../../cells/note.ts'
import { ORACLE_ROW, systemRowKey } from '../../cells/row-key.ts'
import { Storage } from '../../storage.ts'
import { encodeNextId } from '../../tables/bytes/catalog-codec.ts'
import { encodeTable } from '../../tables/bytes/table-codec.ts'
import { encodePrimaryKey, guardRow } from '../../tables/tables.ts'
import { encodeFeedBegins, FEED_BEGINS_ROW } from '../../transactions/feed/feed-begins.ts'
import { encodeGap } from '../../transactions/history/history-rows.ts'
import { decodeWriteRecord, encodeWriteRecord } from '../../transactions/records/write-record.ts'
import { checkConsistency } from './consistency-check.ts'

/** What breaks the rules of the store's own rows, of keys, values and definitions, and of the log. */
testDamages([
  {
    name: 'versions, and the history, above the mark of the oracle',
    rules: ['H2', 'I8'],
    damage: async (world) => {
      const mark = await world.cells(ORACLE_ROW, 'data')
      const timestamp = mark.find(({ qualifier }) => qualifier === 'timestamp') as Cell
      const value = Buffer.alloc(8)
      value.writeBigInt64BE(Buffer.from(timestamp.value).readBigInt64BE() - 10_000_000n)
      await world.set(ORACLE_ROW, { ...timestamp, value })
    },
  },
  {
    name: 'an oracle whose counter is cut short',
    rules: ['I8'],
    damage: async (world) => {
      for (const cell of await world.cells(ORACLE_ROW, 'data')) {
        await world.set(ORACLE_ROW, { ...cell, value: cell.value.subarray(0, 7) })
      }
    },
  },
  {
    name: 'a secret of another length',
    rules: ['I8'],
    damage: (world) => world.shorten(systemRowKey('secret/cursor'), 'data'),
  },
  {
    name: 'a history that is cut short',
    rules: ['H1', 'I8'],
    damage: (world) => world.shorten(systemRowKey('history/current'), 'data'),
  },
  {
    name: 'a gap of the history that ends before it begins',
    rules: ['H1'],
    damage: async (world) => {
      const value = encodeGap({ after: 9, until: 8 })
      await world.set(systemRowKey('history/1'), { family: 'data', timestamp: 0, value })
    },
  },
  {
    name: 'a log that begins above the mark of the oracle',
    rules: ['J12'],
    damage: async (world) => {
      const value = encodeFeedBegins({ kind: 'shared', at: Number.MAX_SAFE_INTEGER })
      await world.set(FEED_BEGINS_ROW, { family: 'data', timestamp: 0, value })
    },
  },
  {
    name: 'a log of no known form',
    rules: ['J12'],
    damage: async (world) => {
      const cell = await world.newest(FEED_BEGINS_ROW, 'data')
      await world.set(FEED_BEGINS_ROW, { ...cell, value: Buffer.alloc(9) })
    },
  },
  {
    name: 'a row key that cannot be read',
    rules: ['T1'],
    damage: async (world) => {
      const cell = await world.newest(world.key('eve'), 'write')
      await world.set(Buffer.concat([world.key('eve'), Uint8Array.of(7)]), cell)
    },
  },
  {
    name: 'a row key of a space that does not exist',
    rules: ['T1'],
    damage: async (world) => {
      await world.set(Uint8Array.of(2), await world.newest(world.key('eve'), 'write'))
    },
  },
  {
    name: 'a row of a table that was never given out',
    rules: ['T1'],
    damage: async (world) => {
      const row = encodePrimaryKey({ ...world.account, id: 99 }, ['bob'])
      await world.set(row, await world.newest(world.key('eve'), 'write'))
    },
  },
  {
    name: 'a short row value that cannot be read',
    rules: ['T2'],
    damage: (world) => world.shorten(world.key('eve'), 'write'),
  },
  {
    name: 'a long row value that cannot be read, in an old version',
    rules: ['T2'],
    damage: async (world) => {
      const cells = await world.cells(world.key('ann'), 'data')
      const oldest = cells.at(-1) as Cell
      const value = Uint8Array.from(oldest.value)
      value[0] = 9
      await world.set(world.key('ann'), { ...oldest, value })
    },
  },
  {
    name: 'a row without the value of a NOT NULL column',
    rules: ['T2'],
    damage: async (world) => {
      const row = world.key('eve')
      const cell = await world.newest(row, 'write')
      const { startTs } = decodeWriteRecord(cell.value)
      const content = { kind: 'inline', value: Uint8Array.of(1, 0x20, 0x30) } as const
      await world.set(row, { ...cell, value: encodeWriteRecord({ startTs, content }) })
    },
  },
  {
    name: 'a row with another column than that of rows',
    rules: ['T2'],
    damage: async (world) => {
      const cell = await world.newest(world.key('eve'), 'write')
      await world.set(world.key('eve'), { ...cell, qualifier: '1' })
    },
  },
  {
    name: 'a definition that cannot be read',
    rules: ['T3'],
    damage: async (world) => {
      for (const family of ['write', 'data'] as const) {
        for (const cell of await world.cells(CATALOG_TABLE, family)) {
          const value = Uint8Array.from(cell.value)
          value[20] = 0xff
          await world.set(CATALOG_TABLE, { ...cell, value })
        }
      }
    },
  },
  {
    name: 'a name that leads nowhere, its table having lost its definition',
    rules: ['J9', 'T3'],
    damage: async (world) => world.erase(CATALOG_TABLE, await world.newest(CATALOG_TABLE, 'write')),
  },
  {
    name: 'a table that has lost its name',
    rules: ['J9', 'T3'],
    damage: async (world) => world.erase(CATALOG_NAME, await world.newest(CATALOG_NAME, 'write')),
  },
  {
    name: 'an id that was given out and will be given out again',
    rules: ['T1', 'T3'],
    damage: async (world) => {
      const row = systemRowKey('catalog/next-id')
      const cell = await world.newest(row, 'write')
      const { startTs } = decodeWriteRecord(cell.value)
      const content = { kind: 'inline', value: encodeNextId(2) } as const
      await world.set(row, { ...cell, value: encodeWriteRecord({ startTs, content }) })
    },
  },
  {
    name: 'a definition under the id of another table',
    rules: ['T3'],
    damage: async (world) => {
      const cell = await world.newest(CATALOG_TABLE, 'write')
      const { startTs } = decodeWriteRecord(cell.value)
      const content = { kind: 'inline', value: encodeTable({ ...world.account, id: 3 }) } as const
      await world.set(CATALOG_TABLE, { ...cell, value: encodeWriteRecord({ startTs, content }) })
    },
  },
  {
    name: 'a catalog that changed without its version',
    rules: ['J9', 'T3'],
    damage: async (world) => {
      const row = systemRowKey('catalog/version')
      await world.erase(row, await world.newest(row, 'write'))
    },
  },
  {
    name: 'a commit that is not in the log',
    rules: ['J9'],
    damage: async (world) => {
      const { timestamp } = await world.newest(world.key('eve'), 'write')
      const row = noteRowKey(timestamp)
      await world.erase(row, await world.newest(row, 'data'))
    },
  },
  {
    name: 'a log entry that is cut short',
    rules: ['J9'],
    damage: async (world) => {
      const { timestamp } = await world.newest(world.key('eve'), 'write')
      await world.shorten(noteRowKey(timestamp), 'data')
    },
  },
  {
    name: 'a log entry of a commit that never was',
    rules: ['J9'],
    damage: async (world) => {
      const { timestamp: commitTs } = await world.newest(world.key('eve'), 'write')
      const { value } = await world.newest(noteRowKey(commitTs), 'data')
      const timestamp = commitTs - 1
      await world.set(noteRowKey(timestamp), { family: 'data', timestamp, value })
    },
  },
])

test('a sound store has no problems, and everything in it is counted', async () => {
  const world = await DamagedWorld.create()
  const { tables, droppedTables, cells, orphanedValues, problems } = await checkConsistency(
    world.cellStore,
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(tables, [
    { name: 'account', rows: 4, versions: 19, indexes: [] },
    { name: 'visit', rows: 0, versions: 0, indexes: [] },
  ])
  assert.deepEqual(droppedTables, { rows: 1, versions: 1 })
  assert.equal(orphanedValues, 0)
  assert.equal(cells.guard, 1)
  const counted = { data: 0, lock: 0, write: 0, rollback: 0, guard: 0, notify: 0 }
  const filter = FAMILIES.map((family) => ({ family }))
  for await (const row of world.cellStore.scanRows({ start: new Uint8Array(), filter })) {
    for (const { family } of row.cells) counted[family] += 1
  }
  assert.deepEqual(cells, counted)
})

test('a value that nothing names is a problem above the safe point, and counted below it', async () => {
  const world = await DamagedWorld.create()
  const { timestamp } = await world.newest(world.key('bob'), 'write')
  await world.set(world.key('bob'), { family: 'data', timestamp, value: Uint8Array.of(1) })
  assert.deepEqual(await world.rulesFound(), ['I5'])
  const safePoint = Buffer.alloc(8)
  safePoint.writeBigInt64BE(BigInt(timestamp + 1))
  const cell = { family: 'data', qualifier: 'safePoint', timestamp: 0, value: safePoint } as const
  await world.set(ORACLE_ROW, cell)
  const { problems, orphanedValues } = await checkConsistency(world.cellStore)
  assert.deepEqual([problems, orphanedValues], [[], 1])
})

test('a table whose commit is not finished yet is a table, and nothing is settled for it', async () => {
  const world = await DamagedWorld.create()
  const cell = await world.newest(CATALOG_TABLE, 'write')
  const { startTs, content } = decodeWriteRecord(cell.value)
  const record = await world.newest(CATALOG_NAME, 'write')
  assert.equal(decodeWriteRecord(record.value).startTs, startTs)
  await world.erase(CATALOG_TABLE, cell)
  await world.lock(CATALOG_TABLE, CATALOG_NAME, { startTs, content })
  const { problems, tables } = await checkConsistency(world.cellStore)
  assert.deepEqual(problems, [])
  assert.deepEqual(tables[0], { name: 'account', rows: 4, versions: 19, indexes: [] })
  assert.equal((await world.cells(CATALOG_TABLE, 'lock')).length, 1)
})

test('a store that is written all the time has no problems at any moment', async () => {
  const storage = await Storage.open(new MemoryCellStore(), { owner: 'exclusive' })
  const account = await makeTable(storage, 'account')
  let writing = true
  const write = async (client: number) => {
    for (let round = 0; writing; round += 1) {
      const note = round % 3 === 0 ? `${round}${LONG}` : null
      await change(storage, async (at) => {
        for (const id of [`a${client}`, `b${client}`, `c${client}-${round % 20}`]) {
          if (round % 5 === 4) await deleteRow(at, account, [id, null, null])
          else await putRow(at, account, [id, BigInt(round), note], null)
        }
        guardRow(at, account, [`d${client}`])
      })
      if (round % 10 === 0) await makeTable(storage, `t${client}-${round}`).catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const writers = [1, 2, 3, 4, 5, 6].map(write)
  for (let round = 0; round < 15; round += 1) {
    const { problems } = await storage.checkConsistency()
    assert.deepEqual(problems, [])
  }
  writing = false
  await Promise.all(writers)
  await storage.close()
})

test('a signal ends the check', async () => {
  const world = await DamagedWorld.create()
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(checkConsistency(world.cellStore, { signal }), /enough/)
})
