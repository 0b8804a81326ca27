// SPDX-License-Identifier: Apache-2.0
import { SCHEMA, TABLE_NAMES, type TableName } from './schema.ts'
import type { TableShape } from './table-shape.ts'

/** The types of columns in an engine. Keys are compared byte by byte. */
const TYPES = {
  postgresql: { integer: 'BIGINT', cents: 'NUMERIC(18, 2)', text: 'TEXT COLLATE "C"' },
  sqlite: { integer: 'INTEGER', cents: 'INTEGER', text: 'TEXT' },
} as const

type SqlFlavour = keyof typeof TYPES

/** One CREATE TABLE for each table, in the words of an engine. */
export function createTableStatements(flavour: SqlFlavour): readonly string[] {
  return TABLE_NAMES.map((name) => createTable(name, SCHEMA[name], flavour))
}

/** The 14 CREATE INDEX, the same words in every engine. */
export function createIndexStatements(): readonly string[] {
  return TABLE_NAMES.flatMap((table) =>
    SCHEMA[table].indexes.map(({ name, columns, unique }) => {
      const kind = unique ? 'UNIQUE INDEX' : 'INDEX'
      return `CREATE ${kind} ${name} ON ${table} (${columns.join(', ')})`
    }),
  )
}

function createTable(name: TableName, shape: TableShape, flavour: SqlFlavour): string {
  const columns = Object.entries(shape.columns).map(([column, type]) => {
    const sqlType = TYPES[flavour][type.replace('?', '') as keyof (typeof TYPES)[SqlFlavour]]
    return `${column} ${sqlType}${type.endsWith('?') ? '' : ' NOT NULL'}`
  })
  const parts = [...columns, `PRIMARY KEY (${shape.primaryKey.join(', ')})`]
  // A key of several columns would otherwise be an index beside SQLite's own row numbers.
  const isClustered = flavour === 'sqlite' && shape.primaryKey.length > 1
  return `CREATE TABLE ${name} (${parts.join(', ')})${isClustered ? ' WITHOUT ROWID' : ''}`
}
