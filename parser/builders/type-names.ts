// SPDX-License-Identifier: Apache-2.0

export const TYPE_NAMES: readonly string[] = [
  'TEXT',
  'INTEGER',
  'REAL',
  'BOOLEAN',
  'BYTES',
  'TIMESTAMP',
  'JSON',
]

/** Types whose values the database makes. */
export const GENERATED_TYPES: ReadonlySet<string> = new Set([
  ...['SERIAL', 'BIGSERIAL', 'SMALLSERIAL', 'SERIAL4', 'SERIAL8', 'IDENTITY'],
])

/** What the types of other SQL databases are called here. */
export const SIMILAR_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TEXT: [
      'CHAR',
      'CHARACTER',
      'VARCHAR',
      'NVARCHAR',
      'STRING',
      'UUID',
      'CLOB',
      'CITEXT',
      'LONGTEXT',
      'MEDIUMTEXT',
      'TINYTEXT',
      'NCHAR',
      'VARCHAR2',
    ],
    INTEGER: [
      'INT',
      'INT2',
      'INT4',
      'INT8',
      'INT64',
      'TINYINT',
      'SMALLINT',
      'BIGINT',
      'MEDIUMINT',
      'SIGNED',
      'UNSIGNED',
    ],
    REAL: [
      'FLOAT',
      'FLOAT4',
      'FLOAT8',
      'FLOAT64',
      'DOUBLE',
      'DECIMAL',
      'NUMERIC',
      'NUMBER',
      'MONEY',
    ],
    BOOLEAN: ['BOOL', 'BIT'],
    BYTES: ['BLOB', 'BYTEA', 'BINARY', 'VARBINARY', 'LONGBLOB', 'MEDIUMBLOB'],
    TIMESTAMP: ['DATE', 'TIME', 'DATETIME', 'TIMESTAMPTZ'],
    JSON: ['JSONB'],
  }).flatMap(([here, elsewhere]) => elsewhere.map((name) => [name, here] as const)),
)
