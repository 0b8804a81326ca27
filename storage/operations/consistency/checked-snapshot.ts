// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { keyAfter, keyString } from '../../cells/row-key.ts'
import { readTransactionStatus } from '../../transactions/percolator/transaction-status.ts'
import {
  dataOf,
  locksUpTo,
  newestWriteUpTo,
} from '../../transactions/records/percolator-columns.ts'
import {
  type SnapshotRow,
  type VersionedValue,
  versionsOf,
} from '../../transactions/records/version.ts'

const PAGE_ROWS = 250

/**
 * The store as of one timestamp, read without changing anything: an ordinary snapshot clears the locks
 * that it meets. A lock whose transaction is committed counts as its writing; rows that have an
 * undecided one are remembered, for nothing can be said of them.
 */
export class CheckedSnapshot {
  readonly #cellStore: CellStore
  readonly #readTs: Timestamp
  readonly #undecided = new Set<string>()

  constructor(cellStore: CellStore, readTs: Timestamp) {
    this.#cellStore = cellStore
    this.#readTs = readTs
  }

  /** Whether the row was undecided when it was read last. */
  isUndecided(key: Uint8Array): boolean {
    return this.#undecided.has(keyString(key))
  }

  async getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
  ): Promise<Array<SnapshotRow | null>> {
    const images = await this.#cellStore.readRows(keys, this.#filter(columns))
    const rows: Array<SnapshotRow | null> = []
    for (const [position, image] of images.entries()) {
      this.#undecided.delete(keyString(keys[position] as Uint8Array))
      rows.push(image === null ? null : await this.#rowOf(image))
    }
    return rows
  }

  /** The rows of [start, end) in key order; between two pages nothing of the store is held. */
  async *scanRows(range: {
    readonly start: Uint8Array
    readonly end: Uint8Array
    readonly columns: readonly string[]
    readonly signal?: AbortSignal | undefined
  }): AsyncGenerator<SnapshotRow> {
    const { end, columns, signal } = range
    let start: Uint8Array | undefined = range.start
    while (start !== undefined) {
      signal?.throwIfAborted()
      const scan = { start, end, filter: this.#filter(columns), limit: PAGE_ROWS }
      const page: Row[] = await Array.fromAsync(this.#cellStore.scanRows(scan))
      for (const image of page) {
        const row = await this.#rowOf(image)
        if (row !== null) yield row
      }
      const last = page.at(-1)
      start = last === undefined || page.length < PAGE_ROWS ? undefined : keyAfter(last.key)
    }
  }

  #filter(columns: readonly string[]): RowFilter {
    return columns.flatMap((column) => [
      locksUpTo(column, this.#readTs),
      newestWriteUpTo(column, this.#readTs),
    ])
  }

  async #rowOf({ key, cells }: Row): Promise<SnapshotRow | null> {
    const { versions, hiding } = versionsOf(key, cells)
    for (const { column, lock } of hiding) {
      const status = await readTransactionStatus(this.#cellStore, lock)
      if (status.kind === 'locked' || status.kind === 'missing') {
        this.#undecided.add(keyString(key))
      }
      if (status.kind !== 'committed' || status.commitTs > this.#readTs) continue
      const { startTs, content } = lock
      if (content.kind === 'delete') versions.delete(column)
      else if (content.kind !== 'guard') {
        versions.set(column, { startTs, commitTs: status.commitTs, content })
      }
    }
    const columns = new Map<string, VersionedValue>()
    for (const [column, { startTs, commitTs, content }] of versions) {
      const value =
        content.kind === 'inline' ? content.value : await this.#longValue(key, column, startTs)
      if (value !== undefined) columns.set(column, { value, commitTs })
    }
    return columns.size === 0 ? null : { key, columns }
  }

  /** Undefined when it is missing, which is a finding of its own. */
  async #longValue(
    key: Uint8Array,
    column: string,
    startTs: Timestamp,
  ): Promise<Uint8Array | undefined> {
    const [row] = await this.#cellStore.readRows([key], [dataOf(column, startTs)])
    return row?.cells[0]?.value
  }
}
