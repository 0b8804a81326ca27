// SPDX-License-Identifier: Apache-2.0

import type { ColumnDefinition, IndexDefinition } from '../table-definition.ts'
import { TABLE_ID_MAX } from './catalog-codec.ts'
import {
  damaged,
  type JsonObject,
  requireBoolean,
  requireColumnIds,
  requireId,
  requireObject,
  requireText,
} from './catalog-json.ts'
import { jsonOfPart, partsOfJson } from './key-part-codec.ts'

/**
 * An index in the row of its table:
 *
 *     {"id":8,"name":"byTime","unique":false,"columns":[…],"storing":[4],"state":"ready"}
 *     { … ,"state":"failed","failure":"…"}
 */
const STATES = ['building', 'ready', 'failed'] as const

export function jsonOfIndex(index: IndexDefinition): JsonObject {
  const { id, name, unique, parts, storing, state, failure } = index
  const columns = parts.map(jsonOfPart)
  return { id, name, unique, columns, storing, state, ...(failure && { failure }) }
}

/** Violations of T3. */
export function indexOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
): IndexDefinition {
  const { id, name, unique, columns: parts, storing, state, failure } = requireObject(json)
  const known = STATES.find((candidate) => candidate === state)
  if (known === undefined) throw damaged('an index has no state')
  const stored = requireColumnIds(storing, tableColumns)
  return {
    id: requireId(id, TABLE_ID_MAX),
    name: requireText(name),
    unique: requireBoolean(unique),
    parts: partsOfJson(parts, tableColumns),
    storing: stored,
    state: known,
    ...(failure !== undefined && { failure: requireText(failure) }),
  }
}
