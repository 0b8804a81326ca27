// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { keyString } from '../../storage/cells/row-key.ts'
import {
  type InspectedCell,
  type Notification,
  openGateway,
  openStorage,
  type Storage,
  type StorageOptions,
  type Transaction,
} from '../../storage/storage.ts'
import {
  type Catalog,
  changeRows,
  columnPosition,
  createObserver,
  createTable,
  encodePrimaryKey,
  getRows,
  requireObserver,
  requireTable,
} from '../../storage/tables/tables.ts'
import { nextTurn } from '../../storage/turns/turns.ts'
import { deleteRow, putRow } from './row-writes.ts'

/** `text` is in family 0 and `visits` in family 1, so that they can be written side by side. */
const PAGE = {
  name: 'page',
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'text', type: 'TEXT', notNull: false },
    { name: 'visits', type: 'INTEGER', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  families: [{ name: 'counters', columns: ['visits'] }],
} as const

/** A store with the table `page` that is observed, and short words for what tests do to it. */
export class ObserverScene {
  readonly storage: Storage

  constructor(storage: Storage) {
    this.storage = storage
  }

  async commit<T>(work: (transaction: Transaction, catalog: Catalog) => Promise<T>): Promise<T> {
    const transaction = await this.storage.begin()
    try {
      const result = await transaction.statement(async () =>
        work(transaction, await this.storage.catalog(transaction)),
      )
      await transaction.commit()
      return result
    } finally {
      transaction.rollback()
    }
  }

  async createTable(): Promise<void> {
    await this.commit((transaction, catalog) =>
      createTable(transaction, catalog, PAGE, { ifNotExists: true }),
    )
  }

  /** Creates an observer, and waits until it has been told of all rows. */
  async createObserver(name: string, column = 'text', isWeak = false): Promise<number> {
    const observerId = await this.define(name, column, isWeak)
    await this.untilBackfilled(name)
    return observerId
  }

  async define(name: string, column = 'text', isWeak = false): Promise<number> {
    const defined = { name, table: 'page', isWeak, columns: [column] }
    const { observer } = await this.commit((transaction, catalog) =>
      createObserver(transaction, catalog, defined, { ifNotExists: false }),
    )
    return observer.id
  }

  /** Waits until the rows of before have been notified. */
  async untilBackfilled(name: string): Promise<void> {
    for (;;) {
      const transaction = await this.storage.begin({ readOnly: true })
      const { observer } = requireObserver(await this.storage.catalog(transaction), name)
      transaction.rollback()
      if (observer.isBackfilled) return
      await nextTurn()
    }
  }

  async insert(id: number, text = 'new', visits = 0): Promise<void> {
    await this.commit((transaction, catalog) =>
      putRow(transaction, requireTable(catalog, 'page'), [BigInt(id), text, BigInt(visits)], null),
    )
  }

  /** All in one transaction. */
  async insertAll(ids: readonly number[]): Promise<void> {
    await this.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'page')
      const changes = ids.map((id) => ({ before: null, after: [BigInt(id), 'new', 0n] }))
      await changeRows(transaction, table, changes)
    })
  }

  async set(id: number, assigned: Readonly<Record<string, string | bigint>>): Promise<void> {
    await this.commit((transaction) => this.setIn(transaction, id, assigned))
  }

  async setIn(
    transaction: Transaction,
    id: number,
    assigned: Readonly<Record<string, string | bigint>>,
  ): Promise<void> {
    const table = requireTable(await this.storage.catalog(transaction), 'page')
    const [found] = await getRows(transaction, table, [[BigInt(id)]])
    if (found == null) throw new Error(`There is no page ${id}.`)
    const columns = Object.keys(assigned).map((name) => {
      const column = table.columns.find((known) => known.name === name)
      return columnPosition(table, column?.id ?? 0)
    })
    const values = Object.values(assigned)
    const after = found.row.map((value, position) => values[columns.indexOf(position)] ?? value)
    await changeRows(transaction, table, [{ before: found.row, after, columns }])
  }

  async delete(id: number): Promise<void> {
    await this.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'page')
      const [found] = await getRows(transaction, table, [[BigInt(id)]])
      if (found != null) await deleteRow(transaction, table, found.row)
    })
  }

  async notify(id: number, observerId: number): Promise<void> {
    const key = await this.key(id)
    await this.commit(async (transaction) => transaction.notify(key, observerId, 'weak'))
  }

  async key(id: number): Promise<Uint8Array> {
    const transaction = await this.storage.begin({ readOnly: true })
    const table = requireTable(await this.storage.catalog(transaction), 'page')
    transaction.rollback()
    return encodePrimaryKey(table, [BigInt(id)])
  }

  async cells(id: number, family: InspectedCell['family']): Promise<InspectedCell[]> {
    return (await this.allCells(id)).filter((cell) => cell.family === family)
  }

  async allCells(id: number): Promise<InspectedCell[]> {
    const { parts } = await this.storage.inspection.rows([await this.key(id)])
    return (await Array.fromAsync(parts)).flatMap(({ cells }) => cells)
  }

  /** Leases the next notification, and gives up after a while. */
  async next(observer: string, waitMs = 5_000): Promise<Notification> {
    return await this.storage.observers.lease(observer, { signal: AbortSignal.timeout(waitMs) })
  }

  /** Whether nobody has anything to do, which takes a moment to be sure of. */
  async isIdle(observer: string, waitMs = 100): Promise<boolean> {
    try {
      const notification = await this.next(observer, waitMs)
      notification.release()
      return false
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') return true
      throw error
    }
  }

  /** Runs one notification as an observer does that reads the text; answers what it found. */
  async runNext(
    observer: string,
    work: (transaction: Transaction) => Promise<void> = async () => {},
  ): Promise<'alreadyObserved' | { readonly text: string | null }> {
    return await this.run(await this.next(observer), work)
  }

  async run(
    notification: Notification,
    work: (transaction: Transaction) => Promise<void> = async () => {},
  ): Promise<'alreadyObserved' | { readonly text: string | null }> {
    const transaction = await this.storage.begin()
    try {
      if ((await notification.acknowledge(transaction)) === 'alreadyObserved') {
        transaction.rollback()
        await notification.committed()
        return 'alreadyObserved'
      }
      const text = await this.textAt(transaction, notification.key)
      await work(transaction)
      await transaction.commit()
      await notification.committed()
      return { text }
    } catch (error) {
      await notification.failed(error)
      throw error
    } finally {
      transaction.rollback()
    }
  }

  async textAt(transaction: Transaction, key: Uint8Array): Promise<string | null> {
    const table = requireTable(await this.storage.catalog(transaction), 'page')
    const own = keyString(key)
    for (let id = 0; id < KNOWN_IDS; id += 1) {
      if (keyString(encodePrimaryKey(table, [BigInt(id)])) !== own) continue
      const [found] = await getRows(transaction, table, [[BigInt(id)]])
      return found == null ? null : String(found.row[1])
    }
    return null
  }
}

/** How many ids of pages `textAt` looks for. */
const KNOWN_IDS = 50

/** An embedded store in a folder of its own, unless the options say otherwise. */
export async function withScene(
  work: (scene: ObserverScene) => Promise<void>,
  options: Partial<StorageOptions> & { readonly isGateway?: boolean } = {},
): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-observers-'))
  const cellStore = new MemoryCellStore()
  const storage = options.isGateway
    ? await openGateway(cellStore, options)
    : await openStorage({ engine: 'sqlite', dataDirectory, ...options })
  try {
    const scene = new ObserverScene(storage)
    await scene.createTable()
    await work(scene)
  } finally {
    await storage.close()
    await cellStore.close()
    await rm(dataDirectory, { recursive: true })
  }
}
