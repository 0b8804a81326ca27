// SPDX-License-Identifier: Apache-2.0

import type { ColumnDefinition, KeyPart } from '../table-definition.ts'
import {
  COLUMN_ID_MAX,
  damaged,
  type JsonObject,
  requireBoolean,
  requireColumn,
  requireId,
  requireList,
  requireObject,
} from './catalog-json.ts'

/** A column of the primary key or of an index: `{"column":2,"descending":false}`. */
export function jsonOfPart({ columnId, descending }: KeyPart): JsonObject {
  return { column: columnId, descending }
}

/** All parts of a key. Violations of T3. */
export function partsOfJson(json: unknown, tableColumns: readonly ColumnDefinition[]): KeyPart[] {
  const parts = requireList(json).map((part) => {
    const { column, descending } = requireObject(part)
    const columnId = requireId(column, COLUMN_ID_MAX)
    requireColumn(tableColumns, columnId)
    return { columnId, descending: requireBoolean(descending) }
  })
  if (parts.length === 0) throw damaged('a key has no columns')
  return parts
}
