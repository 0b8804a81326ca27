// SPDX-License-Identifier: Apache-2.0
import {
  type ChangedRow,
  type FeedCommit,
  type Storage,
  spaceOf,
  type Timestamp,
  type Transaction,
} from '../../../../../storage/storage.ts'
import {
  type Catalog,
  columnsForDelete,
  decodePrimaryKey,
  entryEdits,
  getRows,
  type IndexDefinition,
  indexSpace,
  ROW_COLUMN,
  type RowChange,
  type TableDefinition,
  tableIdOf,
} from '../../../../../storage/tables/tables.ts'
import type { Turns } from '../../../../guard/budgets/turns.ts'
import { aroundCommit } from '../../matching/commit-images.ts'

/** Of a commit of more rows the entries are not made: it counts as a change of all entries of its tables. */
const IMAGED_ROWS_MAX = 1_000
/** Rows whose images are read together. */
const ROWS_AT_ONCE = 100

/** A key that a commit has written, and the columns of it. */
export type TouchedKey = { readonly key: Uint8Array; readonly columns: readonly string[] }

/** What a commit has written: keys of rows, and of the entries that have come, gone or changed with them. */
export type TouchedKeys = {
  readonly commitTs: Timestamp
  readonly keys: readonly TouchedKey[]
  /** Indexes, by `spaceOf`, of which it is not known which entries are others now. */
  readonly unknownSpaces: ReadonlySet<string>
  /** Whether it has changed definitions. */
  readonly changesCatalog: boolean
}

type Looking = {
  /** The definitions right before the commit. */
  readonly catalog: Catalog
  /** Whether entries of this index, by `spaceOf`, have been read. */
  readonly isRead: (space: string) => boolean
  readonly turns: Turns
}

/**
 * The keys that a commit has touched. The feed has those of rows alone; entries are made of the rows as they were
 * before and after it, for the indexes that `isRead` answers with true.
 */
export async function touchedKeys(
  storage: Storage,
  { commitTs, rows }: FeedCommit,
  { catalog, isRead, turns }: Looking,
): Promise<TouchedKeys> {
  const keys: TouchedKey[] = rows.map(({ key, columns }) => ({ key, columns }))
  const ofTables = Map.groupBy(rows, ({ key }) => tableIdOf(key))
  const unknownSpaces = new Set<string>()
  const touched = { commitTs, keys, unknownSpaces, changesCatalog: ofTables.has(undefined) }
  // A commit that changes definitions changes every answer anyway.
  if (touched.changesCatalog) return touched
  for (const [id, changed] of ofTables) {
    const table = catalog.tables().find((one) => one.id === id)
    const indexes = table?.indexes ?? []
    const isImaged = changed.length <= IMAGED_ROWS_MAX
    const read = indexes.filter((index) => isImaged && isRead(spaceOfIndex(index)))
    for (const index of indexes) {
      if (!read.includes(index)) unknownSpaces.add(spaceOfIndex(index))
    }
    if (table === undefined || read.length === 0) continue
    await aroundCommit(storage, commitTs, async (before, after) => {
      const images = { before, after, table, indexes: read }
      for (let first = 0; first < changed.length; first += ROWS_AT_ONCE) {
        keys.push(...(await entriesOf(images, changed.slice(first, first + ROWS_AT_ONCE))))
        if (turns.isDue) await turns.pause()
      }
    })
  }
  return touched
}

function spaceOfIndex({ id }: IndexDefinition): string {
  return spaceOf(indexSpace(id))
}

type Images = {
  readonly before: Transaction
  readonly after: Transaction
  readonly table: TableDefinition
  readonly indexes: readonly IndexDefinition[]
}

/** The keys of entries that are no longer, or only now, or now with another value. */
async function entriesOf(images: Images, rows: readonly ChangedRow[]): Promise<TouchedKey[]> {
  const { table, indexes } = images
  const ofIndexes = { ...table, indexes }
  const keys = rows.map(({ key }) => decodePrimaryKey(table, key))
  const columns = columnsForDelete(ofIndexes)
  const before = await getRows(images.before, table, keys, columns)
  const after = await getRows(images.after, table, keys, columns)
  return rows.flatMap((_, at) => {
    const change = { before: before[at]?.row ?? null, after: after[at]?.row ?? null }
    if (change.before === null && change.after === null) return []
    const edits = entryEdits(ofIndexes, change as RowChange, false)
    return edits.flatMap(({ put, deleted }) => {
      const entry = put ?? deleted
      return entry === undefined ? [] : { key: entry.key, columns: ENTRY }
    })
  })
}

const ENTRY: readonly string[] = [ROW_COLUMN]

/** Whether two lists of columns have one in common. */
export function sharesColumn(one: readonly string[], other: readonly string[]): boolean {
  return one.some((column) => other.includes(column))
}
