// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { columnTypes } from './table-types-text.ts'
import { givenType, orNull, propertyName, type ValueModes } from './type-text.ts'

type Table = Schemas['Table']

export const KYSELY_IMPORT = "import type { ColumnType } from 'kysely'\n\n"

/** Names that the file has for Kysely. */
export const KYSELY_NAMES = ['ColumnType', 'Database']

/** The type that `new Kysely<Database>()` takes, of all tables, as a text of TypeScript. */
export function kyselyTypesText(tables: readonly Table[], modes: ValueModes): string {
  const members = tables.map((table) => `  ${propertyName(table.name)}: ${rowType(table, modes)}\n`)
  return `export type Database = {\n${members.join('')}}\n`
}

/** What is read of each column, inserted and set; what cannot be given is never. */
function rowType(table: Table, modes: ValueModes): string {
  const read = columnTypes(table, modes)
  const keys = new Set(table.primaryKey.map(({ column }) => column))
  const members = table.columns.map((column) => {
    const { name, type, notNull, default: byDefault } = column
    const selected = read.get(name) ?? 'unknown'
    // What is read of TEXT, BOOLEAN and JSON is all that may be given, the values of a CHECK included.
    const isSame = ['TEXT', 'BOOLEAN', 'JSON', 'REAL', 'BYTES', 'DATE'].includes(type)
    const isText = type === 'JSON' && modes.json === 'text'
    const given = isSame && !isText ? selected : nullable(givenType(type), notNull)
    const isCounted = byDefault?.identity === 'always'
    const inserted = isCounted
      ? 'never'
      : byDefault !== undefined || !notNull
        ? `${given} | undefined`
        : given
    const set = isCounted || keys.has(name) ? 'never' : given
    // Of a plain unknown, Kysely could not tell whether a value may be given.
    const isPlain = selected !== 'unknown' && selected === inserted && selected === set
    const written = isPlain ? selected : `ColumnType<${selected}, ${inserted}, ${set}>`
    return `    ${propertyName(name)}: ${written}\n`
  })
  return `{\n${members.join('')}  }`
}

function nullable(type: string, notNull: boolean): string {
  return notNull ? type : orNull(type)
}
