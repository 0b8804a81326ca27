// SPDX-License-Identifier: Apache-2.0

import type { ColumnDefinition, TableDefinition } from '../../storage/tables/table-definition.ts'
import type { DecimalSize } from '../../storage/values/decimal.ts'
import type { SqlType } from '../../storage/values/sql-type.ts'

/** That of each DECIMAL for which no other is given. */
export const DECIMAL_SIZE: DecimalSize = { precision: 38, scale: 10 }

/** The size that a column of this type has. */
export function sizeOf(type: SqlType): { readonly size?: DecimalSize } {
  return type === 'DECIMAL' ? { size: DECIMAL_SIZE } : {}
}

/** The table `t`, id 7, with the first of these columns for its key and nothing else, unless told otherwise. */
export function tableOf(
  columns: readonly ColumnDefinition[],
  more: Partial<TableDefinition> = {},
): TableDefinition {
  return {
    ...{ id: 7, name: 't', primaryKey: [{ columnId: 1, descending: false }] },
    columns: columns.map((column) => ({ ...sizeOf(column.type), ...column })),
    nextColumnId: Math.max(...columns.map(({ id }) => id)) + 1,
    ...{ families: [], indexes: [], observers: [], grants: [], checks: [], schedules: [] },
    ...more,
  }
}

/** The columns `id INTEGER`, which is for the key, and `c0`, `c1` … of these types. */
export function columnsOf(...types: readonly SqlType[]): ColumnDefinition[] {
  const others = types.map((type, index) => ({
    ...{ id: index + 2, name: `c${index}`, type, notNull: false },
  }))
  return [{ id: 1, name: 'id', type: 'INTEGER', notNull: true }, ...others]
}
