// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, valueToJson } from '../../../planner/planner.ts'
import { StorageError } from '../../../storage/storage.ts'
import {
  type Catalog,
  columnPosition,
  nameOfRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { ServerError } from '../../errors/server-error.ts'
import { withTableNamed } from './damaged-table.ts'

/** A row as the contract names it: by table and primary key, as an index's, or as one of the store's own. */
export type RowAddress =
  | { readonly table: string; readonly key: readonly unknown[] }
  | { readonly table: string; readonly index: string }
  | { readonly system: string }
  | { readonly rowKey: string }

export function addressOfRow(catalog: Catalog, rowKey: Uint8Array): RowAddress {
  const name = nameOfRow(catalog, rowKey)
  switch (name.kind) {
    case 'row':
      return { table: name.table.name, key: keyToJson(name.table, name.key) }
    case 'indexEntry':
      return { table: name.table.name, index: name.index.name }
    case 'system':
      return { system: name.path }
    case 'unknown':
      return { rowKey: Buffer.from(rowKey).toString('base64') }
  }
}

/** The values of a primary key in the JSON form of their columns, in key order. */
export function keyToJson(
  table: TableDefinition,
  key: readonly SqlValue[],
  integers: IntegerForm = 'number',
): unknown[] {
  return table.primaryKey.map(({ columnId }, index) => {
    const column = table.columns[columnPosition(table, columnId)]
    return valueToJson(column?.type ?? 'TEXT', key[index] ?? null, { integers })
  })
}

/**
 * Storage names the row of a conflict by its raw key; this names it by table and primary key, and of
 * damage the table. Any other error comes back as it is.
 */
export function withRowNamed(error: unknown, catalog: Catalog): unknown {
  const damaged = withTableNamed(error, catalog)
  if (damaged !== undefined) return damaged
  if (!(error instanceof StorageError)) return error
  const { row, ...fields } = error.fields
  if (!(row instanceof Uint8Array)) return error
  const address = addressOfRow(catalog, row)
  return new ServerError(
    error.code as ServerError['code'],
    error.message,
    { ...fields, ...address },
    { cause: error },
  )
}
