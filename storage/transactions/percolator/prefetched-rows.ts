// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../cells/row-key.ts'
import type { RowWanted } from '../protocol/transaction-protocol.ts'
import type { SnapshotRow } from '../records/version.ts'

/** Reads what it can without waiting for others: undefined for a row that has to be read when it is asked for. */
export type ReadPresent = (
  keys: readonly Uint8Array[],
  columns: readonly string[],
) => Promise<ReadonlyArray<SnapshotRow | null | undefined>>

/** Rows of a snapshot that were read before they are asked for, each until it has been asked for as often as wanted. */
export class PrefetchedRows {
  readonly #held = new Map<string, { readonly row: SnapshotRow | null; uses: number }>()
  #columns: ReadonlySet<string> = new Set()

  get isEmpty(): boolean {
    return this.#held.size === 0
  }

  /** Reads them by one call, and drops what was held. */
  async fill(wanted: readonly RowWanted[], read: ReadPresent): Promise<void> {
    this.#held.clear()
    const uses = new Map<string, number>()
    const keys: Uint8Array[] = []
    for (const { key } of wanted) {
      const name = keyString(key)
      const before = uses.get(name) ?? 0
      if (before === 0) keys.push(key)
      uses.set(name, before + 1)
    }
    this.#columns = new Set(wanted.flatMap(({ columns }) => columns))
    const rows = await read(keys, [...this.#columns])
    for (const [at, key] of keys.entries()) {
      const row = rows[at]
      const name = keyString(key)
      if (row !== undefined) this.#held.set(name, { row, uses: uses.get(name) ?? 1 })
    }
  }

  /** Null where no asked column exists; undefined where it has to be read. */
  take(key: Uint8Array, columns: readonly string[]): SnapshotRow | null | undefined {
    const name = keyString(key)
    const held = this.#held.get(name)
    if (held === undefined || !columns.every((column) => this.#columns.has(column)))
      return undefined
    held.uses -= 1
    if (held.uses === 0) this.#held.delete(name)
    return withColumns(held.row, columns)
  }
}

function withColumns(row: SnapshotRow | null, columns: readonly string[]): SnapshotRow | null {
  if (row === null) return null
  const found = columns.flatMap((column) => {
    const value = row.columns.get(column)
    return value === undefined ? [] : [[column, value] as const]
  })
  return found.length === 0 ? null : { key: row.key, columns: new Map(found) }
}
