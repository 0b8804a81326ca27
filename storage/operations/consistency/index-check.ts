// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { compareRowKeys, endOfPrefix } from '../../cells/row-key.ts'
import {
  belongsTo,
  decodeEntry,
  type EncodedEntry,
  encodeEntries,
} from '../../tables/bytes/index-entry.ts'
import { indexSpace } from '../../tables/bytes/index-key.ts'
import { encodePrimaryKey, tableSpace } from '../../tables/bytes/key-encoding.ts'
import { familyColumn, ROW_COLUMN } from '../../tables/bytes/row-codec.ts'
import type { Catalog, TableIndex } from '../../tables/catalog/catalog.ts'
import { indexColumns } from '../../tables/rows/index-maintenance.ts'
import { familiesOf, storedRow } from '../../tables/rows/table-rows.ts'
import type { SnapshotRow } from '../../transactions/records/version.ts'
import { checkCatalog } from './catalog-check.ts'
import { CheckedSnapshot } from './checked-snapshot.ts'
import { ConsistencyFindings, type ConsistencyProblem } from './consistency-report.ts'
import { unlessDamaged } from './damage.ts'
import { readFences } from './store-rows.ts'

/**
 * T4: at one snapshot, a ready index has exactly the entries of each row of its table, one, or with EACH one for each
 * member, and they say what the row says; an index that is being built may lack entries, but has no wrong ones.
 *
 * Two walks, each with multi-gets of a batch: along the rows, whose entries must be there, and along the entries, whose
 * rows must be there. The store may be written meanwhile, so a disagreement is checked once more before it is a
 * problem; rows with an undecided lock, and snapshots that garbage collection has overtaken, are left to the next
 * check.
 */
export class IndexCheck {
  readonly #cellStore: CellStore
  readonly #snapshot: CheckedSnapshot
  readonly #readTs: Timestamp
  readonly #findings: ConsistencyFindings
  readonly #signal: AbortSignal | undefined
  #catalogNow: Promise<Catalog> | undefined

  constructor(
    cellStore: CellStore,
    readTs: Timestamp,
    findings: ConsistencyFindings,
    signal?: AbortSignal,
  ) {
    this.#cellStore = cellStore
    this.#readTs = readTs
    this.#snapshot = new CheckedSnapshot(cellStore, readTs)
    this.#findings = findings
    this.#signal = signal
  }

  /** `catalog` is of a moment before the snapshot. */
  async check(catalog: Catalog): Promise<void> {
    for (const table of catalog.tables()) {
      for (const index of table.indexes) {
        if (index.state === 'failed') continue
        await this.#checkRows({ table, index })
        await this.#checkEntries({ table, index })
      }
    }
  }

  async #checkRows(checked: TableIndex): Promise<void> {
    const { table, index } = checked
    const space = tableSpace(table.id)
    const columns = familiesOf(table, indexColumns(table, index)).map(familyColumn)
    const range = { start: space, end: endOfPrefix(space) as Uint8Array, columns }
    let batch: ExpectedEntry[] = []
    for await (const row of this.#snapshot.scanRows({ ...range, signal: this.#signal })) {
      for (const entry of expectedEntries(checked, row) ?? []) batch.push({ row: row.key, entry })
      if (batch.length < BATCH) continue
      await this.#compareEntries(checked, batch)
      batch = []
    }
    await this.#compareEntries(checked, batch)
  }

  async #compareEntries(checked: TableIndex, batch: readonly ExpectedEntry[]): Promise<void> {
    const entryKeys = batch.map(({ entry }) => entry.key)
    const entries = await this.#snapshot.getRows(entryKeys, [ROW_COLUMN])
    for (const [position, expected] of batch.entries()) {
      if (disagreement(checked, expected.entry, entries[position]) === undefined) continue
      await this.#lookAgain(checked, expected)
    }
  }

  async #checkEntries(checked: TableIndex): Promise<void> {
    const space = indexSpace(checked.index.id)
    const end = endOfPrefix(space) as Uint8Array
    const range = { start: space, end, columns: [ROW_COLUMN], signal: this.#signal }
    let batch: FoundEntry[] = []
    for await (const row of this.#snapshot.scanRows(range)) {
      const found = foundEntry(checked, row)
      if (found === undefined) continue
      batch.push(found)
      if (batch.length < BATCH) continue
      await this.#compareRows(checked, batch)
      batch = []
    }
    await this.#compareRows(checked, batch)
  }

  async #compareRows(checked: TableIndex, batch: readonly FoundEntry[]): Promise<void> {
    this.#findings.countEntries(checked.index.id, batch.length)
    const rows = await this.#readRows(checked, batch)
    for (const [position, found] of batch.entries()) {
      if (agrees(checked, found, rows[position])) continue
      const [again] = await this.#readRows(checked, [found])
      const [entry] = await this.#snapshot.getRows([found.key], [ROW_COLUMN])
      if (entry === null || agrees(checked, found, again)) continue
      const message = again === null ? 'Its row does not exist.' : 'Its row has other values.'
      await this.#found(checked, [found.key, found.row], {
        rule: 'T4',
        row: found.key,
        message: `The entry of index "${checked.index.name}" is left over: ${message}`,
      })
    }
  }

  async #readRows({ table, index }: TableIndex, batch: ReadonlyArray<{ row: Uint8Array }>) {
    const columns = familiesOf(table, indexColumns(table, index)).map(familyColumn)
    const keys = batch.map(({ row }) => row)
    return await this.#snapshot.getRows(keys, columns)
  }

  async #lookAgain(checked: TableIndex, { row, entry: missed }: ExpectedEntry): Promise<void> {
    const { table, index } = checked
    const expected = await this.#expectedNow(checked, row, missed.key)
    if (expected === undefined) return
    const [entry] = await this.#snapshot.getRows([expected.key], [ROW_COLUMN])
    const message = disagreement(checked, expected, entry)
    if (message === undefined) return
    // A commit of before the snapshot may have come into the store between the two readings.
    const again = await this.#expectedNow(checked, row, missed.key)
    if (again === undefined || !isSameEntry(expected, again)) return
    await this.#found(checked, [row, expected.key], {
      rule: 'T4',
      row,
      message: `The row and the index "${index.name}" of "${table.name}" do not agree: ${message}`,
    })
  }

  /** The entry with this key that the row has to have. */
  async #expectedNow(
    checked: TableIndex,
    row: Uint8Array,
    key: Uint8Array,
  ): Promise<EncodedEntry | undefined> {
    const [stored] = await this.#readRows(checked, [{ row }])
    const entries = stored == null ? undefined : expectedEntries(checked, stored)
    return entries?.find((entry) => compareRowKeys(entry.key, key) === 0)
  }

  /** Unless what was read means nothing: undecided, collected, or of an index that is gone. */
  async #found(
    { index }: TableIndex,
    keys: readonly Uint8Array[],
    problem: ConsistencyProblem,
  ): Promise<void> {
    if (keys.some((key) => this.#snapshot.isUndecided(key))) return
    if ((await readFences(this.#cellStore)).safePoint > this.#readTs) return
    this.#catalogNow ??= this.#readCatalog()
    const indexes = (await this.#catalogNow).indexes()
    const now = indexes.find((found) => found.index.id === index.id)?.index
    if (now !== undefined && now.state !== 'failed') this.#findings.add(problem)
  }

  async #readCatalog(): Promise<Catalog> {
    return (await checkCatalog(this.#cellStore, new ConsistencyFindings())).catalog
  }
}

const BATCH = 100

type ExpectedEntry = { readonly row: Uint8Array; readonly entry: EncodedEntry }
type FoundEntry = { readonly key: Uint8Array; readonly row: Uint8Array }

/** Undefined when the row cannot be read, which is found where all rows are checked. */
function expectedEntries(
  { table, index }: TableIndex,
  row: SnapshotRow,
): readonly EncodedEntry[] | undefined {
  return unlessDamaged(() => {
    const families = familiesOf(table, indexColumns(table, index))
    return encodeEntries(table, index, storedRow(table, families, row).row)
  })
}

function foundEntry({ table, index }: TableIndex, row: SnapshotRow): FoundEntry | undefined {
  const cell = row.columns.get(ROW_COLUMN)
  if (cell === undefined) return undefined
  return unlessDamaged(() => {
    const { primaryKey } = decodeEntry(table, index, { key: row.key, ...cell })
    return { key: row.key, row: encodePrimaryKey(table, primaryKey) }
  })
}

/** Why the entry is not as it has to be; undefined when it is. */
function disagreement(
  { index }: TableIndex,
  expected: EncodedEntry,
  entry: SnapshotRow | null | undefined,
): string | undefined {
  const value = entry?.columns.get(ROW_COLUMN)?.value
  if (value === undefined) return index.state === 'building' ? undefined : 'it has no entry.'
  // Of rows that share a unique value one has the entry, until the build finds out.
  if (index.state === 'building' && !belongsTo(expected, value)) return undefined
  return compareRowKeys(value, expected.value) === 0 ? undefined : 'its entry says something else.'
}

/** What the entry's value says in addition to the key is compared from the row's side. */
function agrees(
  checked: TableIndex,
  { key }: FoundEntry,
  row: SnapshotRow | null | undefined,
): boolean {
  if (row == null) return false
  const expected = expectedEntries(checked, row)
  return expected?.some((entry) => compareRowKeys(entry.key, key) === 0) ?? true
}

function isSameEntry(a: EncodedEntry, b: EncodedEntry): boolean {
  return compareRowKeys(a.key, b.key) === 0 && compareRowKeys(a.value, b.value) === 0
}
