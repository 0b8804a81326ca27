// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Family, type Timestamp } from '../cells/cell.ts'
import type { CellStore } from '../cells/cell-store.ts'
import type { RowFilter } from '../cells/row-filter.ts'
import { decodeLock, isPrimaryOf, type Lock } from './records/lock.ts'
import { decodeStartTs, decodeWriteRecord, type WrittenContent } from './records/write-record.ts'

/** A cell with what it means to the protocol. */
export type InspectedCell = Cell & {
  readonly meaning:
    | { readonly kind: 'data' | 'rollback' | 'notify' }
    | { readonly kind: 'lock'; readonly lock: Lock; readonly isPrimary: boolean }
    | { readonly kind: 'write'; readonly startTs: Timestamp; readonly content: WrittenContent }
    | { readonly kind: 'guard'; readonly startTs: Timestamp }
}

/** Records of each column, the newest first, that are read together. */
export const RECORDS_TOGETHER = 1_000
export const VALUE_BYTES_TOGETHER = 1024 * 1024

/** Cells of one of the rows that were asked for. */
export type RowPart = {
  /** The position of the row among the keys. */
  readonly at: number
  readonly cells: readonly InspectedCell[]
}

/**
 * All cells of some rows, as in Figure 4 of the paper, in parts: first the protocol's records, which say how long the
 * values are, then the values; only a single value may exceed `VALUE_BYTES_TOGETHER`. The newest records of all rows
 * are read together: from an embedded store they are one image. Each part after them is an image of its row, which may
 * change before the next. Rejects with CellStoreError.
 */
export async function* inspectRows(
  cellStore: CellStore,
  keys: readonly Uint8Array[],
  images?: readonly Image[],
): AsyncGenerator<RowPart, void, undefined> {
  const newest = newestOf(keys)
  const read = images ?? (await readRecords(cellStore, keys))
  for (const [at, key] of keys.entries()) {
    const first = read[at] ?? []
    for await (const cells of inspectRow(cellStore, key, { first, newest })) yield { at, cells }
  }
}

type Image = readonly Cell[]

/** The newest records of some rows, read together: what `inspectRows` begins with. Rejects with CellStoreError. */
export async function readRecords(
  cellStore: CellStore,
  keys: readonly Uint8Array[],
): Promise<Image[]> {
  const newest = newestOf(keys)
  const filter: RowFilter = RECORD_FAMILIES.map((family) => ({ family, newest }))
  const rows = await cellStore.readRows(keys, filter)
  return rows.map((row) => row?.cells ?? [])
}

function newestOf(keys: readonly Uint8Array[]): number {
  return Math.ceil(RECORDS_TOGETHER / keys.length)
}

/** The rest of a row, of whose records the newest have been read. */
async function* inspectRow(
  cellStore: CellStore,
  key: Uint8Array,
  { first, newest }: { readonly first: readonly Cell[]; readonly newest: number },
): AsyncGenerator<readonly InspectedCell[], void, undefined> {
  const meant = (cells: readonly Cell[]) => cells.map((cell) => inspectedCell(key, cell))
  const read = async (filter: RowFilter) => {
    const [row] = await cellStore.readRows([key], filter)
    return meant(row?.cells ?? [])
  }
  const valueBytes = new Map<Timestamp, number>()
  let found = meant(first)
  let together = newest
  for (;;) {
    const floors = floorsOf(found, together)
    const cells = found.filter(({ family, timestamp }) => timestamp >= (floors.get(family) ?? 0))
    addValueBytes(valueBytes, cells)
    yield cells
    if (floors.size === 0) break
    together = RECORDS_TOGETHER
    found = await read(
      [...floors].map(([family, until]) => ({ family, newest: together, timestamps: { until } })),
    )
  }
  for (const timestamps of windowsOf(valueBytes)) yield await read([{ family: 'data', timestamps }])
}

const RECORD_FAMILIES = FAMILIES.filter((family) => family !== 'data')

/** For each family that may have more records: the timestamp from which all are found, in all of its columns. */
function floorsOf(found: readonly Cell[], newest: number): Map<Family, Timestamp> {
  const floors = new Map<Family, Timestamp>()
  const columns = Map.groupBy(found, ({ family, qualifier }) => `${family} ${qualifier}`)
  for (const cells of columns.values()) {
    const oldest = cells[newest - 1]
    if (oldest === undefined) continue
    const { family, timestamp } = oldest
    floors.set(family, Math.max(timestamp, floors.get(family) ?? 0))
  }
  return floors
}

/** Adds the bytes of the values that each transaction has written to data cells, by its startTs. */
function addValueBytes(valueBytes: Map<Timestamp, number>, cells: readonly InspectedCell[]): void {
  for (const { meaning } of cells) {
    if (meaning.kind !== 'lock' && meaning.kind !== 'write') continue
    const { startTs, content } = meaning.kind === 'lock' ? meaning.lock : meaning
    if (content.kind !== 'data') continue
    valueBytes.set(startTs, (valueBytes.get(startTs) ?? 0) + content.byteLength)
  }
}

/** Time ranges that cover all timestamps, the newest first; the values of each range may be read together. */
function* windowsOf(
  valueBytes: ReadonlyMap<Timestamp, number>,
): Generator<{ readonly from?: Timestamp; readonly until?: Timestamp }, void, undefined> {
  let end: { readonly until?: Timestamp } = {}
  let from: Timestamp | undefined
  let bytes = 0
  for (const [timestamp, more] of [...valueBytes].sort(([a], [b]) => b - a)) {
    if (from !== undefined && bytes + more > VALUE_BYTES_TOGETHER) {
      yield { ...end, from }
      end = { until: from }
      bytes = 0
    }
    from = timestamp
    bytes += more
  }
  yield end
}

export function inspectedCell(
  row: Uint8Array,
  { family, qualifier, timestamp, value }: Cell,
): InspectedCell {
  const cell = { family, qualifier, timestamp, value }
  return { ...cell, meaning: meaningOf(row, cell) }
}

function meaningOf(row: Uint8Array, cell: Cell): InspectedCell['meaning'] {
  switch (cell.family) {
    case 'lock': {
      const lock = decodeLock(cell.timestamp, cell.value)
      return { kind: 'lock', lock, isPrimary: isPrimaryOf(lock, { row, column: cell.qualifier }) }
    }
    case 'write':
      return { kind: 'write', ...decodeWriteRecord(cell.value) }
    case 'guard':
      return { kind: 'guard', startTs: decodeStartTs(cell.value) }
    default:
      return { kind: cell.family }
  }
}
