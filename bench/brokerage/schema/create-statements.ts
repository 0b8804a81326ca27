// SPDX-License-Identifier: Apache-2.0
import { SCHEMA, TABLE_NAMES, type TableName } from './schema.ts'
import type { ColumnType, TableShape } from './table-shape.ts'

export type SqlFlavour = 'percolite' | 'postgresql' | 'sqlite'

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
    return `${column} ${sqlType(type, flavour)}`
  })
  const parts = [...columns, `PRIMARY KEY (${shape.primaryKey.join(', ')})`]
  if (flavour === 'percolite') {
    for (const column of shape.apart) parts.push(`FAMILY ${column}_apart (${column})`)
  }
  // A key of several columns would otherwise be an index beside SQLite's own row numbers.
  const isClustered = flavour === 'sqlite' && shape.primaryKey.length > 1
  return `CREATE TABLE ${name} (${parts.join(', ')})${isClustered ? ' WITHOUT ROWID' : ''}`
}

function sqlType(type: ColumnType, flavour: SqlFlavour): string {
  const isNullable = type.endsWith('?')
  const name = type.startsWith('integer')
    ? flavour === 'postgresql'
      ? 'BIGINT'
      : 'INTEGER'
    : // Keys are compared byte by byte in the other two engines.
      flavour === 'postgresql'
      ? 'TEXT COLLATE "C"'
      : 'TEXT'
  return isNullable ? name : `${name} NOT NULL`
}
