// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'

/** A table and its rows, as statements and as the JSON that a server takes. */
export type TransferredTable = {
  readonly name: string
  readonly statements: readonly string[]
  /** JSON objects. */
  readonly rows: readonly string[]
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    'NULL',
    '\\N',
    'a,b',
    'a;b',
    '"',
    '""',
    'a\nb',
    'a\r\nb',
    '\r',
    '\ufeff',
  ),
  fc.constantFrom(
    '日本語'.repeat(40),
    '\u0000',
    '\u2028',
    '👩‍👩‍👧',
    "it's",
    '{"a":1}',
    '0',
    'true',
  ),
)

/** Values of each type as JSON; what a JSON column holds keeps its digits and the order of its names. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  TEXT: text.map((value) => JSON.stringify(value)),
  INTEGER: fc.oneof(
    fc.integer().map(String),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => `"${value}"`),
    fc.constantFrom('"9223372036854775807"', '"-9223372036854775808"', '9007199254740991', '0'),
  ),
  REAL: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.constantFrom('-0', '-0.0', '5e-324', '1.7976931348623157e308', '0.1', '1e21'),
  ),
  'DECIMAL(20, 4)': fc.oneof(
    fc.constantFrom('"0.0000"', '"-9999999999999999.9999"', '"78119.5100"'),
    fc.integer().map((whole) => `"${whole}.2500"`),
  ),
  BOOLEAN: fc.constantFrom('true', 'false'),
  BYTES: fc
    .uint8Array({ maxLength: 20 })
    .map((value) => JSON.stringify(Buffer.from(value).toString('base64'))),
  DATE: fc.constantFrom('"0001-01-01"', '"2026-11-28"', '"9999-12-31"'),
  TIMESTAMP: fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((value) => JSON.stringify(value.toISOString().replace('Z', '123Z'))),
  JSON: fc.constantFrom(
    ...['1.50', '-0', '12345678901234567890.123', '1e400', '"a,b"', '""', 'true', '[]', '{}'],
    ...['{"b":1,"a":{"__proto__":[null,-0.0]}}', '["\\n","日本語",{"":""}]', '"NULL"', '[[[1]]]'],
  ),
}

const TYPES = Object.keys(VALUES)
const KEY_TYPES = TYPES.filter((type) => type !== 'JSON' && type !== 'REAL')
const NAMES = [
  ...['id', 'key', 'a b', 'A', 'select', 'x,y', 'say "hi"', '__proto__', 'constructor', '日本'],
  ...['line', 'N', 'row', 'toString'],
]
const TABLE_NAMES = [
  ...['Account', 'a/b', '.hidden', 'con,ma', 'say "hi"', 'tabelle größe', 'table', 'x'],
  ...['a?b#c', '%41', 'manifest', 'schema'],
]

type Column = { readonly name: string; readonly type: string; readonly descending: boolean }

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

function columns(types: readonly string[], lengths: { minLength: number; maxLength: number }) {
  const column = fc.record({ type: fc.constantFrom(...types), descending: fc.boolean() })
  return fc.array(column, lengths)
}

const tableOf = (name: string): fc.Arbitrary<TransferredTable> =>
  fc
    .record({
      names: fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
      key: columns(KEY_TYPES, { minLength: 1, maxLength: 3 }),
      others: columns(TYPES, { minLength: 0, maxLength: 7 }),
      observed: fc.constantFrom(...['', 'OBSERVER', 'WEAK OBSERVER', 'PAUSED']),
    })
    .chain(({ names, key, others, observed }) => {
      const all: Column[] = [...key, ...others].map((column, index) => ({
        ...column,
        name: names[index] as string,
      }))
      const keys = all.slice(0, key.length)
      const rest = all.slice(key.length)
      const row = fc
        .tuple(
          ...keys.map(({ type }) => VALUES[type] as fc.Arbitrary<string>),
          ...rest.map(({ type }) =>
            fc.oneof(VALUES[type] as fc.Arbitrary<string>, fc.constant('null')),
          ),
        )
        .map((values) => ({
          key: values.slice(0, key.length).join(),
          json: `{${values.map((value, at) => `${JSON.stringify(all[at]?.name)}:${value}`).join()}}`,
        }))
      return fc.uniqueArray(row, { maxLength: 12, selector: (each) => each.key }).map((rows) => ({
        name,
        statements: definitionsOf(name, { keys, rest, observed }),
        rows: rows.map(({ json }) => json),
      }))
    })

function definitionsOf(
  name: string,
  {
    keys,
    rest,
    observed,
  }: {
    readonly keys: readonly Column[]
    readonly rest: readonly Column[]
    readonly observed: string
  },
): string[] {
  const parts = [...keys, ...rest].map((column) => `${quoted(column.name)} ${column.type}`)
  const direction = ({ descending }: Column) => (descending ? ' DESC' : '')
  parts.push(`PRIMARY KEY (${keys.map((each) => quoted(each.name) + direction(each)).join(', ')})`)
  const [first, second] = rest
  if (second !== undefined) parts.push(`FAMILY far (${quoted(second.name)})`)
  const statements = [`CREATE TABLE ${quoted(name)} (${parts.join(', ')})`]
  const indexed = rest.find(({ type }) => type !== 'JSON')
  if (indexed !== undefined) {
    const on = `${quoted(name)} (${quoted(indexed.name)}${direction(indexed)})`
    statements.push(`CREATE INDEX ${quoted(`by, ${name}`)} ON ${on}`)
  }
  if (observed !== '' && first !== undefined) {
    const kind = observed === 'WEAK OBSERVER' ? observed : 'OBSERVER'
    const observer = quoted(`of ${name}`)
    statements.push(`CREATE ${kind} ${observer} ON ${quoted(name)} (${quoted(first.name)})`)
    if (observed === 'PAUSED') statements.push(`ALTER OBSERVER ${observer} PAUSE`)
  }
  return statements
}

/** One to three tables of any names, columns and rows. */
export const transferredTables: fc.Arbitrary<readonly TransferredTable[]> = fc
  .shuffledSubarray(TABLE_NAMES, { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map(tableOf)))
