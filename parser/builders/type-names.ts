// SPDX-License-Identifier: Apache-2.0

export const TYPE_NAMES: readonly string[] = [
  'TEXT',
  'INTEGER',
  'DECIMAL',
  'REAL',
  'BOOLEAN',
  'BYTES',
  'TIMESTAMP',
  'DATE',
  'JSON',
]

/** Types whose values the database makes. */
export const GENERATED_TYPES: ReadonlySet<string> = new Set([
  ...['SERIAL', 'BIGSERIAL', 'SMALLSERIAL', 'SERIAL4', 'SERIAL8', 'IDENTITY'],
])

/** What the types of other SQL databases are called here; each holds what the other does, and compares it alike. */
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
    DECIMAL: ['DEC', 'NUMBER', 'MONEY', 'SMALLMONEY'],
    REAL: ['FLOAT', 'FLOAT4', 'FLOAT8', 'FLOAT64', 'DOUBLE'],
    BOOLEAN: ['BOOL', 'BIT'],
    BYTES: ['BLOB', 'BYTEA', 'BINARY', 'VARBINARY', 'LONGBLOB', 'MEDIUMBLOB'],
    TIMESTAMP: ['DATETIME', 'TIMESTAMPTZ'],
    JSON: ['JSONB'],
  }).flatMap(([here, elsewhere]) => elsewhere.map((name) => [name, here] as const)),
)

const TIMES =
  "is not there, since a time of day is of a day and a place, and TIMESTAMP is a moment: keep it as TEXT, '09:30:00', which sorts by time, or as INTEGER of seconds"

/** Types of other databases that none here can stand for, and what would be lost with the nearest. */
const LOST_TYPES: ReadonlyMap<string, string> = new Map([
  ...['TIME', 'TIMETZ'].map((name) => [name, TIMES] as const),
])

/** What becomes of values of a type that has no like here; undefined for any other name. */
export function lostType(name: string): string | undefined {
  const lost = LOST_TYPES.get(name)
  return lost && `${name} ${lost}`
}
