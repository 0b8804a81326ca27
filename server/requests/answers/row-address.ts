// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, valueToJson } from '../../../planner/planner.ts'
import { CellStoreError, DamagedRecord, StorageError } from '../../../storage/storage.ts'
import {
  type Catalog,
  columnPosition,
  indexIdOf,
  nameOfRow,
  type TableDefinition,
  tableIdOf,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { ServerError } from '../../errors/server-error.ts'

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

/** Of damage: the error with the table whose rows or entries cannot be read, where that is known. */
function withTableNamed(error: unknown, catalog: Catalog): ServerError | undefined {
  const cause = error instanceof StorageError ? error.cause : error
  if (cause instanceof DamagedRecord) {
    const { table, row, key } = cause.facts
    const at = cause.row ?? Buffer.from(String(row ?? key ?? ''), 'hex')
    const name = table ?? (at.length > 0 && tableOf(at, catalog))
    return damagedTable(cause.detail, name, cause)
  }
  if (!(cause instanceof CellStoreError) || cause.kind !== 'damaged') return undefined
  return damagedTable(cause.message, cause.row && tableOf(cause.row, catalog), cause)
}

function damagedTable(detail: string, table: unknown, cause: Error): ServerError {
  const fields = typeof table === 'string' ? { table } : {}
  return new ServerError('store_damaged', detail, fields, { cause })
}

function tableOf(row: Uint8Array, catalog: Catalog): string | undefined {
  const [tableId, indexId] = [tableIdOf(row), indexIdOf(row)]
  const table = catalog
    .tables()
    .find(({ id, indexes }) => id === tableId || indexes.some((index) => index.id === indexId))
  return table?.name
}
