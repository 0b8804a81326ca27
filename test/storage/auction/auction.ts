// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import {
  openStorage,
  type Storage,
  StorageError,
  type Transaction,
} from '../../../storage/storage.ts'
import {
  type Catalog,
  changeRows,
  createObserver,
  createTable,
  getRows,
  type ObserverDefinition,
  requireObserver,
  requireTable,
  type SqlRow,
  scanRows,
} from '../../../storage/tables/tables.ts'
import { nextTurn } from '../../../storage/turns/turns.ts'
import { dateOfTimestamp } from '../../../storage/values/days.ts'
import { deleteRow, putRow } from '../row-writes.ts'

const LOT = {
  name: 'lot',
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'state', type: 'TEXT', notNull: false },
    { name: 'ends', type: 'TIMESTAMP', notNull: false },
    { name: 'closed', type: 'INTEGER', notNull: false },
    { name: 'day', type: 'DATE', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  // A run writes beside those who move its row.
  families: [{ name: 'outcome', columns: ['closed'] }],
} as const

const CLOSE = { name: 'close', table: 'lot', isWeak: false, columns: ['state'] }

/** A store with the table `lot`, whose observer `close` is due by `ends`, or by `day`, the same in days. */
export class Auction {
  readonly storage: Storage

  constructor(storage: Storage) {
    this.storage = storage
  }

  static async open(storage?: Storage): Promise<Auction> {
    const auction = new Auction(storage ?? (await openStorage({ engine: 'memory' })))
    await auction.commit(async (transaction, catalog) => {
      await createTable(transaction, catalog, LOT, { ifNotExists: true })
    })
    return auction
  }

  async commit<T>(work: (transaction: Transaction, catalog: Catalog) => Promise<T>): Promise<T> {
    const transaction = await this.storage.begin()
    try {
      const catalog = await this.storage.catalog(transaction)
      const result = await transaction.statement(() => work(transaction, catalog))
      await transaction.commit()
      return result
    } finally {
      transaction.rollback()
    }
  }

  async observe(due: 'ends' | 'day' = 'ends'): Promise<void> {
    await this.commit((transaction, catalog) =>
      createObserver(transaction, catalog, { ...CLOSE, due }, { ifNotExists: false }),
    )
    await this.untilBackfilled()
  }

  async observer(): Promise<ObserverDefinition> {
    const transaction = await this.storage.begin({ readOnly: true })
    const { observer } = requireObserver(await this.storage.catalog(transaction), 'close')
    transaction.rollback()
    return observer
  }

  async untilBackfilled(): Promise<void> {
    while (!(await this.observer()).isBackfilled) await nextTurn()
  }

  /** `inMs` from now; null: no time. Undefined leaves what is there, and the state is another one. */
  async put(id: number, inMs: number | null | undefined): Promise<'inserted' | 'set'> {
    return await this.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'lot')
      const [found] = await getRows(transaction, table, [[BigInt(id)]])
      const before = found?.row ?? null
      const ends =
        inMs === undefined ? (before?.[2] ?? null) : inMs === null ? null : inMicros(inMs)
      const day = ends === null ? null : dateOfTimestamp(ends as bigint)
      const state = `state ${Math.random()}`
      const after: SqlRow = [BigInt(id), state, ends, before?.[3] ?? 0n, day]
      if (before === null) await putRow(transaction, table, after, null)
      else await changeRows(transaction, table, [{ before, after, columns: [1, 2, 4] }])
      return before === null ? 'inserted' : 'set'
    })
  }

  async delete(id: number): Promise<boolean> {
    return await this.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'lot')
      const [found] = await getRows(transaction, table, [[BigInt(id)]])
      if (found != null) await deleteRow(transaction, table, found.row)
      return found != null
    })
  }

  /** Runs the next notification, which counts in the row; undefined when there is none in this time. */
  async runNext(waitMs = 2_000): Promise<number | 'nothing' | undefined> {
    const signal = AbortSignal.timeout(waitMs)
    const notification = await this.storage.observers.lease('close', { signal }).catch((error) => {
      if (error instanceof DOMException && error.name === 'TimeoutError') return undefined
      throw error
    })
    if (notification === undefined) return undefined
    const transaction = await this.storage.begin()
    try {
      if ((await notification.acknowledge(transaction)) === 'alreadyObserved') {
        await notification.committed()
        return 'nothing'
      }
      const table = requireTable(await this.storage.catalog(transaction), 'lot')
      const rows = await Array.fromAsync(scanLots(transaction, table, notification.key))
      const before = rows[0]
      assert.ok(before !== undefined, 'a lot that is gone is not closed')
      assert.ok(
        Number(before[2]) <= Date.now() * 1000 + 2_000,
        'a lot is not closed before its time',
      )
      const after = before.with(3, ((before[3] as bigint) ?? 0n) + 1n)
      await transaction.statement(async () =>
        changeRows(transaction, table, [{ before, after, columns: [3] }]),
      )
      await transaction.commit()
      await notification.committed()
      return Number(before[0])
    } catch (error) {
      await notification.failed(error)
      if (error instanceof StorageError && error.isWorthRerun) return 'nothing'
      throw error
    } finally {
      transaction.rollback()
    }
  }

  async lots(): Promise<Map<number, SqlRow>> {
    const transaction = await this.storage.begin({ readOnly: true })
    const table = requireTable(await this.storage.catalog(transaction), 'lot')
    const rows = await Array.fromAsync(scanLots(transaction, table))
    transaction.rollback()
    return new Map(rows.map((row) => [Number(row[0]), row]))
  }

  async requireSound(): Promise<void> {
    assert.deepEqual((await this.storage.checkConsistency()).problems, [])
  }
}

async function* scanLots(
  transaction: Transaction,
  table: ReturnType<typeof requireTable>,
  key?: Uint8Array,
): AsyncGenerator<SqlRow> {
  const scan = key === undefined ? {} : { start: key, limit: 1 }
  for await (const { row, key: found } of scanRows(transaction, table, scan)) {
    if (key === undefined || Buffer.compare(found, key) === 0) yield row
  }
}

function inMicros(inMs: number): bigint {
  return BigInt(Math.round((Date.now() + inMs) * 1000))
}
