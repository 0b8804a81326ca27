// SPDX-License-Identifier: Apache-2.0

import type { Row, Timestamp } from '../../../cells/cell.ts'
import type { RowFilter } from '../../../cells/row-filter.ts'
import type { MaybePromise } from '../../../maybe-promise.ts'
import type { RowBatches } from '../../protocol/row-batches.ts'
import { snapshotTooOld } from '../../protocol/snapshot-age.ts'
import type { SnapshotRange, SnapshotReads } from '../../protocol/transaction-protocol.ts'
import { newestWriteUpTo } from '../../records/percolator-columns.ts'
import { PART_BYTES_MAX, valueParts } from '../../records/value-parts.ts'
import type { SnapshotRow } from '../../records/version.ts'
import type { EmbeddedContext } from '../embedded-context.ts'
import type { LatchOwner } from '../latches/latch-table.ts'
import { untilReleased } from '../latches/latch-wait.ts'
import { type ScannedSnapshot, scanView } from './view-scan.ts'
import { longBytesOf, rowInView } from './view-values.ts'

/**
 * The store as of one timestamp, read from the view of the process that owns it (Percolator 2.2, Figure 6, `Get`).
 * Locks are latches in memory, so a read looks only at write records, in one turn: the fence, the latch, then the view
 * or the records in memory. If this snapshot must see the transaction of a latch, the read waits for it and then starts
 * again.
 */
export class ViewSnapshot implements SnapshotReads, ScannedSnapshot {
  readonly readTs: Timestamp
  readonly #context: EmbeddedContext
  #columns: readonly string[] | undefined
  #filter: RowFilter = NO_CELLS

  constructor(context: EmbeddedContext, readTs: Timestamp) {
    this.#context = context
    this.readTs = readTs
  }

  getRow(
    key: Uint8Array,
    columns: readonly string[],
    signal?: AbortSignal,
  ): MaybePromise<SnapshotRow | null> {
    this.checkReadable()
    const { latches, cellStore } = this.#context
    const owner = latches.hiding(key, this.readTs)
    if (owner !== undefined) {
      return this.#released(owner, signal).then(() => this.getRow(key, columns, signal))
    }
    const row = this.#record(key, columns)
    return row === null ? null : rowInView(cellStore.view, row)
  }

  getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): MaybePromise<Array<SnapshotRow | null>> {
    this.checkReadable()
    const owner = this.#hidingOneOf(keys)
    if (owner !== undefined) {
      return this.#released(owner, signal).then(() => this.getRows(keys, columns, signal))
    }
    const rows = keys.map((key) => this.#record(key, columns))
    let longBytes = 0
    for (const row of rows) longBytes += longBytesOf(row)
    return longBytes <= PART_BYTES_MAX ? this.#fetchNow(rows) : this.#fetchInParts(rows)
  }

  scan(range: SnapshotRange): RowBatches {
    return scanView(this.#context, this, range)
  }

  /** Rule F2. Must be called in every turn that reads the view. */
  checkReadable(): void {
    const { safePoint } = this.#context.oracle
    if (safePoint > this.readTs) throw snapshotTooOld(this.readTs, safePoint)
  }

  /** The filter for the cells that a snapshot needs of a row; kept, because a statement asks for the same columns. */
  filter(columns: readonly string[]): RowFilter {
    if (columns !== this.#columns) {
      this.#columns = columns
      this.#filter = columns.map((column) => newestWriteUpTo(column, this.readTs))
    }
    return this.#filter
  }

  /** The values of these rows, in this turn. */
  #fetchNow(rows: ReadonlyArray<Row | null>): Array<SnapshotRow | null> {
    const { view } = this.#context.cellStore
    return rows.map((row) => (row === null ? null : rowInView(view, row)))
  }

  /** Long values are read a few megabytes per turn; which version is seen has been decided before. */
  async #fetchInParts(rows: ReadonlyArray<Row | null>): Promise<Array<SnapshotRow | null>> {
    const fetched: Array<SnapshotRow | null> = []
    for (const part of valueParts(rows, longBytesOf)) {
      if (fetched.length > 0) await this.#context.clock.sleep(0)
      this.checkReadable()
      fetched.push(...this.#fetchNow(part))
    }
    return fetched
  }

  /** The records that the snapshot sees of a row that no latch hides, from memory if it has them. */
  #record(key: Uint8Array, columns: readonly string[]): Row | null {
    const { latches, cellStore } = this.#context
    const [column, another] = columns
    const isOfOne = column !== undefined && another === undefined
    const known = isOfOne ? latches.newest.find(key, column, this.readTs) : undefined
    if (known !== undefined) return known
    const [read = null] = cellStore.view.readRows([key], this.filter(columns))
    if (isOfOne && read !== null) latches.newest.wasRead(read, this.readTs)
    return read
  }

  #hidingOneOf(keys: readonly Uint8Array[]): LatchOwner | undefined {
    for (const key of keys) {
      const owner = this.#context.latches.hiding(key, this.readTs)
      if (owner !== undefined) return owner
    }
    return undefined
  }

  #released(owner: LatchOwner, signal: AbortSignal | undefined): Promise<void> {
    return untilReleased(this.#context.latches, owner, signal)
  }
}

const NO_CELLS: RowFilter = []
