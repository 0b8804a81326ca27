// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../../cells/cell.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { StorageError } from '../../errors.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { checkSnapshotReadable } from '../protocol/snapshot-age.ts'
import type { LockedColumn } from '../records/lock.ts'
import { locksUpTo, newestWriteUpTo } from '../records/percolator-columns.ts'
import {
  bytesToFetch,
  type SettledRow,
  type SnapshotRow,
  type Version,
  versionsOf,
} from '../records/version.ts'
import type { LockResolver } from './lock-resolver.ts'
import { fetchValues } from './value-fetch.ts'

/**
 * All reads of a transaction see the store as of one timestamp (Percolator 2.2, Figure 6, `Get`). A lock taken at or
 * before it may belong to a commit that the snapshot must see, so it is settled first: its primary is read; while its
 * owner lives, the read waits; if the owner is dead, the lock is cleared (I2).
 */
export class Snapshot {
  readonly readTs: Timestamp
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver

  constructor(context: ProtocolContext, resolver: LockResolver, readTs: Timestamp) {
    this.#context = context
    this.#resolver = resolver
    this.readTs = readTs
  }

  /**
   * The rows in the order of the keys, null where no asked column exists. Rejects with StorageError `snapshot_too_old`,
   * `locked`.
   */
  async getRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<Array<SnapshotRow | null>> {
    const images =
      keys.length === 0
        ? []
        : await this.#context.cellStore.readRows(keys, this.filter(columns), signal)
    const settled = await this.settle(
      images.map((image, index) => image ?? { key: keys[index] as Uint8Array, cells: [] }),
      columns,
      signal,
    )
    const rows = await this.fetch(settled)
    await this.checkReadable()
    return rows
  }

  /**
   * The rows that are there without waiting: undefined for one with a lock that may hide a version, and for values
   * beyond `PRESENT_BYTES_MAX` together. Does not check that the snapshot is readable (F2).
   */
  async presentRows(
    keys: readonly Uint8Array[],
    columns: readonly string[],
  ): Promise<Array<SnapshotRow | null | undefined>> {
    const images = await this.#context.cellStore.readRows(keys, this.filter(columns))
    const present: SettledRow[] = []
    let bytes = 0
    for (const [at, key] of keys.entries()) {
      const { versions, hiding } = versionsOf(key, images[at]?.cells ?? [])
      const row = { key, versions }
      const more = bytesToFetch(row)
      if (hiding.length > 0 || bytes + more > PRESENT_BYTES_MAX) continue
      bytes += more
      present.push(row)
    }
    const rows = await this.fetch(present)
    let next = 0
    return keys.map((key) => (present[next]?.key === key ? (rows[next++] ?? null) : undefined))
  }

  /** The filter for the cells that a snapshot needs of a row. It keeps a row that has only a lock. */
  filter(columns: readonly string[]): RowFilter {
    return columns.flatMap((column) => [
      locksUpTo(column, this.readTs),
      newestWriteUpTo(column, this.readTs),
    ])
  }

  /** The row images with their locks settled; rows without locks cost nothing here. */
  async settle(
    images: readonly Row[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<SettledRow[]> {
    const settled: SettledRow[] = []
    for (const { key, cells } of images) {
      const { versions, hiding } = versionsOf(key, cells)
      settled.push({
        key,
        versions:
          hiding.length === 0
            ? versions
            : await this.#settleRow({ key, versions, hiding }, columns, signal),
      })
    }
    return settled
  }

  async fetch(rows: readonly SettledRow[]): Promise<Array<SnapshotRow | null>> {
    return fetchValues(this.#context, rows, this.readTs)
  }

  /** Rule F2: must be called after the last read of the store and before anything is shown. */
  async checkReadable(): Promise<void> {
    await checkSnapshotReadable(this.#context.oracle, this.readTs)
  }

  async #settleRow(
    row: {
      readonly key: Uint8Array
      readonly versions: Map<string, Version>
      readonly hiding: readonly LockedColumn[]
    },
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, Version>> {
    const backoff = new Backoff(this.#context, READ_WAIT)
    let { versions, hiding } = row
    while (!(await this.#applyLocks(row.key, versions, hiding))) {
      if (!(await backoff.wait(signal))) throw lockedTooLong(row.key, hiding)
      const cells = await this.#readCells(row.key, columns, signal)
      ;({ versions, hiding } = versionsOf(row.key, cells))
    }
    return versions
  }

  /** Adds to `versions` what the locks' transactions committed. False when one is undecided. */
  async #applyLocks(
    key: Uint8Array,
    versions: Map<string, Version>,
    hiding: readonly LockedColumn[],
  ): Promise<boolean> {
    for (const { column, lock } of hiding) {
      const resolution = await this.#resolver.settle(lock)
      if (resolution.kind === 'alive') return false
      this.#context.background.start('clear a met lock', () =>
        this.#resolver.clear(key, lock, resolution),
      )
      if (resolution.kind === 'rolledBack' || resolution.commitTs > this.readTs) continue
      const { content } = lock
      if (content.kind === 'delete') versions.delete(column)
      else if (content.kind !== 'guard') {
        versions.set(column, { startTs: lock.startTs, commitTs: resolution.commitTs, content })
      }
    }
    return true
  }

  async #readCells(
    key: Uint8Array,
    columns: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Cell[]> {
    const [image] = await this.#context.cellStore.readRows([key], this.filter(columns), signal)
    return image?.cells ?? []
  }
}

function lockedTooLong(row: Uint8Array, hiding: readonly LockedColumn[]): StorageError {
  return new StorageError(
    'locked',
    `The row stayed locked by a commit under way for more than ${READ_WAIT.totalMs} ms.`,
    { row, lockedBy: hiding.map(({ lock }) => lock.startTs) },
  )
}

/** Of values that are read ahead, which a transaction holds until they are asked for. */
const PRESENT_BYTES_MAX = 1024 * 1024
const READ_WAIT = { firstMs: 2, totalMs: 10_000 }
