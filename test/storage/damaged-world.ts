// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cell, Family } from '../../storage/cells/cell.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { ORACLE_ROW, systemRowKey } from '../../storage/cells/row-key.ts'
import { checkConsistency } from '../../storage/operations/consistency/consistency-check.ts'
import { Storage } from '../../storage/storage.ts'
import {
  createTable,
  dropTable,
  encodePrimaryKey,
  guardRow,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { encodeLock, type Lock } from '../../storage/transactions/records/lock.ts'
import {
  decodeWriteRecord,
  encodeWriteRecord,
} from '../../storage/transactions/records/write-record.ts'
import { deleteRow, putRow } from './row-writes.ts'

export const LONG = 'x'.repeat(2_000)

/** Storage closes the store that it owns, and the damage is done after that. */
class StoreLeftOpen extends MemoryCellStore {
  override async close(): Promise<void> {}
}

/** A store with two tables and a dropped one, and rows with short, long, deleted and guarded values. */
export class DamagedWorld {
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

export async function makeTable(storage: Storage, name: string): Promise<TableDefinition> {
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

export async function change<T>(
  storage: Storage,
  work: (transaction: Awaited<ReturnType<Storage['begin']>>) => T | Promise<T>,
): Promise<T> {
  const transaction = await storage.begin({ keepsOutcome: true })
  const answer = await work(transaction)
  await transaction.commit()
  return answer
}

export const CATALOG_NAME = systemRowKey('catalog/name/account')
export const CATALOG_TABLE = systemRowKey('catalog/table/1')

export type Damage = {
  readonly name: string
  readonly rules: readonly string[]
  readonly damage: (world: DamagedWorld) => Promise<unknown>
}

/** Each is found in a sound store, by its rules and no other. */
export function testDamages(damages: readonly Damage[]): void {
  for (const { name, rules, damage } of damages) {
    test(`found: ${name}`, async () => {
      const world = await DamagedWorld.create()
      assert.deepEqual(await world.rulesFound(), [])
      await damage(world)
      assert.deepEqual(await world.rulesFound(), rules)
    })
  }
}
