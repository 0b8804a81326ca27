// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition, requireName } from './definition-name.ts'
import { defineKey, type NewKeyPart, requireColumn } from './new-key.ts'
import { requireCount } from './table-counts.ts'
import {
  EACH_WORDS,
  type IndexDefinition,
  isWhole,
  type TableDefinition,
} from './table-definition.ts'

/** An index as CREATE INDEX describes it, before it has an id. */
export type NewIndex = {
  readonly name: string
  readonly table: string
  readonly unique: boolean
  readonly parts: readonly NewKeyPart[]
  /** Names of columns that the entries carry in addition to those of the index and of the primary key. */
  readonly storing: readonly string[]
}

/**
 * The definition with this id, about to be built.
 *
 * Errors: `invalid_definition` with the fields `table`, `index` and mostly `column`; `limit_exceeded`
 * for the length of the name and the number of indexes of the table.
 */
export function defineIndex(
  table: TableDefinition,
  newIndex: NewIndex,
  id: number,
): IndexDefinition {
  const { name, unique } = newIndex
  const fields = { table: table.name, index: name }
  requireName(name, fields)
  requireCount(table.name, 'indexes', table.indexes.length + 1)
  const keyName = `The index "${name}"`
  if (newIndex.parts.length === 0) throw invalidDefinition(`${keyName} has no columns.`, fields)
  const parts = defineKey(keyName, newIndex.parts, table.columns, fields)
  const members = parts.filter(({ each }) => each)
  if (members.length > 1)
    throw invalidDefinition(`${keyName} has two parts of EACH or WORDS.`, fields)
  const each = members[0]?.each
  if (unique && each !== undefined) {
    const message = `${keyName} has ${EACH_WORDS[each]}, and cannot be unique: a row has many entries there.`
    throw invalidDefinition(message, fields)
  }
  const whole = parts.filter(isWhole)
  const held = new Set([...whole, ...table.primaryKey].map(({ columnId }) => columnId))
  const storing = new Set<number>()
  for (const stored of newIndex.storing) {
    const column = requireColumn(`STORING of the index "${name}"`, stored, table.columns, fields)
    if (held.has(column.id) || storing.has(column.id)) {
      const message = `The entries of the index "${name}" hold "${stored}" already, and need not store it.`
      throw invalidDefinition(message, { ...fields, column: stored })
    }
    storing.add(column.id)
  }
  const ascending = [...storing].sort((a, b) => a - b)
  return { id, name, unique, parts, storing: ascending, state: 'building' }
}
