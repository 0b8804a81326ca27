// SPDX-License-Identifier: Apache-2.0

import { type JsonStep, stepsOf } from '../../values/json/json-path.ts'
import { WORDS_VERSION } from '../../values/words.ts'
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
 *     {"column":3,"each":true,"descending":false}                  EACH meta
 *     {"column":2,"words":78,"descending":false}                   WORDS body, as version 78 of ICU finds them
 */
export function jsonOfPart({ columnId, descending, path, each }: KeyPart): JsonObject {
  const within = { ...(path && { path: path.map(jsonOfStep) }), ...codeOfEach(each) }
  return { column: columnId, ...within, descending }
}

function codeOfEach(each: KeyPart['each']): JsonObject {
  if (each === undefined) return {}
  return each === 'members' ? { each: true } : { words: WORDS_VERSION }
}

function jsonOfStep({ name, index }: JsonStep): unknown {
  if (name === undefined) return index
  return index === undefined ? name : { either: name }
}

/** All parts of a key, in which there may be paths, and EACH, by the format of the table. Violations of T3. */
export function partsOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
  mayHave: { readonly paths: boolean; readonly each: boolean; readonly words: boolean } = NO_PATHS,
): KeyPart[] {
  const parts = requireList(json).map((part): KeyPart => {
    const { column, descending: given, path, each, words } = requireObject(part)
    const columnId = requireId(column, COLUMN_ID_MAX)
    requireColumn(tableColumns, columnId)
    const descending = requireBoolean(given)
    if (path === undefined && each === undefined && words === undefined)
      return { columnId, descending }
    const within = path === undefined ? {} : { path: pathOfJson(path) }
    const wanted = path === undefined && each === undefined ? 'TEXT' : 'JSON'
    const isOfType = tableColumns.some(({ id, type }) => id === columnId && type === wanted)
    if (!mayHave.paths || !isOfType) throw damaged('a key has no path here')
    if (words !== undefined) {
      if (!mayHave.words || each !== undefined) throw damaged('a key has no WORDS here')
      requireId(words, Number.MAX_SAFE_INTEGER)
      return { columnId, descending, ...within, each: 'words' }
    }
    if (each === undefined) return { columnId, descending, ...within }
    if (!mayHave.each || each !== true) throw damaged('a key has no EACH here')
    return { columnId, descending, ...within, each: 'members' }
  })
  if (parts.length === 0) throw damaged('a key has no columns')
  return parts
}

const NO_PATHS = { paths: false, each: false, words: false }

/** Whether the parts of a key have words that another version of ICU has found. */
export function hasOtherWords(json: unknown): boolean {
  return requireList(json).some((part) => {
    const { words } = requireObject(part)
    return words !== undefined && words !== WORDS_VERSION
  })
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
