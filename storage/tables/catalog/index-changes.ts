// SPDX-License-Identifier: Apache-2.0

import { requireFreeName } from '../definition-name.ts'
import { defineIndex, type NewIndex } from '../new-index.ts'
import { requireUniqueWithinRules } from '../row-rules.ts'
import type { IndexDefinition, TableDefinition } from '../table-definition.ts'
import { type Catalog, requireIndex, requireTable, type TableIndex } from './catalog.ts'
import { requireCatalogCounts } from './catalog-counts.ts'
import { type CatalogWrites, changeTable, takeId } from './catalog-writes.ts'
import { forgetProgress } from './index-progress.ts'

/**
 * Creates an index in the state `building`: from this transaction's commit on, every transaction that can still commit
 * keeps its entries (the schema fence of the table sees to that), and the entries of existing rows are written later by
 * `IndexBuilder`. Returns the table with the index, and whether it is new: with `ifNotExists` an existing index of that
 * name is returned as it is.
 *
 * Errors: those of `defineIndex` and `requireUniqueWithinRules`; `unknown_table`; `already_exists` with
 * the field `existing`, also for a name that differs from that of another index by case only.
 */
export async function createIndex(
  transaction: CatalogWrites,
  catalog: Catalog,
  newIndex: NewIndex,
  options: { readonly ifNotExists: boolean },
): Promise<TableIndex & { readonly created: boolean }> {
  const { name, table: tableName } = newIndex
  const existing = catalog.index(name)
  if (existing !== undefined && options.ifNotExists) return { ...existing, created: false }
  const known = catalog.indexes().map(({ index }) => index)
  requireFreeName('an index', name, known, { table: tableName, index: name })
  const before = requireTable(catalog, tableName)
  requireCatalogCounts(catalog, { parts: 1 })
  const index = await takeId(transaction, (id) => defineIndex(before, newIndex, id))
  const changed = { ...before, indexes: [...before.indexes, index] }
  requireUniqueWithinRules(changed)
  const table = await changeTable(transaction, changed)
  return { table, index, created: true }
}

/**
 * Drops an index in any state; older snapshots still see it, and garbage collection erases its entries. Returns its
 * definition, or null when there was none and `ifExists` allows that; otherwise that is `unknown_index`.
 */
export async function dropIndex(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  options: { readonly ifExists: boolean },
): Promise<IndexDefinition | null> {
  if (options.ifExists && catalog.index(name) === undefined) return null
  const { table, index } = requireIndex(catalog, name)
  const indexes = table.indexes.filter(({ id }) => id !== index.id)
  forgetProgress(transaction, index)
  // The fence: older transactions that still write entries would leave them for ever.
  await changeTable(transaction, { ...table, indexes })
  return index
}

/**
 * Ends the building of an index. Writers with the previous definition kept the same entries, so no transaction has to
 * fail for it.
 */
export async function endBuilding(
  transaction: CatalogWrites,
  { table, index }: TableIndex,
  end: { readonly state: 'ready' } | { readonly state: 'failed'; readonly failure: string },
): Promise<TableDefinition> {
  const ended = { ...index, ...end }
  const indexes = table.indexes.map((other) => (other.id === index.id ? ended : other))
  forgetProgress(transaction, index)
  return await changeTable(transaction, { ...table, indexes }, { isFenced: false })
}
