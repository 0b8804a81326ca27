// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { putRow } from '../../../test/storage/row-writes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import {
  type CellStore,
  CellStoreError,
  openGateway,
  openStorage,
  type Storage,
} from '../../storage.ts'
import { createIndex, createTable, scanRows, type TableDefinition } from '../../tables/tables.ts'
import type { MoveOptions } from './move.ts'

const ACCOUNT = {
  name: 'account',
  columns: [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'balance', type: 'INTEGER', notNull: false },
    { name: 'note', type: 'TEXT', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

const TO = { to: 'the other store', url: 'http://127.0.0.1:1', follow: false, compare: true }
const LONG = 'a long note '.repeat(400)

type Old = { readonly storage: Storage; readonly table: TableDefinition; readonly data: string }

async function openOld(t: TestContext, commit: 'one-phase' | 'two-phase' = 'one-phase') {
  const data = await testFolder(t, 'move')
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: data, commit })
  t.after(() => storage.close())
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const { table } = await createTable(transaction, catalog, ACCOUNT, { ifNotExists: false })
  await transaction.commit()
  return { storage, table, data }
}

async function put(
  { storage, table }: Pick<Old, 'storage' | 'table'>,
  id: string,
  balance: number,
) {
  const transaction = await storage.begin({ keepsOutcome: true })
  await putRow(transaction, table, [id, BigInt(balance), balance % 7 === 0 ? LONG : 'short'], null)
  await transaction.commit()
  return transaction
}

async function rowsAt(storage: Storage, table: TableDefinition, asOf?: number): Promise<string[]> {
  const transaction = await storage.begin({ asOf })
  const found: string[] = []
  for await (const { row } of scanRows(transaction, table, {})) {
    found.push(`${row[0]} ${row[1]} ${String(row[2]).length}`)
  }
  transaction.rollback()
  return found
}

async function openNew(t: TestContext, target: CellStore): Promise<Storage> {
  const storage = await openGateway(target)
  t.after(() => storage.close())
  return storage
}

async function commitsAfter(storage: Storage, position: number): Promise<string[]> {
  const lines: string[] = []
  for (let at = position; ; ) {
    const page = await storage.feed.read(at, { rowsMax: 10 })
    for (const { commitTs, rows } of page.commits) lines.push(`${commitTs}: ${rows.length}`)
    if (page.isCaughtUp) return lines
    at = page.position
  }
}

describe('a move into another store', () => {
  for (const commit of ['one-phase', 'two-phase'] as const) {
    test(`takes rows, versions and outcomes along, with their timestamps, ${commit} commit`, async (t) => {
      const old = await openOld(t, commit)
      for (let balance = 0; balance < 30; balance += 1) await put(old, `id${balance % 10}`, balance)
      const { id, startTs } = await put(old, 'id3', 1_000)
      const target = new MemoryCellStore()
      const before = await rowsAt(old.storage, old.table)
      const past = await rowsAt(old.storage, old.table, startTs)
      const report = await old.storage.moveTo(target, TO)
      assert.ok(report.rows >= 41, `${report.rows} rows`)
      assert.ok((report.spaces?.length ?? 0) >= 2)
      const storage = await openNew(t, target)
      assert.equal(storage.history.id, old.storage.history.id)
      assert.deepEqual(await rowsAt(storage, old.table), before)
      assert.deepEqual(await rowsAt(storage, old.table, startTs), past)
      assert.equal((await storage.outcomeOf(id, 0)).kind, 'committed')
      const { timestamp } = await storage.status()
      assert.ok(timestamp > report.at, 'timestamps go on above those of the old store')
      await put({ storage, table: old.table }, 'id3', 1_001)
      assert.equal((await storage.checkConsistency()).problems.length, 0)
    })
  }

  test('refuses writers of the old store for good, and says where to go', async (t) => {
    const old = await openOld(t)
    await put(old, 'bob', 1)
    const open = await old.storage.begin()
    await putRow(open, old.table, ['joe', 2n, ''], null)
    await old.storage.moveTo(new MemoryCellStore(), TO)
    const moved = { code: 'moved', fields: { url: TO.url } }
    await assert.rejects(open.commit(), moved)
    await assert.rejects(put(old, 'sue', 3), moved)
    assert.deepEqual(await rowsAt(old.storage, old.table), ['bob 1 5'])
    await old.storage.close()
    const again = await openStorage({ engine: 'sqlite', dataDirectory: old.data })
    assert.equal(again.movedTo?.url, TO.url)
    await assert.rejects(put({ storage: again, table: old.table }, 'sue', 3), moved)
    await again.close()
  })

  test('follows writers until the end: none of their commits is missing, and all are in the feed', async (t) => {
    const old = await openOld(t)
    for (let balance = 0; balance < 300; balance += 1) await put(old, `id${balance}`, balance)
    const target = new MemoryCellStore()
    const acknowledged: string[] = []
    let isOver = false
    const writers = [1, 2, 3].map(async (writer) => {
      for (let number = 1; !isOver; number += 1) {
        const id = `w${writer}-${String(number).padStart(6, '0')}`
        try {
          await put(old, id, number)
          await put(old, 'shared', number).catch((error) => {
            if (error.code !== 'write_conflict') throw error
          })
          acknowledged.push(id)
        } catch (error) {
          const { code } = error as { code?: string }
          if (code !== 'moving' && code !== 'moved') throw error
          if (code === 'moved') return
        }
        await sleep(1)
      }
    })
    const bookmarks: number[] = []
    const options: MoveOptions = {
      ...{ ...TO, follow: true },
      onProgress: ({ phase }) => {
        if (phase === 'following') bookmarks.push(acknowledged.length)
      },
    }
    const report = await old.storage.moveTo(target, options)
    isOver = true
    await Promise.all(writers)
    assert.ok(acknowledged.length > 0 && bookmarks.length > 0)
    const storage = await openNew(t, target)
    const found = new Set((await rowsAt(storage, old.table)).map((line) => line.split(' ')[0]))
    for (const id of acknowledged) assert.ok(found.has(id), `${id} is missing`)
    assert.deepEqual(
      await commitsAfter(storage, report.from),
      await commitsAfter(old.storage, report.from),
    )
    await assert.rejects(storage.feed.read(report.from - 1, { rowsMax: 1 }), {
      code: 'resume_too_old',
    })
    assert.equal((await storage.checkConsistency()).problems.length, 0)
  })

  test('takes indexes along', async (t) => {
    const old = await openOld(t)
    for (let balance = 0; balance < 20; balance += 1) await put(old, `id${balance}`, balance)
    const transaction = await old.storage.begin()
    const index = {
      ...{ name: 'by_balance', table: 'account', unique: false },
      ...{ parts: [{ column: 'balance', descending: false }], storing: [] },
    }
    const catalog = await old.storage.catalog(transaction)
    const made = await createIndex(transaction, catalog, index, { ifNotExists: false })
    await transaction.commit()
    assert.equal(await old.storage.indexBuilt(made.index.id), 'ready')
    const target = new MemoryCellStore()
    await old.storage.moveTo(target, TO)
    const { problems } = await (await openNew(t, target)).checkConsistency()
    assert.deepEqual(problems, [])
  })

  test('that was cut off leaves the old store as it was, and goes on where it was', async (t) => {
    const old = await openOld(t)
    for (let balance = 0; balance < 50; balance += 1) await put(old, `id${balance}`, balance)
    const target = new CutOff(new MemoryCellStore(), 3)
    await assert.rejects(old.storage.moveTo(target, TO), { name: 'CellStoreError' })
    await put(old, 'id7', 7_000)
    await assert.rejects(openGateway(target), { code: 'moving' })
    target.failsAt = Number.POSITIVE_INFINITY
    await old.storage.moveTo(target, TO)
    const storage = await openNew(t, target)
    assert.deepEqual(await rowsAt(storage, old.table), await rowsAt(old.storage, old.table))
  })

  test('that was cut off between the two marks leaves neither store for writers, and ends later (M1)', async (t) => {
    const old = await openOld(t)
    await put(old, 'bob', 1)
    const target = new Unmarked(new MemoryCellStore())
    await assert.rejects(old.storage.moveTo(target, TO), { name: 'CellStoreError' })
    await assert.rejects(put(old, 'bob', 2), { code: 'moved' })
    await assert.rejects(openGateway(target), { code: 'moving' })
    await old.storage.close()
    const again = await openStorage({ engine: 'sqlite', dataDirectory: old.data })
    t.after(() => again.close())
    await assert.rejects(put({ storage: again, table: old.table }, 'bob', 2), { code: 'moved' })
    target.refuses = false
    await again.moveTo(target, TO)
    const storage = await openNew(t, target)
    await put({ storage, table: old.table }, 'bob', 3)
    await assert.rejects(again.moveTo(new MemoryCellStore(), { ...TO, to: 'a third store' }), {
      code: 'already_exists',
    })
  })

  test('is refused for a store that other processes write to (M1)', async (t) => {
    const shared = await openNew(t, new MemoryCellStore())
    await assert.rejects(shared.moveTo(new MemoryCellStore(), TO), { rule: 'M1' })
  })

  test('goes only into an empty store', async (t) => {
    const old = await openOld(t)
    const target = new MemoryCellStore()
    const other = await openGateway(target)
    await other.close()
    await assert.rejects(old.storage.moveTo(target, TO), { code: 'already_exists' })
    await put(old, 'bob', 1)
  })

  test('of a row that the other store cannot hold says which, and leaves the old one in use', async (t) => {
    const old = await openOld(t)
    await put(old, 'bob', 7)
    const small = new Small(new MemoryCellStore())
    await assert.rejects(old.storage.moveTo(small, TO), { code: 'limit_exceeded' })
    await put(old, 'bob', 8)
  })
})

/** Its n-th call to change rows fails, and all after it. */
class CutOff extends ForwardingCellStore {
  readonly atomicScope = 'row'
  failsAt: number
  #calls = 0

  constructor(inner: CellStore, failsAt: number) {
    super(inner)
    this.failsAt = failsAt
  }

  override async mutateRows(...call: Parameters<CellStore['mutateRows']>) {
    this.#calls += 1
    if (this.#calls >= this.failsAt) throw new CellStoreError('closed', 'cut off')
    return await super.mutateRows(...call)
  }
}

/** It cannot be marked as whole. */
class Unmarked extends ForwardingCellStore {
  readonly atomicScope = 'row'
  refuses = true

  override async mutateRows(...call: Parameters<CellStore['mutateRows']>) {
    const isMark = call[0].some(({ mutations }) =>
      mutations.some(
        (one) => one.kind === 'setCell' && Buffer.from(one.value).includes('"isDone":true'),
      ),
    )
    if (isMark && this.refuses) throw new CellStoreError('closed', 'cut off')
    return await super.mutateRows(...call)
  }
}

class Small extends ForwardingCellStore {
  readonly atomicScope = 'row'

  override get limits() {
    return { ...super.limits, cellBytesMax: 1_000 }
  }
}
