// SPDX-License-Identifier: Apache-2.0
import type { Cell } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { cellOfLock, nameOf, newestByColumn } from './column-history.ts'
import type { ConsistencyFindings } from './consistency-report.ts'
import { cellOfInterval, problemAt, type RowImage } from './row-image.ts'
import { readFences } from './store-rows.ts'

/** Long values of each column that are read with the row; the older ones are read in pages of as many. */
export const VALUES_READ_TOGETHER = 4

/** A value with the cell that says that it is one. */
export type StoredValue = Naming & { readonly column: string; readonly value: Uint8Array }
type Naming = {
  readonly at: Parameters<typeof problemAt>[1]
  /** Whether it is the last one that was committed: what its table says today is true of it. */
  readonly isNewest: boolean
}

/**
 * I5, in both directions: every record of a long value has its `data` cell of the length that it
 * says, and every `data` cell has a record or a lock. Yields the values of the row, short ones too,
 * and holds a few long ones at a time.
 */
export async function* checkValues(
  cellStore: CellStore,
  image: RowImage,
  findings: ConsistencyFindings,
): AsyncGenerator<StoredValue> {
  const named = new Map<string, Naming & { readonly byteLength: number }>()
  const columns = new Set(image.data.map((cell) => cell.qualifier))
  for (const { column, startTs, at, content, isNewest } of contentsOf(image)) {
    if (content.kind === 'inline') yield { column, value: content.value, at, isNewest }
    if (content.kind !== 'data') continue
    named.set(nameOf({ column, startTs }), { at, isNewest, byteLength: content.byteLength })
  }
  for (const column of columns) {
    for await (const cell of dataCells(cellStore, image, column)) {
      findings.countCells('data', 1)
      const name = nameOf({ column, startTs: cell.timestamp })
      const naming = named.get(name)
      named.delete(name)
      if (naming === undefined) await checkOrphan(cellStore, image.key, cell, findings)
      else if (naming.byteLength === cell.value.length) {
        yield { column, value: cell.value, at: naming.at, isNewest: naming.isNewest }
      } else {
        const message = `The value has ${cell.value.length} bytes, and its record says ${naming.byteLength}.`
        findings.add(problemAt(image.key, naming.at, 'I5', message))
      }
    }
  }
  for (const naming of named.values()) await checkMissing(cellStore, image.key, naming, findings)
}

function* contentsOf({ intervals, locks }: RowImage) {
  const newest = newestByColumn(intervals.filter(({ content }) => content.kind !== 'guard'))
  for (const interval of intervals) {
    const { column, startTs, content } = interval
    if (content.kind === 'guard') continue
    const isNewest = newest.get(column) === interval
    yield { column, startTs, content, at: cellOfInterval(interval), isNewest }
  }
  for (const locking of locks) {
    const { column, lock } = locking
    const { startTs, content } = lock
    if (content.kind === 'guard') continue
    yield { column, startTs, content, at: cellOfLock(locking), isNewest: false }
  }
}

async function* dataCells(
  cellStore: CellStore,
  image: RowImage,
  column: string,
): AsyncGenerator<Cell> {
  let page: readonly Cell[] = image.data.filter((cell) => cell.qualifier === column)
  for (;;) {
    yield* page
    const oldest = page.at(-1)
    if (oldest === undefined || page.length < VALUES_READ_TOGETHER) return
    const timestamps = { until: oldest.timestamp }
    const [row] = await cellStore.readRows(
      [image.key],
      [{ family: 'data', qualifier: column, timestamps, newest: VALUES_READ_TOGETHER }],
    )
    page = row?.cells ?? []
  }
}

/** Below the safe point it is only not collected; above it, the record of it is lost. */
async function checkOrphan(
  cellStore: CellStore,
  row: Uint8Array,
  cell: Cell,
  findings: ConsistencyFindings,
): Promise<void> {
  const { safePoint } = await readFences(cellStore)
  if (cell.timestamp < safePoint) findings.orphanedValues += 1
  else findings.add(problemAt(row, cell, 'I5', 'No write record and no lock names this value.'))
}

/** Looked at once more, because garbage collection may have taken record and value meanwhile. */
async function checkMissing(
  cellStore: CellStore,
  row: Uint8Array,
  { at }: Naming,
  findings: ConsistencyFindings,
): Promise<void> {
  const timestamps = { from: at.timestamp, until: at.timestamp + 1 }
  const { family, qualifier } = at
  const [again] = await cellStore.readRows([row], [{ family, qualifier, timestamps }])
  if (again == null) return
  findings.add(problemAt(row, at, 'I5', 'The value that this record names is missing.'))
}
