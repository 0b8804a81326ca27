// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import type { RowBatches } from '../protocol/row-batches.ts'
import type { RowWanted, SnapshotRange, SnapshotReads } from '../protocol/transaction-protocol.ts'
import type { SnapshotRow } from '../records/version.ts'
import { PrefetchedRows } from './prefetched-rows.ts'
import type { Snapshot } from './snapshot.ts'
import { scanSnapshot } from './snapshot-scan.ts'

/** The reads of one transaction over any cell store, with those rows at hand that were read ahead. */
export class GeneralReads implements SnapshotReads {
  readonly #cellStore: CellStore
  readonly #snapshot: Snapshot
  readonly #prefetched = new PrefetchedRows()

  constructor(cellStore: CellStore, snapshot: Snapshot) {
    this.#cellStore = cellStore
    this.#snapshot = snapshot
  }

  async getRow(
    key: Uint8Array,
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<SnapshotRow | null> {
    const [row] = await this.getRows([key], columns, signal)
    return row ?? null
  }

  async getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<Array<SnapshotRow | null>> {
    if (this.#prefetched.isEmpty) return await this.#snapshot.getRows(keys, columns, signal)
    const held = keys.map((key) => this.#prefetched.take(key, columns))
    const others = keys.filter((_, at) => held[at] === undefined)
    const read = await this.#snapshot.getRows(others, columns, signal)
    let next = 0
    return held.map((row) => (row === undefined ? (read[next++] ?? null) : row))
  }

  scan(range: SnapshotRange): RowBatches {
    return scanSnapshot(this.#cellStore, this.#snapshot, range)
  }

  async prefetch(wanted: readonly RowWanted[]): Promise<void> {
    await this.#prefetched.fill(wanted, (keys, columns) =>
      this.#snapshot.presentRows(keys, columns),
    )
  }
}
