// SPDX-License-Identifier: Apache-2.0
import { encodePrimaryKey } from '../../storage/tables/bytes/key-encoding.ts'
import { encodeRowValue, keyOfRow } from '../../storage/tables/bytes/row-codec.ts'
import type { SqlRow, TableDefinition } from '../../storage/tables/table-definition.ts'

/** Key and value of one family of a row, as they are stored. */
export function encodeRow(
  table: TableDefinition,
  row: SqlRow,
  family = 0,
): { readonly key: Uint8Array; readonly value: Uint8Array } {
  return {
    key: encodePrimaryKey(table, keyOfRow(table, row)),
    value: encodeRowValue(table, row, family),
  }
}
