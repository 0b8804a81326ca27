// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { compareRowKeys, endOfPrefix, keyString } from '../../cells/row-key.ts'
import { handedOutColumn, handedOutTime } from '../../observers/notifications/handed-out.ts'
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
import type { IndexDefinition } from '../../tables/table-definition.ts'
import type { SnapshotRow } from '../../transactions/records/version.ts'
import { nextTurn } from '../../turns/turns.ts'
import { checkCatalog } from './catalog-check.ts'
import { CheckedSnapshot } from './checked-snapshot.ts'
import { ConsistencyFindings, type ConsistencyProblem } from './consistency-report.ts'
import { unlessDamaged } from './damage.ts'
import { readFences } from './store-rows.ts'

/**
 * T4: at one snapshot, a ready index has exactly the entries of each row of its table, one, or with EACH or WORDS one
 * for each member or word, and they say what the row says; an index that is being built may lack entries, but has no
 * wrong ones.
 *
 * Along the rows, whose entries must be there, with multi-gets of a batch; then the entries are counted. Only where
 * there are more than those of the rows each is asked for its row, of which all entries are made again. The store may
 * be written meanwhile, so a disagreement is checked once more before it is a problem; rows with an undecided lock, and
 * snapshots that garbage collection has overtaken, are left to the next check.
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
    for (const checked of catalog.entryIndexes()) {
      const { index } = checked
      if (index.state === 'failed') continue
      const found = await this.#checkRows(checked)
      const count = await this.#countEntries(index)
      this.#findings.countEntries(index.id, count)
      if (count !== found) await this.#checkEntries(checked)
    }
  }

  /** Resolves to the number of entries that belong to rows. */
  async #checkRows(checked: TableIndex): Promise<number> {
    const space = tableSpace(checked.table.id)
    const columns = columnsRead(checked)
    const range = { start: space, end: endOfPrefix(space) as Uint8Array, columns }
    let found = 0
    let batch: ExpectedEntry[] = []
    for await (const row of this.#snapshot.scanRows({ ...range, signal: this.#signal })) {
      for (const entry of expectedEntries(checked, row) ?? []) {
        batch.push({ row: row.key, entry, mayLack: mayLack(checked, row) })
        if (batch.length < BATCH) continue
        found += await this.#compareEntries(checked, batch)
        batch = []
      }
    }
    return found + (await this.#compareEntries(checked, batch))
  }

  async #countEntries({ id }: IndexDefinition): Promise<number> {
    const space = indexSpace(id)
    const end = endOfPrefix(space) as Uint8Array
    const range = { start: space, end, columns: [ROW_COLUMN], signal: this.#signal }
    let count = 0
    for await (const _ of this.#snapshot.scanRows(range)) count += 1
    return count
  }

  async #compareEntries(checked: TableIndex, batch: readonly ExpectedEntry[]): Promise<number> {
    const entryKeys = batch.map(({ entry }) => entry.key)
    const entries = await this.#snapshot.getRows(entryKeys, [ROW_COLUMN])
    let found = 0
    for (const [position, expected] of batch.entries()) {
      const value = entries[position]?.columns.get(ROW_COLUMN)?.value
      if (value !== undefined && belongsTo(expected.entry, value)) found += 1
      if (disagreement(checked, expected, value) === undefined) continue
      await this.#lookAgain(checked, expected)
    }
    return found
  }

  async #checkEntries(checked: TableIndex): Promise<void> {
    const space = indexSpace(checked.index.id)
    const end = endOfPrefix(space) as Uint8Array
    const range = { start: space, end, columns: [ROW_COLUMN], signal: this.#signal }
    const known = new KnownRows()
    let batch: FoundEntry[] = []
    for await (const row of this.#snapshot.scanRows(range)) {
      const found = foundEntry(checked, row)
      if (found === undefined) continue
      batch.push(found)
      if (batch.length < BATCH) continue
      await this.#compareRows(checked, batch, known)
      batch = []
    }
    await this.#compareRows(checked, batch, known)
  }

  async #compareRows(checked: TableIndex, batch: readonly FoundEntry[], known: KnownRows) {
    const rows = await this.#readRows(checked, batch)
    for (const [position, found] of batch.entries()) {
      let keys = known.get(found.row)
      if (keys === undefined) {
        if (checked.index.parts.some(({ each }) => each)) await nextTurn()
        keys = entryKeys(checked, rows[position])
        known.set(found.row, keys)
      }
      if (agrees(keys, found)) continue
      const [again] = await this.#readRows(checked, [found])
      const [entry] = await this.#snapshot.getRows([found.key], [ROW_COLUMN])
      if (entry === null || agrees(entryKeys(checked, again), found)) continue
      const message = again === null ? 'Its row does not exist.' : 'Its row has other values.'
      await this.#found(checked, [found.key, found.row], {
        rule: 'T4',
        row: found.key,
        message: `The entry of index "${checked.index.name}" is left over: ${message}`,
      })
    }
  }

  async #readRows(checked: TableIndex, batch: ReadonlyArray<{ row: Uint8Array }>) {
    const keys = batch.map(({ row }) => row)
    return await this.#snapshot.getRows(keys, columnsRead(checked))
  }

  async #lookAgain(checked: TableIndex, { row, entry: missed }: ExpectedEntry): Promise<void> {
    const { table, index } = checked
    const expected = await this.#expectedNow(checked, row, missed.key)
    if (expected === undefined) return
    const [entry] = await this.#snapshot.getRows([expected.entry.key], [ROW_COLUMN])
    const message = disagreement(checked, expected, entry?.columns.get(ROW_COLUMN)?.value)
    if (message === undefined) return
    // A commit of before the snapshot may have come into the store between the two readings.
    const again = await this.#expectedNow(checked, row, missed.key)
    if (again === undefined || !isSameEntry(expected.entry, again.entry)) return
    await this.#found(checked, [row, expected.entry.key], {
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
  ): Promise<ExpectedEntry | undefined> {
    const [stored] = await this.#readRows(checked, [{ row }])
    if (stored == null) return undefined
    const entries = expectedEntries(checked, stored)
    const entry = entries?.find((candidate) => compareRowKeys(candidate.key, key) === 0)
    return entry && { row, entry, mayLack: mayLack(checked, stored) }
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
    const indexes = (await this.#catalogNow).entryIndexes()
    const now = indexes.find((found) => found.index.id === index.id)?.index
    if (now !== undefined && now.state !== 'failed') this.#findings.add(problem)
  }

  async #readCatalog(): Promise<Catalog> {
    return (await checkCatalog(this.#cellStore, new ConsistencyFindings())).catalog
  }
}

const BATCH = 100

type ExpectedEntry = {
  readonly row: Uint8Array
  readonly entry: EncodedEntry
  /** Whether the entry need not be there yet, or no more. */
  readonly mayLack: boolean
}
type FoundEntry = { readonly key: Uint8Array; readonly row: Uint8Array }

/** What of a row tells its entries, and whether it has been handed out (O4). */
function columnsRead({ table, index }: TableIndex): readonly string[] {
  const columns = familiesOf(table, indexColumns(table, index)).map(familyColumn)
  return index.isDue ? [...columns, handedOutColumn(index.id)] : columns
}

/** O4: of a row that was handed out for its time the entry is gone. */
function mayLack({ table, index }: TableIndex, row: SnapshotRow): boolean {
  if (index.state === 'building') return true
  if (!index.isDue) return false
  const handedOut = unlessDamaged(() => handedOutTime(row.columns, index.id))
  if (handedOut === undefined) return false
  const columns = indexColumns(table, index)
  const time = unlessDamaged(
    () => storedRow(table, familiesOf(table, columns), row).row[columns[0] as number],
  )
  return time === handedOut
}

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
  { entry: expected, mayLack }: ExpectedEntry,
  value: Uint8Array | undefined,
): string | undefined {
  if (value === undefined) return mayLack ? undefined : 'it has no entry.'
  // Of rows that share a unique value one has the entry, until the build finds out.
  if (index.state === 'building' && !belongsTo(expected, value)) return undefined
  return compareRowKeys(value, expected.value) === 0 ? undefined : 'its entry says something else.'
}

/** Keys of the entries that a row has to have: none of one that is gone, `unreadable` where that is found elsewhere. */
type EntryKeys = ReadonlySet<string> | 'unreadable'

/** Of the last rows, for the words of one text are far apart in an index, and each would make all entries again. */
class KnownRows {
  readonly #keys = new Map<string, EntryKeys>()
  #count = 0

  get(row: Uint8Array): EntryKeys | undefined {
    return this.#keys.get(keyString(row))
  }

  set(row: Uint8Array, keys: EntryKeys): void {
    if (this.#count > KNOWN_KEYS_MAX) {
      this.#keys.clear()
      this.#count = 0
    }
    this.#keys.set(keyString(row), keys)
    this.#count += 1 + (keys === 'unreadable' ? 0 : keys.size)
  }
}

/** A row counts as one more. */
const KNOWN_KEYS_MAX = 100_000

function entryKeys(checked: TableIndex, row: SnapshotRow | null | undefined): EntryKeys {
  if (row == null) return new Set()
  const expected = expectedEntries(checked, row)
  return expected === undefined
    ? 'unreadable'
    : new Set(expected.map((entry) => keyString(entry.key)))
}

/** What the entry's value says in addition to the key is compared from the row's side. */
function agrees(keys: EntryKeys, { key }: FoundEntry): boolean {
  return keys === 'unreadable' || keys.has(keyString(key))
}

function isSameEntry(a: EncodedEntry, b: EncodedEntry): boolean {
  return compareRowKeys(a.key, b.key) === 0 && compareRowKeys(a.value, b.value) === 0
}
