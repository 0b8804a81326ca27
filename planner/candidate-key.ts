// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  columnPosition,
  encodePrimaryKey,
  encodeTextPrefix,
  type SqlType,
  type SqlValue,
  type TableDefinition,
} from '../storage/storage.ts'
import { nameText } from './expression-text.ts'

/** A key that rows can be found by and walked along. Today every table has one: its primary key. */
export type CandidateKey = {
  /** As EXPLAIN and USE name it. */
  readonly name: string
  /** In key order. */
  readonly parts: readonly CandidatePart[]
  /** The bytes shared by all keys with these leading values. */
  encode(values: readonly SqlValue[]): Uint8Array
  /** The same, with the next column a TEXT that starts with `text`. */
  encodeTextPrefix(values: readonly SqlValue[], text: string): Uint8Array
}

export type CandidatePart = {
  /** Its place among the columns of the table. */
  readonly column: number
  readonly name: string
  readonly type: SqlType
  readonly descending: boolean
}

export function candidateKeys(table: TableDefinition): readonly CandidateKey[] {
  return [primaryKeyOf(table)]
}

export function primaryKeyOf(table: TableDefinition): CandidateKey {
  const parts = table.primaryKey.map(({ columnId, descending }) => {
    const column = columnPosition(table, columnId)
    const { name, type } = table.columns[column] as ColumnDefinition
    return { column, name, type, descending }
  })
  return {
    name: 'PRIMARY KEY',
    parts,
    encode: (values) => encodePrimaryKey(table, values),
    encodeTextPrefix: (values, text) => encodeTextPrefix(table, values, text),
  }
}

/** The key as EXPLAIN shows it: `PRIMARY KEY (customer, time DESC)`. */
export function keyText(key: CandidateKey): string {
  const parts = key.parts.map((part) => `${nameText(part.name)}${part.descending ? ' DESC' : ''}`)
  return `${key.name} (${parts.join(', ')})`
}
