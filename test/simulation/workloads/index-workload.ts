// SPDX-License-Identifier: Apache-2.0

import { StorageError } from '../../../storage/storage.ts'
import { decodeEntryKey } from '../../../storage/tables/bytes/index-key.ts'
import {
  addColumn,
  type Catalog,
  changeRows,
  columnsForDelete,
  columnsForSet,
  createIndex,
  createTable,
  dropColumn,
  dropIndex,
  getRows,
  type NewIndex,
  requireTable,
  scanIndexEntries,
  scanRows,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import {
  differenceFromRows,
  EXTRA,
  ITEM,
  ITEM_INDEXES,
  ITEM_TABLE,
  infoOf,
  positionOf,
  sharedClaim,
  withPaths,
} from './item-table.ts'
import type { RecordingWrites } from './recording-writes.ts'
import type { Work } from './work.ts'

/**
 * A table with unique and other indexes, whose rows come, change and go while indexes and columns are
 * created and dropped. In every snapshot a ready index has exactly one entry for each row.
 */
export async function indexSetup({ transaction }: Work): Promise<void> {
  await transaction.onTables((writes, catalog) =>
    createTable(writes, catalog, ITEM_TABLE, { ifNotExists: false }),
  )
  for (const newIndex of ITEM_INDEXES.slice(0, 2)) {
    await transaction.onTables((writes, catalog) =>
      createIndex(writes, catalog, newIndex, { ifNotExists: false }),
    )
  }
}

export async function indexesTransaction(work: Work): Promise<void> {
  const { transaction, random, think, counters } = work
  if (transaction.recorded.readOnly || random.fraction() < 0.1) return await compareAll(work)
  if (random.fraction() < 0.12) {
    counters.count(await transaction.onTables((writes, catalog) => define(work, writes, catalog)))
    return
  }
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    await think()
    await writeRows(work)
  }
  if (random.fraction() < 0.1) await compareAll(work)
}

/** Reads the table, and later each ready index, at one snapshot, with own writes on top. */
async function compareAll({ transaction, think, violations, counters }: Work): Promise<void> {
  const read = await transaction.onTables(async (reads, catalog) => {
    const table = catalog.table(ITEM)
    if (table === undefined) return undefined
    return {
      table,
      rows: (await Array.fromAsync(scanRows(reads, table, {}))).map(({ row }) => row),
    }
  })
  if (read === undefined) return
  const { table, rows } = read
  for (const index of table.indexes) {
    if (index.state !== 'ready') continue
    await think()
    const batches = await transaction.onTables((reads) =>
      Array.fromAsync(scanIndexEntries(reads, table, index, { batchEntries: 3 })),
    )
    const entries = batches.flat().map(({ row, key }) => {
      const { values } = decodeEntryKey(table, index, key)
      return withPaths(table, index, { row, values })
    })
    counters.count('index compared with its rows by a client')
    const problem =
      differenceFromRows(table, index, rows, entries) ?? sharedClaim(table, index, rows)
    if (problem !== undefined) violations.add('index', `${transaction.recorded} saw: ${problem}`)
  }
}

/** A change of the definition; answers what it was. */
async function define(work: Work, writes: RecordingWrites, catalog: Catalog): Promise<string> {
  const { random } = work
  const table = requireTable(catalog, ITEM)
  if (random.fraction() < 0.25) return await alter(work, writes, catalog, table)
  const drawn = ITEM_INDEXES[random.below(ITEM_INDEXES.length)] as NewIndex
  // One that is being built is there for a moment only, in which it must be possible to drop it.
  const building = table.indexes.find(({ state }) => state === 'building')
  const isDue = building !== undefined && random.fraction() < 0.5
  const wanted = (isDue && ITEM_INDEXES.find(({ name }) => name === building.name)) || drawn
  const existing = table.indexes.find(({ name }) => name === wanted.name)
  if (existing === undefined) {
    await createIndex(writes, catalog, wanted, { ifNotExists: false })
    return 'index created'
  }
  await dropIndex(writes, catalog, wanted.name, { ifExists: false })
  return `${existing.state} index dropped`
}

async function alter(
  { random }: Work,
  writes: RecordingWrites,
  catalog: Catalog,
  table: TableDefinition,
): Promise<string> {
  const extra = table.columns.find(({ name }) => name.startsWith(EXTRA))
  if (extra !== undefined && random.fraction() < 0.5) {
    await dropColumn(writes, catalog, ITEM, extra.name)
    return 'column dropped'
  }
  const value = BigInt(random.below(100))
  await addColumn(writes, catalog, ITEM, {
    name: `${EXTRA}${table.nextColumnId}`,
    type: 'INTEGER',
    notNull: true,
    default: { kind: 'literal', value },
  })
  return 'column added'
}

/** One statement that inserts, changes or deletes; it may be refused, and then has done nothing. */
async function writeRows(work: Work): Promise<void> {
  const { transaction, random, counters } = work
  const { recorded } = transaction
  const own = recorded.ownWrites()
  const asked: SqlValue[][] = []
  try {
    await transaction.onTables(async (writes, catalog) => {
      const table = requireTable(catalog, ITEM)
      const ids = drawIds(work)
      if (random.fraction() < work.swarm.deleteRate * 0.6)
        return await deleteRows(writes, table, ids)
      const assigned = drawAssigned(work, table)
      const columns = columnsForSet(table, assigned)
      const keys = ids.map((id) => [id])
      const found = await getRows(writes, table, keys, columns)
      const changes = found.map((stored, place) => {
        const after: SqlValue[] = table.columns.map((column, position) =>
          stored === null || assigned.includes(position)
            ? drawValue(work, column.name)
            : (stored.row[position] ?? null),
        )
        after[positionOf(table, 'id')] = ids[place] as bigint
        asked.push(after)
        if (stored === null) return { before: null, after }
        return { before: stored.row, after, columns: assigned }
      })
      await changeRows(writes, table, changes)
    })
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'unique_violation') throw error
    counters.count('unique value refused')
    recorded.refusals.push({ index: String(error.fields.index), rows: asked, own })
  }
}

async function deleteRows(
  writes: RecordingWrites,
  table: TableDefinition,
  ids: readonly bigint[],
): Promise<void> {
  const keys = ids.map((id) => [id])
  const found = await getRows(writes, table, keys, columnsForDelete(table))
  const changes = found.flatMap((stored) =>
    stored === null ? [] : [{ before: stored.row, after: null }],
  )
  await changeRows(writes, table, changes)
}

function drawIds({ random, swarm }: Work): bigint[] {
  const count = random.fraction() < 0.2 ? 2 : 1
  const first = random.below(swarm.keys)
  const ids = Array.from({ length: count }, (_, place) => BigInt((first + place) % swarm.keys))
  return [...new Set(ids)]
}

/** One or two columns that a SET names, of either family or of both. */
function drawAssigned({ random }: Work, table: TableDefinition): number[] {
  const positions = table.columns.flatMap(({ name }, position) => (name === 'id' ? [] : [position]))
  const draw = () => positions[random.below(positions.length)] as number
  return [...new Set(random.fraction() < 0.5 ? [draw()] : [draw(), draw()])]
}

/** So few values that rows meet in them. */
function drawValue({ transaction, random, swarm }: Work, column: string): SqlValue {
  switch (column) {
    case 'code':
      return random.fraction() < 0.15 ? null : BigInt(random.below(Math.ceil(swarm.keys * 0.7)))
    case 'area':
      return random.fraction() < 0.2 ? null : BigInt(random.below(3))
    case 'info': {
      const tag = `${random.below(Math.ceil(swarm.keys / 2))}`
      return random.fraction() < 0.2 ? null : infoOf(random.fraction() < 0.2 ? null : tag)
    }
    case 'note': {
      const note = `${transaction.recorded.number}.${random.below(1e6)}`
      return random.fraction() < swarm.longValueRate ? note.padEnd(300, '-') : note
    }
    default:
      return BigInt(random.below(Math.max(4, swarm.keys)))
  }
}
