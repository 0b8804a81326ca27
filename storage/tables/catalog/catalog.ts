// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import { endOfPrefix } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'
import { intact } from '../../invariant.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { compareText } from '../../values/sql-value.ts'
import {
  CATALOG_TABLE_PREFIX,
  CATALOG_VERSION_KEY,
  catalogTableKey,
  decodeCatalogVersion,
} from '../bytes/catalog-codec.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import { decodeTable } from '../bytes/table-codec.ts'
import { dueIndexes } from '../due-index.ts'
import { nearestNames } from '../nearest-names.ts'
import { EVERY_RIGHT, type Rights } from '../rights.ts'
import type {
  IndexDefinition,
  ObserverDefinition,
  ScheduleDefinition,
  TableDefinition,
} from '../table-definition.ts'

/** The tables as one snapshot has them. A transaction asks for the catalog of its own snapshot. */
export interface Catalog {
  /**
   * The commit timestamp of the last change, 0 before the first one: catalogs of one version are
   * equal. Null when the asking transaction itself changed the catalog, so that nothing may be kept
   * for it beyond the transaction.
   */
  readonly version: Timestamp | null
  /** Names are case-sensitive. */
  table(name: string): TableDefinition | undefined
  /** Ordered by name. */
  tables(): readonly TableDefinition[]
  /** Names of indexes are case-sensitive too, and unlike in the whole store. */
  index(name: string): TableIndex | undefined
  /** Ordered by table, and then as they were created. */
  indexes(): readonly TableIndex[]
  /** The same, and then those of observers DUE: all whose entries are in the store. */
  entryIndexes(): readonly TableIndex[]
  /** With observers it is the same as with indexes. */
  observer(name: string): TableObserver | undefined
  observers(): readonly TableObserver[]
  /** With schedules too. */
  schedule(name: string): TableSchedule | undefined
  schedules(): readonly TableSchedule[]
  /** Of those whose view of the tables it is. */
  readonly rights: Rights
}

/** An index with the table that it is of. */
export type TableIndex = { readonly table: TableDefinition; readonly index: IndexDefinition }

/** An observer with the table that it observes. */
export type TableObserver = {
  readonly table: TableDefinition
  readonly observer: ObserverDefinition
}

/** A schedule with its table and the observer that it runs. */
export type TableSchedule = TableObserver & { readonly schedule: ScheduleDefinition }

export function createCatalog(
  version: Timestamp | null,
  definitions: readonly TableDefinition[],
  rights: Rights = EVERY_RIGHT,
): Catalog {
  const tables = definitions.toSorted((a, b) => compareText(a.name, b.name))
  const indexes = tables.flatMap((table) => table.indexes.map((index) => ({ table, index })))
  const ofObservers = tables.flatMap((table) =>
    dueIndexes(table).map((index) => ({ table, index })),
  )
  const entryIndexes = ofObservers.length === 0 ? indexes : [...indexes, ...ofObservers]
  const observers = tables.flatMap((table) =>
    table.observers.map((observer) => ({ table, observer })),
  )
  const schedules = tables.flatMap((table) => schedulesOf(table))
  const tablesByName = new Map(tables.map((table) => [table.name, table]))
  const indexesByName = new Map(indexes.map((found) => [found.index.name, found]))
  const observersByName = new Map(observers.map((found) => [found.observer.name, found]))
  const schedulesByName = new Map(schedules.map((found) => [found.schedule.name, found]))
  return {
    version,
    table: (name) => tablesByName.get(name),
    tables: () => tables,
    index: (name) => indexesByName.get(name),
    indexes: () => indexes,
    entryIndexes: () => entryIndexes,
    observer: (name) => observersByName.get(name),
    observers: () => observers,
    schedule: (name) => schedulesByName.get(name),
    schedules: () => schedules,
    rights,
  }
}

function schedulesOf(table: TableDefinition): TableSchedule[] {
  return table.schedules.map((schedule) => {
    const observer = table.observers.find(({ id }) => id === schedule.observer)
    intact(observer !== undefined, 'T3', { table: table.name, schedule: schedule.name })
    return { table, observer, schedule }
  })
}

/** The table of this name, or `unknown_table` with the names that come near it. */
export function requireTable(catalog: Catalog, name: string): TableDefinition {
  const table = catalog.table(name)
  if (table === undefined) throw unknownName('table', name, catalog.tables())
  return table
}

/** The index of this name, or `unknown_index` with the names that come near it. */
export function requireIndex(catalog: Catalog, name: string): TableIndex {
  const found = catalog.index(name)
  if (found !== undefined) return found
  const known = catalog.indexes().map(({ index }) => index)
  throw unknownName('index', name, known)
}

/** The observer of this name, or `unknown_observer` with the names that come near it. */
export function requireObserver(catalog: Catalog, name: string): TableObserver {
  const found = catalog.observer(name)
  if (found !== undefined) return found
  const known = catalog.observers().map(({ observer }) => observer)
  throw unknownName('observer', name, known)
}

/** The schedule of this name, or `unknown_schedule` with the names that come near it. */
export function requireSchedule(catalog: Catalog, name: string): TableSchedule {
  const found = catalog.schedule(name)
  if (found !== undefined) return found
  const known = catalog.schedules().map(({ schedule }) => schedule)
  throw unknownName('schedule', name, known)
}

function unknownName(
  what: 'table' | 'index' | 'observer' | 'schedule',
  name: string,
  known: ReadonlyArray<{ readonly name: string }>,
): StorageError {
  const names = known.map((other) => other.name)
  const nearest = nearestNames(name, names)
  const quoted = nearest.map((near) => `"${near}"`).join(' or ')
  const hint = nearest.length === 0 ? '' : ` Is ${quoted} meant?`
  const message = `There is no ${what} "${name}".${hint}`
  return new StorageError(`unknown_${what}`, message, { [what]: name, nearest })
}

/** How many versions are kept: the newest, those of snapshots still open, and of an AS OF or two. */
const VERSIONS_MAX = 8

/**
 * Reads catalogs. Every change writes the row `catalog/version`, so its commit timestamp at a
 * snapshot names the content of the whole catalog there: that one row is read each time, and the
 * tables only when their version is not at hand: one of them where the version before is, else all.
 */
export class CatalogReader {
  /** By version, the one used last at the end. */
  readonly #catalogs = new Map<Timestamp, Catalog>([[0, createCatalog(0, [])]])

  /** The newest one that is at hand. */
  get newest(): Catalog {
    return this.#catalogs.get(Math.max(...this.#catalogs.keys())) as Catalog
  }

  /** The catalog at the snapshot of the transaction, its own changes of earlier statements on top. */
  async read(transaction: CatalogReads): Promise<Catalog> {
    const row = await transaction.getRow(CATALOG_VERSION_KEY, [ROW_COLUMN])
    const cell = row?.columns.get(ROW_COLUMN)
    const version = cell === undefined ? 0 : cell.commitTs
    const known = version === null ? undefined : this.#catalogs.get(version)
    const catalog = known ?? (await this.#readAt(transaction, version, cell?.value))
    // Uncommitted changes are this transaction's alone, and may never come to be.
    if (version !== null) this.#keep(version, catalog)
    return catalog
  }

  /** The one table by which the version differs from one that is at hand, or all of them. */
  async #readAt(
    transaction: CatalogReads,
    version: Timestamp | null,
    value: Uint8Array | undefined,
  ): Promise<Catalog> {
    const step = value && decodeCatalogVersion(value)
    const before = step && this.#catalogs.get(step.after)
    if (step === undefined || before === undefined) {
      return createCatalog(version, await readTables(transaction))
    }
    const others = before.tables().filter(({ id }) => id !== step.changed)
    const row = await transaction.getRow(catalogTableKey(step.changed), [ROW_COLUMN])
    const cell = row?.columns.get(ROW_COLUMN)
    return createCatalog(
      version,
      cell === undefined ? others : [...others, decodeTable(cell.value)],
    )
  }

  #keep(version: Timestamp, catalog: Catalog): void {
    this.#catalogs.delete(version)
    this.#catalogs.set(version, catalog)
    for (const oldest of this.#catalogs.keys()) {
      if (this.#catalogs.size <= VERSIONS_MAX) return
      this.#catalogs.delete(oldest)
    }
  }
}

export type CatalogReads = Pick<Transaction, 'getRow' | 'scanRows'>

async function readTables(transaction: CatalogReads): Promise<TableDefinition[]> {
  const end = endOfPrefix(CATALOG_TABLE_PREFIX) as Uint8Array
  const tables: TableDefinition[] = []
  const rows = transaction.scanRows({ start: CATALOG_TABLE_PREFIX, end, columns: [ROW_COLUMN] })
  for await (const row of rows) {
    const cell = row.columns.get(ROW_COLUMN)
    if (cell !== undefined) tables.push(decodeTable(cell.value))
  }
  return tables
}
