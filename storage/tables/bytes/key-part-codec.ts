// SPDX-License-Identifier: Apache-2.0

import { type JsonStep, stepsOf } from '../../values/json/json-path.ts'
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

/**
 * A column of the primary key or of an index, or in an index a path into one that is JSON. A text is the name of a
 * member, a number that of an element, `either` is whichever of them fits:
 *
 *     {"column":2,"descending":false}
 *     {"column":3,"path":["address","city"],"descending":false}    meta->'address'->>'city'
 *     {"column":3,"path":["tags",0],"descending":false}            meta->'tags'->>0
 *     {"column":3,"path":[{"either":"0"}],"descending":false}      meta#>>'{0}'
 */
export function jsonOfPart({ columnId, descending, path }: KeyPart): JsonObject {
  return { column: columnId, ...(path && { path: path.map(jsonOfStep) }), descending }
}

function jsonOfStep({ name, index }: JsonStep): unknown {
  if (name === undefined) return index
  return index === undefined ? name : { either: name }
}

/** All parts of a key, in which there are paths or none. Violations of T3. */
export function partsOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
  mayHavePaths = false,
): KeyPart[] {
  const parts = requireList(json).map((part) => {
    const { column, descending: given, path } = requireObject(part)
    const columnId = requireId(column, COLUMN_ID_MAX)
    requireColumn(tableColumns, columnId)
    const descending = requireBoolean(given)
    if (path === undefined) return { columnId, descending }
    const isJson = tableColumns.some(({ id, type }) => id === columnId && type === 'JSON')
    if (!mayHavePaths || !isJson) throw damaged('a key has no path here')
    return { columnId, descending, path: pathOfJson(path) }
  })
  if (parts.length === 0) throw damaged('a key has no columns')
  return parts
}

function pathOfJson(json: unknown): readonly JsonStep[] {
  const path = requireList(json).map(stepOfJson)
  if (path.length === 0) throw damaged('a path leads nowhere')
  return path
}

function stepOfJson(json: unknown): JsonStep {
  if (typeof json === 'string') return { name: json }
  if (Number.isSafeInteger(json)) return { index: json as number }
  const { either } = requireObject(json)
  const [step] = typeof either === 'string' ? (stepsOf(`{${either}}`, 1) ?? []) : []
  if (step?.index === undefined) throw damaged('a path has no such step')
  return step
}
