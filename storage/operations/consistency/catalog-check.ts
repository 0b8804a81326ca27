// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../cells/row-key.ts'
import { InvariantViolation } from '../../invariant.ts'
import {
  CATALOG_NEXT_ID_KEY,
  CATALOG_VERSION_KEY,
  catalogNameKey,
  catalogTableKey,
  decodeCatalogName,
  decodeNextId,
} from '../../tables/bytes/catalog-codec.ts'
import { ROW_COLUMN } from '../../tables/bytes/row-codec.ts'
import { decodeTable } from '../../tables/bytes/table-codec.ts'
import { type Catalog, createCatalog } from '../../tables/catalog/catalog.ts'
import type { TableDefinition } from '../../tables/table-definition.ts'
import { type CommittedValue, readCommittedValue } from './committed-value.ts'
import type { ConsistencyFindings, ConsistencyProblem } from './consistency-report.ts'
import { passDamage, unlessDamaged } from './damage.ts'

export type CheckedCatalog = {
  readonly catalog: Catalog
  /** The id that the next table gets: no row may be of a table with this id or a larger one. */
  readonly nextId: number
}

const CATALOG_PREFIX = systemRowKey('catalog/')
/** A catalog that changes so often while it is read is left to the next check. */
const READINGS_MAX = 10

/** T3: tables, their names, the next id and the version of the catalog agree with each other. */
export async function checkCatalog(
  cellStore: CellStore,
  findings: ConsistencyFindings,
): Promise<CheckedCatalog> {
  const { rows, problems } = await readUnchanged(cellStore)
  findings.add(...problems)
  const found = (path: string, message: string) =>
    findings.add({ rule: 'T3', row: systemRowKey(path), message })
  const tables: TableDefinition[] = []
  const names = new Map<string, number>()
  for (const [path, { value }] of rows) {
    if (value === null) continue
    // That a row cannot be read is found, with all its versions, when the rows are checked.
    unlessDamaged(() => {
      if (path.startsWith('catalog/table/')) tables.push(decodeTable(value))
      if (path.startsWith('catalog/name/')) names.set(path, decodeCatalogName(value))
    })
  }
  const nextId = nextIdOf(rows)
  for (const table of tables) {
    const path = pathOf(catalogTableKey(table.id))
    if (!rows.has(path)) found(path, `Table "${table.name}" is kept under the id of another.`)
    if (names.get(pathOf(catalogNameKey(table.name))) !== table.id) {
      found(path, `The name "${table.name}" does not lead to table ${table.id}.`)
    }
    if (table.id >= nextId) found(path, `Table ${table.id} exists and ${nextId} is given out next.`)
  }
  checkIndexes(tables, nextId, found)
  checkNames(tables, names, found)
  checkVersion(rows, found)
  return { catalog: createCatalog(null, tables), nextId }
}

/** Ids are given out once, to tables and indexes alike, and names of indexes are there once. */
function checkIndexes(
  tables: readonly TableDefinition[],
  nextId: number,
  found: (path: string, message: string) => void,
): void {
  const ids = new Set(tables.map(({ id }) => id))
  const names = new Set<string>()
  for (const table of tables) {
    const path = pathOf(catalogTableKey(table.id))
    for (const { id, name } of table.indexes) {
      if (ids.has(id)) found(path, `The id ${id} of the index "${name}" is that of another too.`)
      if (id >= nextId) found(path, `Index ${id} exists and ${nextId} is given out next.`)
      if (names.has(name.toLowerCase())) {
        found(path, `There is another index "${name}", but for case.`)
      }
      ids.add(id)
      names.add(name.toLowerCase())
    }
  }
}

function checkNames(
  tables: readonly TableDefinition[],
  names: ReadonlyMap<string, number>,
  found: (path: string, message: string) => void,
): void {
  const ids = new Set(tables.map(({ id }) => id))
  for (const [path, id] of names) {
    if (!ids.has(id)) found(path, `The name leads to table ${id}, which does not exist.`)
  }
  const byName = new Map<string, TableDefinition>()
  for (const table of tables) {
    const other = byName.get(table.name.toLowerCase())
    if (other !== undefined) {
      const message = `Tables ${other.id} and ${table.id} have the same name but for case.`
      found(pathOf(catalogTableKey(table.id)), message)
    }
    byName.set(table.name.toLowerCase(), table)
  }
}

/** Every change of the catalog writes the version row, so nothing in it is newer. */
function checkVersion(
  rows: ReadonlyMap<string, CommittedValue>,
  found: (path: string, message: string) => void,
): void {
  const version = rows.get(VERSION_PATH)?.commitTs ?? 0
  for (const [path, { commitTs }] of rows) {
    if (commitTs > version)
      found(path, `It was changed at ${commitTs}, after the version of the catalog.`)
  }
}

function nextIdOf(rows: ReadonlyMap<string, CommittedValue>): number {
  const value = rows.get(pathOf(CATALOG_NEXT_ID_KEY))?.value ?? null
  try {
    return value === null ? 1 : decodeNextId(value)
  } catch {
    return 1
  }
}

type Reading = {
  readonly rows: ReadonlyMap<string, CommittedValue>
  readonly problems: readonly ConsistencyProblem[]
}

/** All rows of the catalog as of one moment: nothing in it changed while they were read. */
async function readUnchanged(cellStore: CellStore): Promise<Reading> {
  let reading: Reading = { rows: new Map(), problems: [] }
  for (let round = 0; round < READINGS_MAX; round++) {
    const before = await versionOf(cellStore)
    reading = await readAll(cellStore)
    if ((await versionOf(cellStore)) === before) return reading
  }
  return reading
}

async function readAll(cellStore: CellStore): Promise<Reading> {
  const rows = new Map<string, CommittedValue>()
  const problems: ConsistencyProblem[] = []
  const end = endOfPrefix(CATALOG_PREFIX) as Uint8Array
  const filter = [{ family: 'write', newest: 1 }, { family: 'lock' }] as const
  for await (const { key } of cellStore.scanRows({ start: CATALOG_PREFIX, end, filter })) {
    try {
      const value = await readCommittedValue(cellStore, key, ROW_COLUMN)
      if (value !== null) rows.set(pathOf(key), value)
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error
      const message = `The row of the catalog cannot be read: ${error.message}`
      problems.push({ rule: error.rule, row: key, message })
    }
  }
  return { rows, problems }
}

async function versionOf(cellStore: CellStore): Promise<Timestamp | undefined> {
  const value = await readCommittedValue(cellStore, CATALOG_VERSION_KEY, ROW_COLUMN).catch(
    passDamage,
  )
  return value?.commitTs
}

function pathOf(key: Uint8Array): string {
  return Buffer.from(key.subarray(1)).toString('latin1')
}

const VERSION_PATH = pathOf(CATALOG_VERSION_KEY)
