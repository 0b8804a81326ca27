// SPDX-License-Identifier: Apache-2.0

import { CellStoreError, DamagedRecord, StorageError } from '../../../storage/storage.ts'
import { type Catalog, indexIdOf, tableIdOf } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'

/** Of damage: the error with the table whose rows or entries cannot be read, where that is known. */
export function withTableNamed(error: unknown, catalog: Catalog): ServerError | undefined {
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
