// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openStandby, openStorage } from '../../../storage/open-storage.ts'
import type { Primary } from '../../../storage/operations/replication/primary.ts'
import type { Standby } from '../../../storage/operations/replication/standby.ts'
import type { Storage, Transaction } from '../../../storage/storage.ts'

const PRIMARY = 'http://127.0.0.1:1'
/** So little that a standby which is away for a while has to copy the store again. */
const KEPT_GROUPS = { bytesMax: 12_000, msMax: 3_600_000 }
const RETENTION = { retentionMs: 40, heldMsMax: 0 }
const ROWS_MAX = 40

/** A row that a trigger of the file refuses, so that the group that has it fails. */
export const REFUSED_ROW = rowOf(ROWS_MAX)

/** Keys of a table that nobody has defined. */
export function rowOf(number: number): Buffer {
  return Buffer.concat([Buffer.from([1, 0, 0, 1, 5]), Buffer.from(String(number).padStart(4, '0'))])
}

export function keyOf(row: Uint8Array): string {
  return Buffer.from(row).toString('latin1').slice(5)
}

/** The rows of a snapshot: of each its timestamp and value. */
export type Content = ReadonlyMap<string, string>

/** A store in a folder, and the process that has it open. */
export class Member {
  readonly folder: string
  readonly storage: Storage
  /** What it was to do, and has not done yet. */
  readonly pending = new Set<Promise<unknown>>()
  /** False from the moment when its process was killed: what it does afterwards, nobody sees. */
  isAlive = true

  private constructor(folder: string, storage: Storage) {
    this.folder = folder
    this.storage = storage
  }

  static async asPrimary(folder: string, redoLog: 'never' | 'always'): Promise<Member> {
    const options = { engine: 'sqlite', dataDirectory: folder, redoLog } as const
    const bounds = { keptGroups: KEPT_GROUPS, retention: RETENTION }
    return new Member(folder, await openStorage({ ...options, ...bounds }))
  }

  static async asStandby(folder: string): Promise<Member> {
    return new Member(folder, await openStandby({ dataDirectory: folder, primary: PRIMARY }))
  }

  get primary(): Primary {
    return present(this.storage.primary)
  }

  get standby(): Standby {
    return present(this.storage.standby)
  }

  /** Notes what goes on beside the steps; it may fail only where its store is gone. */
  inBackground(work: Promise<unknown>): void {
    this.pending.add(work)
    void work.catch(() => undefined).finally(() => this.pending.delete(work))
  }

  /** The process is killed; the files as it leaves them are in the other folder. */
  killInto(folder: string): void {
    this.isAlive = false
    cpSync(this.folder, folder, { recursive: true })
  }

  /** Ends the process of which nobody sees anything any more. */
  async release(): Promise<void> {
    this.isAlive = false
    const { primary } = this.storage
    let isClosed = false
    const closed = this.storage.close().finally(() => {
      isClosed = true
    })
    // What waits for a second copy would keep it open.
    while (!isClosed && primary !== undefined) {
      const after = primary.position
      if (after !== undefined) await this.#pretendCopied(after)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await closed
  }

  async #pretendCopied(after: { readonly stream: string; readonly number: number }): Promise<void> {
    const signal = AbortSignal.timeout(1_000)
    const request = { after, visible: 0, bytesMax: 1, waitMs: 0, signal }
    await this.primary.frame(request).catch(() => undefined)
  }

  /** The newest one where no timestamp is given. */
  async contentAt(asOf?: number): Promise<Content> {
    const transaction = await this.storage.begin({
      readOnly: true,
      ...(asOf === undefined ? {} : { asOf }),
    })
    const rows = new Map<string, string>()
    const range = { start: rowOf(0), end: rowOf(9999), columns: ['0'] }
    try {
      for await (const { key, columns } of transaction.scanRows(range)) {
        const found = columns.get('0')
        rows.set(keyOf(key), `${found?.commitTs} ${found?.value}`)
      }
      await checkByKey(transaction, rows)
      const catalog = await this.storage.catalog(transaction)
      rows.set(
        'tables',
        catalog
          .tables()
          .map(({ name }) => name)
          .sort()
          .join(),
      )
    } finally {
      transaction.rollback()
    }
    return rows
  }
}

/** A row that is read by its key may come from memory, and a scan never does: both have the same. */
async function checkByKey(transaction: Transaction, scanned: Content): Promise<void> {
  for (let number = 0; number < ROWS_MAX; number += 1) {
    const row = await transaction.getRow(rowOf(number), ['0'])
    const found = row?.columns.get('0')
    const text = found === undefined ? undefined : `${found.commitTs} ${found.value}`
    assert.equal(text, scanned.get(keyOf(rowOf(number))), `row ${number} by its key`)
  }
}

/** From now on, or no longer, transactions fail that write `REFUSED_ROW` into the store of this folder. */
export function refuseRow(folder: string, isRefused: boolean): void {
  const database = new Database(join(folder, 'cells.db'), { timeout: 5_000 })
  for (const table of ['cell_data', 'cell_write']) {
    if (!isRefused) database.exec(`DROP TRIGGER IF EXISTS refused_${table}`)
    else {
      database.exec(
        `CREATE TRIGGER refused_${table} BEFORE INSERT ON ${table}
         WHEN NEW.row = x'${REFUSED_ROW.toString('hex')}'
         BEGIN SELECT RAISE(ABORT, 'refused for a test'); END`,
      )
    }
  }
  database.close()
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The store has another role.')
  return value
}
