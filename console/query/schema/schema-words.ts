// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'

type Table = Schemas['Table']

/** `INTEGER, key`, `TEXT, not null`: what has to be known of a column to write a statement. */
export function columnWords(
  { primaryKey }: Pick<Table, 'primaryKey'>,
  { name, type, notNull }: Pick<Schemas['TableColumn'], 'name' | 'type' | 'notNull'>,
): string {
  const at = primaryKey.findIndex(({ column }) => column === name)
  if (at < 0) return notNull ? `${type}, not null` : type
  return primaryKey.length === 1 ? `${type}, key` : `${type}, key ${at + 1}`
}

/** Tables that have the text in their name or in that of a column, whatever its case; all of them for none. */
export function foundTables(tables: readonly Table[], text: string): readonly Table[] {
  const wanted = text.trim().toLowerCase()
  const has = ({ name }: { readonly name: string }) => name.toLowerCase().includes(wanted)
  return tables.filter((table) => has(table) || table.columns.some(has))
}
