// SPDX-License-Identifier: Apache-2.0

import { invalidDefinition } from '../definition-name.ts'
import { identityOf } from '../identity-column.ts'
import { requireColumn } from '../new-key.ts'
import { type Catalog, requireTable } from './catalog.ts'
import { type CatalogWrites, changeTable } from './catalog-writes.ts'
import { writeIdentity } from './identity-row.ts'

/**
 * Makes a number the next one of an identity column. Numbers that processes hold are handed out no more: they are of
 * another series, and a transaction that has written the table and began before fails by its schema fence.
 *
 * Errors: `unknown_table`; `invalid_definition` for no such column, and for one that is no identity.
 */
export async function restartIdentity(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  { name, next }: { readonly name: string; readonly next: bigint },
): Promise<void> {
  const table = requireTable(catalog, tableName)
  const column = requireColumn('ALTER COLUMN', name, table.columns, { table: tableName })
  transaction.requireRoom()
  const found = identityOf(table)
  if (found?.column !== column) {
    const message = `Column "${name}" is not GENERATED AS IDENTITY.`
    throw invalidDefinition(message, { table: tableName, column: name })
  }
  const { identity } = found
  const series = identity.series + 1
  const restarted = { ...column, default: { ...identity, series } }
  const columns = table.columns.map((other) => (other === column ? restarted : other))
  writeIdentity(transaction, table, { series, next })
  await changeTable(transaction, { ...table, columns })
}
