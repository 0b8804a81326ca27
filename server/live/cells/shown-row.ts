// SPDX-License-Identifier: Apache-2.0
import { valueToJson } from '../../../planner/planner.ts'
import {
  type ColumnDefinition,
  decodeEntry,
  decodeRow,
  encodeEntryKey,
  encodePrimaryKey,
  entryColumns,
  familyColumn,
  type IndexDefinition,
  partType,
  type SqlRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { keyToJson } from '../../requests/answers/row-address.ts'
import { entryKeyParts } from '../../requests/rows/key-path.ts'

/** A row of a table or an entry of an index, as its cells are shown. */
export type ShownRow = {
  readonly rowKey: Uint8Array
  /** What names it in JSON. */
  readonly name: {
    readonly table: string
    readonly index?: string
    readonly key: readonly unknown[]
  }
  /** What a value in a column of the protocol holds. Throws for damage. */
  valuesOf(column: string, value: Uint8Array): ShownValues
}

type ShownValues = {
  /** The name of the family, where it was declared. */
  readonly family?: string
  readonly columns: readonly ColumnDefinition[]
  readonly values: readonly SqlValue[]
}

/** Errors: those of `encodePrimaryKey`. */
export function shownRow(table: TableDefinition, key: readonly SqlValue[]): ShownRow {
  const rowKey = encodePrimaryKey(table, key)
  const inKey = new Set(table.primaryKey.map(({ columnId }) => columnId))
  return {
    rowKey,
    name: { table: table.name, key: keyToJson(table, key) },
    valuesOf(column, value) {
      const family = table.families.find(({ id }) => familyColumn(id) === column)
      const row = decodeRow(table, rowKey, value, family?.id)
      const isHeld = ({ id, family: of = 0 }: ColumnDefinition) =>
        inKey.has(id) || of === (family?.id ?? 0)
      const positions = [...table.columns.keys()].filter((at) =>
        isHeld(table.columns[at] as ColumnDefinition),
      )
      const held = columnsAt(table, positions, row)
      return family === undefined ? held : { family: family.name, ...held }
    },
  }
}

/**
 * The entry with these values of the index's columns, and after them those of the primary key unless the index is
 * unique and no value is NULL. Errors: those of `encodeEntryKey`.
 */
export function shownEntry(
  table: TableDefinition,
  index: IndexDefinition,
  key: readonly SqlValue[],
): ShownRow {
  const values = key.slice(0, index.parts.length)
  const primaryKey = key.slice(index.parts.length)
  const { key: rowKey } = encodeEntryKey(table, index, { values, primaryKey })
  const parts = entryKeyParts(table, index, values)
  return {
    rowKey,
    name: {
      table: table.name,
      index: index.name,
      key: parts.map((part, at) => valueToJson(partType(table, part), key[at] ?? null)),
    },
    valuesOf(_, value) {
      const { row } = decodeEntry(table, index, { key: rowKey, value, commitTs: null })
      return columnsAt(table, entryColumns(table, index), row)
    },
  }
}

function columnsAt(table: TableDefinition, positions: readonly number[], row: SqlRow): ShownValues {
  return {
    columns: positions.map((at) => table.columns[at] as ColumnDefinition),
    values: positions.map((at) => row[at] ?? null),
  }
}
