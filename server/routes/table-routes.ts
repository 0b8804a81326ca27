// SPDX-License-Identifier: Apache-2.0
import { valueToJson } from '../../planner/planner.ts'
import {
  type Catalog,
  type ColumnDefinition,
  columnPosition,
  encodePrimaryKey,
  requireTable,
  type Storage,
  type TableDefinition,
  type Timestamp,
} from '../../storage/storage.ts'
import { readKeyPath } from '../key-path.ts'
import type { Handlers } from '../openapi/binding.ts'
import { rowCellsOf } from '../row-cells.ts'
import { answerReadTimestamp } from './transaction-answers.ts'

export function tableRoutes({ storage }: { readonly storage: Storage }): Handlers {
  return {
    async listTables({ reply }) {
      const { catalog, readTimestamp } = await currentCatalog(storage)
      answerReadTimestamp(reply, readTimestamp)
      return { tables: catalog.tables().map(tableOf) }
    },

    async getTable({ parameters, reply }) {
      const { catalog, readTimestamp } = await currentCatalog(storage)
      answerReadTimestamp(reply, readTimestamp)
      return tableOf(requireTable(catalog, String(parameters.table)))
    },

    async getCells({ parameters }) {
      const { catalog } = await currentCatalog(storage)
      const table = requireTable(catalog, String(parameters.table))
      const key = readKeyPath(table, String(parameters.key))
      const rowKey = encodePrimaryKey(table, key)
      return rowCellsOf({ catalog, table, rowKey }, key, await storage.inspectRow(rowKey))
    },
  }
}

/** The definitions as they are now. */
export async function currentCatalog(
  storage: Storage,
): Promise<{ readonly catalog: Catalog; readonly readTimestamp: Timestamp }> {
  const transaction = await storage.begin({ readOnly: true })
  try {
    return { catalog: await storage.catalog(transaction), readTimestamp: transaction.startTs }
  } finally {
    transaction.rollback()
  }
}

/** `Table` of `openapi.yaml`. */
function tableOf(table: TableDefinition) {
  return {
    name: table.name,
    columns: table.columns.map(columnOf),
    primaryKey: table.primaryKey.map(({ columnId, descending }) => ({
      column: table.columns[columnPosition(table, columnId)]?.name,
      descending,
    })),
  }
}

function columnOf({ name, type, notNull, default: byDefault }: ColumnDefinition) {
  const column = { name, type, notNull }
  if (byDefault === undefined) return column
  const described =
    byDefault.kind === 'literal'
      ? { value: valueToJson(type, byDefault.value) }
      : { function: byDefault.kind }
  return { ...column, default: described }
}
