// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import { thrownOf } from '../../invariant.ts'
import { decodeLock, type LockedColumn } from './lock.ts'
import { decodeWriteRecord, type WrittenContent } from './write-record.ts'

/** The version of a column that a snapshot sees, before its value has been fetched. */
export type Version = {
  readonly startTs: Timestamp
  readonly commitTs: Timestamp
  readonly content: Exclude<WrittenContent, { kind: 'delete' }>
}

/** A row whose locks are settled and whose values may still have to be fetched. */
export type SettledRow = {
  readonly key: Uint8Array
  readonly versions: ReadonlyMap<string, Version>
}

/** A column's value as the snapshot sees it; `commitTs` is null for the transaction's own write. */
export type VersionedValue = { readonly value: Uint8Array; readonly commitTs: Timestamp | null }

/** A row with those of the asked columns that exist; at least one does. */
export type SnapshotRow = {
  readonly key: Uint8Array
  readonly columns: SnapshotColumns
}

/** The values of some columns by their names. */
export type SnapshotColumns = Pick<ReadonlyMap<string, VersionedValue>, 'get' | 'size'> &
  Iterable<readonly [string, VersionedValue]>

/** A single column, which is all that most rows have: making a Map costs as much as finding the row. */
export class OneColumn implements SnapshotColumns {
  readonly size = 1
  readonly #column: string
  readonly #value: VersionedValue

  constructor(column: string, value: VersionedValue) {
    this.#column = column
    this.#value = value
  }

  get(column: string): VersionedValue | undefined {
    return column === this.#column ? this.#value : undefined
  }

  *[Symbol.iterator](): Generator<readonly [string, VersionedValue]> {
    yield [this.#column, this.#value]
  }
}

/** Bytes of the row's values that are not fetched yet. */
export function bytesToFetch(row: SettledRow): number {
  let bytes = 0
  for (const { content } of row.versions.values()) {
    if (content.kind === 'data') bytes += content.byteLength
  }
  return bytes
}

/**
 * Pure: the versions in the lock and write cells of one row that the snapshot's filter left. `hiding` are the locks
 * that must be settled before the versions are valid (Percolator 2.2, Figure 6, lines 11-12); a guard's lock changes no
 * value and hides nothing.
 */
export function versionsOf(key: Uint8Array, cells: readonly Cell[]): FoundVersions {
  try {
    return decodedVersions(cells)
  } catch (error) {
    throw thrownOf(key, error)
  }
}

type FoundVersions = {
  readonly versions: Map<string, Version>
  readonly hiding: readonly LockedColumn[]
}

function decodedVersions(cells: readonly Cell[]): FoundVersions {
  const versions = new Map<string, Version>()
  const hiding: LockedColumn[] = []
  for (const cell of cells) {
    if (cell.family === 'write') {
      const { startTs, content } = decodeWriteRecord(cell.value)
      if (content.kind !== 'delete') {
        versions.set(cell.qualifier, { startTs, commitTs: cell.timestamp, content })
      }
    } else if (cell.family === 'lock') {
      const lock = decodeLock(cell.timestamp, cell.value)
      if (lock.content.kind !== 'guard') hiding.push({ column: cell.qualifier, lock })
    }
  }
  return { versions, hiding }
}
