// SPDX-License-Identifier: Apache-2.0
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import {
  NotificationScanner,
  notifyCellOf,
} from '../../storage/observers/notifications/notification-scanner.ts'
import type { CellStore, Randomness } from '../../storage/storage.ts'
import { eraseNotify, setNotify } from '../../storage/transactions/records/notify-cell.ts'
import { Random } from '../load/random.ts'

const OBSERVER = 1
const FIRST_BYTE = 1
const FILL_ROWS = 1_000
const SEED = 20_101_004

/** A durable store of rows of which always as many have a notify cell: each one that is run makes another one dirty. */
export class DirtyTable {
  readonly rows: number
  readonly #cellStore: CellStore
  readonly #random = new Random(SEED)
  /** When each row was made dirty; 0 where it is clean. */
  readonly #dirtySinceMs: Float64Array
  #timestamp = 1

  private constructor(rows: number, cellStore: CellStore) {
    this.rows = rows
    this.#cellStore = cellStore
    this.#dirtySinceMs = new Float64Array(rows)
  }

  static async open(options: {
    readonly dataDirectory: string
    readonly rows: number
    readonly dirty: number
  }): Promise<DirtyTable> {
    const { dataDirectory, rows, dirty } = options
    const table = new DirtyTable(rows, await openSqliteCellStore({ dataDirectory }))
    for (let filled = 0; filled < dirty; filled += FILL_ROWS) {
      const count = Math.min(FILL_ROWS, dirty - filled)
      await table.#mutate(Array.from({ length: count }, () => table.#makeDirty()))
    }
    return table
  }

  /** The product's own scanner. */
  scanner(randomness: Randomness): NotificationScanner {
    return new NotificationScanner(this.#cellStore, randomness, {
      observerId: OBSERVER,
      start: Buffer.of(FIRST_BYTE),
      end: Buffer.of(FIRST_BYTE + 1),
    })
  }

  /** As a run looks at the acknowledgment: whether there is still something to do. */
  async isDirty(row: number): Promise<boolean> {
    const [found] = await this.#cellStore.readRows([keyOf(row)], notifyCellOf(OBSERVER))
    return found != null
  }

  /** The row is done with. Returns for how many milliseconds it had waited. */
  async clean(row: number): Promise<number> {
    const waitedMs = performance.now() - (this.#dirtySinceMs[row] as number)
    this.#dirtySinceMs[row] = 0
    const erased = { row: keyOf(row), mutations: [eraseNotify(OBSERVER, this.#timestamp)] }
    await this.#mutate([this.#makeDirty(row), erased])
    return waitedMs
  }

  async close(): Promise<void> {
    await this.#cellStore.close()
  }

  #makeDirty(unlike?: number) {
    let row = this.#random.below(this.rows)
    while (this.#dirtySinceMs[row] !== 0 || row === unlike) row = this.#random.below(this.rows)
    this.#dirtySinceMs[row] = performance.now()
    this.#timestamp += 1
    return { row: keyOf(row), mutations: [setNotify(OBSERVER, this.#timestamp)] }
  }

  async #mutate(entries: Parameters<CellStore['mutateRows']>[0]): Promise<void> {
    for (const error of await this.#cellStore.mutateRows(entries)) if (error !== null) throw error
  }
}

function keyOf(row: number): Uint8Array {
  const key = Buffer.alloc(5)
  key[0] = FIRST_BYTE
  key.writeUInt32BE(row, 1)
  return key
}

/** The number of the row. */
export function rowOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(1)
}
