// SPDX-License-Identifier: Apache-2.0

import { indexIdOf } from '../bytes/index-key.ts'
import { tableIdOf } from '../bytes/key-encoding.ts'
import type { Catalog, CatalogReads } from '../catalog/catalog.ts'
import { readNextId } from '../catalog/catalog-writes.ts'

/**
 * Tells rows of tables, and entries of indexes, that had been dropped at the transaction's snapshot: their id was given
 * out before it, and the catalog no longer has it. Ids are never given out again. The entries of an index that failed
 * are abandoned too: they are no longer written or read.
 */
export async function findAbandonedRows(
  transaction: CatalogReads,
  catalog: Catalog,
): Promise<(rowKey: Uint8Array) => boolean> {
  const nextId = await readNextId(transaction)
  const living = new Set<number>()
  for (const { id } of catalog.tables()) living.add(id)
  for (const { index } of catalog.entryIndexes()) if (index.state !== 'failed') living.add(index.id)
  return (rowKey) => {
    const id = tableIdOf(rowKey) ?? indexIdOf(rowKey)
    return id !== undefined && id < nextId && !living.has(id)
  }
}

/** Tells, by the same reasoning, which observers had been dropped at the transaction's snapshot. */
export async function findGoneObservers(
  transaction: CatalogReads,
  catalog: Catalog,
): Promise<(observerId: number) => boolean> {
  const nextId = await readNextId(transaction)
  const living = new Set(catalog.observers().map(({ observer }) => observer.id))
  return (observerId) => observerId < nextId && !living.has(observerId)
}
