// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteRow, putRow } from '../../test/storage/row-writes.ts'
import { type Cell, FAMILIES, type Family } from '../cell-store/cell.ts'
import { MemoryCellStore } from '../cell-store/memory/memory-cell-store.ts'
import { noteRowKey } from '../cell-store/note.ts'
import { ORACLE_ROW, systemRowKey } from '../cell-store/row-key.ts'
import { encodeFeedBegins, FEED_BEGINS_ROW } from '../feed/feed-begins.ts'
import { encodeGap } from '../history/history-rows.ts'
import {
  createTable,
  dropTable,
  encodePrimaryKey,
  guardRow,
  Storage,
  type TableDefinition,
} from '../storage.ts'
import { encodeNextId } from '../tables/bytes/catalog-codec.ts'
import { encodeTable } from '../tables/bytes/table-codec.ts'
import { encodeLock, type Lock } from '../transaction/records/lock.ts'
import {
  decodeWriteRecord,
  encodeStartTs,
  encodeWriteRecord,
} from '../transaction/records/write-record.ts'
import { checkConsistency } from './consistency-check.ts'

const LONG = 'x'.repeat(1_000)

/** Storage closes the store that it owns, and the damage is done after that. */
class StoreLeftOpen extends MemoryCellStore {
  override async close(): Promise<void> {}
}

/** A store with two tables and a dropped one, and rows with short, long, deleted and guarded values. */
class DamagedWorld {
  readonly cellStore: MemoryCellStore
  readonly account: TableDefinition

  private constructor(cellStore: MemoryCellStore, account: TableDefinition) {
    this.cellStore = cellStore
    this.account = account
  }

  static async create(): Promise<DamagedWorld> {
    const cellStore = new StoreLeftOpen()
    const storage = await Storage.open(cellStore, { owner: 'exclusive' })
    const make = (name: string) => makeTable(storage, name)
    const account = await make('account')
    await make('visit')
    const dropped = await make('dropped')
    await change(storage, (at) => putRow(at, dropped, ['gone', 1n, null], null))
    await change(storage, async (at) =>
      dropTable(at, await storage.catalog(at), 'dropped', { ifExists: false }),
    )
    for (const note of ['first', LONG, 'third']) {
      await change(storage, async (at) => {
        await putRow(at, account, ['bob', 10n, note], null)
        await putRow(at, account, ['joe', 2n, note], null)
      })
    }
    for (let round = 0; round < 11; round += 1) {
      await change(storage, (at) =>
        putRow(at, account, ['ann', BigInt(round), `${round}${LONG}`], null),
      )
    }
    await change(storage, (at) => deleteRow(at, account, ['joe', null, null]))
    await change(storage, async (at) => {
      guardRow(at, account, ['bob'])
      await putRow(at, account, ['eve', 1n, 'note'], null)
    })
    await storage.secret('cursor')
    await storage.status() // Takes a timestamp, so that the newest one is of no commit.
    await storage.close()
    return new DamagedWorld(cellStore, account)
  }

  key(name: string): Uint8Array {
    return encodePrimaryKey(this.account, [name])
  }

  /** The cells of this family in the row, newest first. */
  async cells(row: Uint8Array, family: Family): Promise<readonly Cell[]> {
    const [image] = await this.cellStore.readRows([row], [{ family }])
    return image?.cells ?? []
  }

  async newest(row: Uint8Array, family: Family): Promise<Cell> {
    const [cell] = await this.cells(row, family)
    assert.ok(cell !== undefined, `there is a cell of ${family}`)
    return cell
  }

  async set(row: Uint8Array, cell: Omit<Cell, 'qualifier'> & { qualifier?: string }) {
    const mutation = { kind: 'setCell', qualifier: '0', ...cell } as const
    await this.cellStore.mutateRows([{ row, mutations: [mutation] }])
  }

  async erase(row: Uint8Array, { family, qualifier, timestamp }: Cell): Promise<void> {
    const timestamps = { from: timestamp, until: timestamp + 1 }
    const mutation = { kind: 'deleteFromColumn', family, qualifier, timestamps } as const
    await this.cellStore.mutateRows([{ row, mutations: [mutation] }])
  }

  async notify(row: Uint8Array, cell: { qualifier?: string; value?: Uint8Array }): Promise<void> {
    const { timestamp } = await this.newest(row, 'write')
    const value = new Uint8Array()
    await this.set(row, { family: 'notify', qualifier: '1', timestamp, value, ...cell })
  }

  /** A run of observer 1 that began when the newest version did. */
  async acknowledge(
    row: Uint8Array,
    acknowledgedAt: (startTs: number) => Uint8Array,
  ): Promise<void> {
    const { timestamp, value } = await this.newest(row, 'write')
    const { startTs } = decodeWriteRecord(value)
    const record = { startTs, content: { kind: 'inline', value: acknowledgedAt(startTs) } } as const
    const acknowledged = encodeWriteRecord(record)
    await this.set(row, { family: 'write', qualifier: 'ack/1', timestamp, value: acknowledged })
  }

  /** Cuts the last byte off the newest cell of the family. */
  async shorten(row: Uint8Array, family: Family): Promise<void> {
    const cell = await this.newest(row, family)
    await this.set(row, { ...cell, value: cell.value.subarray(0, -1) })
  }

  /** A lock of `row`, begun now, with the primary `primary`. */
  async lock(row: Uint8Array, primary: Uint8Array, changes: Partial<Lock> = {}): Promise<number> {
    const counters = await this.cells(ORACLE_ROW, 'data')
    const mark = counters.find(({ qualifier }) => qualifier === 'timestamp') as Cell
    const startTs = changes.startTs ?? Number(Buffer.from(mark.value).readBigInt64BE())
    const lock: Lock = {
      startTs,
      primary: { row: primary, column: '0' },
      incarnation: 'aa'.repeat(16),
      wallMicros: startTs,
      content: { kind: 'delete' },
      ...changes,
    }
    await this.set(row, { family: 'lock', timestamp: startTs, value: encodeLock(lock) })
    return startTs
  }

  async rulesFound(): Promise<string[]> {
    const { problems, problemCount } = await checkConsistency(this.cellStore)
    assert.equal(problemCount, problems.length)
    return [...new Set(problems.map(({ rule }) => rule))].toSorted()
  }
}

async function makeTable(storage: Storage, name: string): Promise<TableDefinition> {
  const columns = [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'balance', type: 'INTEGER', notNull: true },
    { name: 'note', type: 'TEXT', notNull: false },
  ]
  const definition = { name, columns, primaryKey: [{ column: 'id', descending: false }] }
  return await change(storage, async (at) => {
    const catalog = await storage.catalog(at)
    return (await createTable(at, catalog, definition, { ifNotExists: false })).table
  })
}

async function change<T>(
  storage: Storage,
  work: (transaction: Awaited<ReturnType<Storage['begin']>>) => T | Promise<T>,
): Promise<T> {
  const transaction = await storage.begin({ keepsOutcome: true })
  const answer = await work(transaction)
  await transaction.commit()
  return answer
}

const CATALOG_NAME = systemRowKey('catalog/name/account')
const CATALOG_TABLE = systemRowKey('catalog/table/1')

type Damage = {
  readonly name: string
  readonly rules: readonly string[]
  readonly damage: (world: DamagedWorld) => Promise<unknown>
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'a write record that is cut short',
    rules: ['I5'],
    damage: async (world) => {
      const cell = await world.newest(world.key('bob'), 'write')
      await world.set(world.key('bob'), { ...cell, value: cell.value.subarray(0, 8) })
    },
  },
  {
    name: 'a write record of a kind that does not exist',
    rules: ['I5'],
    damage: async (world) => {
      const cell = await world.newest(world.key('bob'), 'write')
      const value = Uint8Array.from(cell.value)
      value[8] = 0x51
      await world.set(world.key('bob'), { ...cell, value })
    },
  },
  {
    name: 'a lost value, among the newest ones and the oldest',
    rules: ['I5'],
    damage: async (world) => {
      const cells = await world.cells(world.key('ann'), 'data')
      await world.erase(world.key('ann'), cells[0] as Cell)
      await world.erase(world.key('ann'), cells.at(-1) as Cell)
    },
  },
  {
    name: 'a value that is cut short',
    rules: ['I5'],
    damage: (world) => world.shorten(world.key('ann'), 'data'),
  },
  {
    name: 'a lost write record of a long value, the oldest one',
    rules: ['I5', 'J9'],
    damage: async (world) => {
      const cells = await world.cells(world.key('ann'), 'write')
      await world.erase(world.key('ann'), cells.at(-1) as Cell)
    },
  },
  {
    name: 'a commit that is not after its start',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('eve')
      const cell = await world.newest(row, 'write')
      const { content } = decodeWriteRecord(cell.value)
      await world.set(row, {
        ...cell,
        value: encodeWriteRecord({ startTs: cell.timestamp, content }),
      })
    },
  },
  {
    name: 'a version whose writer began before the version under it was committed',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const [newest, older] = await world.cells(row, 'write')
      const { content } = decodeWriteRecord(newest?.value ?? new Uint8Array())
      const startTs = (older as Cell).timestamp - 1
      await world.set(row, { ...(newest as Cell), value: encodeWriteRecord({ startTs, content }) })
    },
  },
  {
    name: 'a guard that overlaps a version',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const [version] = await world.cells(row, 'write')
      const guard = await world.newest(row, 'guard')
      await world.set(row, { ...guard, value: encodeStartTs((version as Cell).timestamp - 1) })
    },
  },
  {
    name: 'a guard stamp that is cut short',
    rules: ['I5'],
    damage: (world) => world.shorten(world.key('bob'), 'guard'),
  },
  {
    name: 'a notify cell of an observer that never was',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { qualifier: '99' }),
  },
  {
    name: "a notify cell that is no observer's",
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { qualifier: 'reader' }),
  },
  {
    name: "a notify cell in a row that is no table's",
    rules: ['O2'],
    damage: (world) => world.notify(systemRowKey('catalog/version'), {}),
  },
  {
    name: 'a notify cell that is cut short',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { value: new Uint8Array(7) }),
  },
  {
    name: 'a notify cell that tells of what came after it',
    rules: ['O2'],
    damage: (world) => world.notify(world.key('bob'), { value: encodeStartTs(2 ** 52) }),
  },
  {
    name: 'an acknowledgment of what a run has not seen',
    rules: ['O3'],
    damage: (world) => world.acknowledge(world.key('bob'), (startTs) => encodeStartTs(startTs + 1)),
  },
  {
    name: 'an acknowledgment that is no timestamp',
    rules: ['O3'],
    damage: (world) => world.acknowledge(world.key('bob'), () => new Uint8Array(7)),
  },
  {
    name: 'a transaction that is committed and rolled back',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('bob')
      const { value } = await world.newest(row, 'write')
      const { startTs } = decodeWriteRecord(value)
      await world.set(row, { family: 'rollback', timestamp: startTs, value: new Uint8Array(16) })
    },
  },
  {
    name: 'a lock beside the write record of its transaction',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('eve')
      const { startTs } = decodeWriteRecord((await world.newest(row, 'write')).value)
      await world.lock(row, row, { startTs })
    },
  },
  {
    name: 'a lock beside the rollback record of its transaction',
    rules: ['I3'],
    damage: async (world) => {
      const row = world.key('new')
      const timestamp = await world.lock(row, row)
      await world.set(row, { family: 'rollback', timestamp, value: new Uint8Array(16) })
    },
  },
  {
    name: 'a lock whose transaction began before the newest version',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('bob')
      const { startTs } = decodeWriteRecord((await world.newest(row, 'write')).value)
      await world.lock(row, row, { startTs: startTs - 1 })
    },
  },
  {
    name: 'two locks on one column',
    rules: ['I4'],
    damage: async (world) => {
      const row = world.key('new')
      const startTs = await world.lock(row, row)
      await world.lock(row, row, { startTs: startTs - 1 })
    },
  },
  {
    name: 'a lock whose primary has no trace of its transaction',
    rules: ['I6'],
    damage: (world) => world.lock(world.key('bob'), world.key('new')),
  },
  {
    name: 'a lock whose primary names another',
    rules: ['I6'],
    damage: async (world) => {
      await world.lock(world.key('bob'), world.key('new'))
      await world.lock(world.key('new'), world.key('eve'))
      await world.lock(world.key('eve'), world.key('eve'))
    },
  },
  {
    name: 'a lock that is cut short',
    rules: ['I6'],
    damage: async (world) => {
      const row = world.key('new')
      const timestamp = await world.lock(row, row)
      const cell = await world.newest(row, 'lock')
      await world.set(row, { ...cell, timestamp, value: cell.value.subarray(0, 20) })
    },
  },
  {
    name: 'a primary lock that is a guard',
    rules: ['I7'],
    damage: (world) =>
      world.lock(world.key('new'), world.key('new'), { content: { kind: 'guard' } }),
  },
  {
    name: 'two locks of one transaction and row with different primaries',
    rules: ['I1'],
    damage: async (world) => {
      const row = world.key('bob')
      const timestamp = await world.lock(row, row)
      await world.lock(world.key('eve'), world.key('eve'))
      const { value } = await world.newest(world.key('eve'), 'lock')
      await world.set(row, { family: 'lock', qualifier: '1', timestamp, value })
    },
  },
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
    rules: ['I5', 'J9', 'T3'],
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
      const cells = await world.cells(CATALOG_TABLE, 'data')
      const value = encodeTable({ ...world.account, id: 3 })
      assert.equal(value.length, cells[0]?.value.length)
      await world.set(CATALOG_TABLE, { ...(cells[0] as Cell), value })
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
]

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

for (const { name, rules, damage } of DAMAGES) {
  test(`found: ${name}`, async () => {
    const world = await DamagedWorld.create()
    assert.deepEqual(await world.rulesFound(), [])
    await damage(world)
    assert.deepEqual(await world.rulesFound(), rules)
  })
}

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
