// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { TableDefinition } from '../../storage/tables/table-definition.ts'
import { Decimal, powerOfTen } from '../../storage/values/decimal.ts'
import { SQL_TYPES, type SqlType, type SqlValue } from '../../storage/values/sql-type.ts'
import { INTEGER_MAX, INTEGER_MIN } from '../../storage/values/sql-value.ts'
import { DECIMAL_SIZE, tableOf } from './table-of.ts'

/** Random values and tables for the property tests of this folder. */

/** Neighbours of everything the encodings treat in a special way, so that near misses are common. */
const EDGE_CHARACTERS = ['\0', '\u0001', 'a', '\u007f', '\u0080', '\ud7ff', '\ue000', '\uffff']
const EDGE_UNIT = fc.constantFrom(...EDGE_CHARACTERS, '\u{10000}', '\u{10ffff}')

const text = fc.oneof(
  fc.string({ unit: EDGE_UNIT, maxLength: 6 }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
)
const integer = fc.oneof(
  fc.bigInt({ min: INTEGER_MIN, max: INTEGER_MAX }),
  fc.bigInt({ min: -300n, max: 300n }),
  fc.constantFrom(INTEGER_MIN, INTEGER_MAX, -0x8000n, 0x7fffn, -0x8000_0000n, 0x7fff_ffffn),
)
const most = powerOfTen(DECIMAL_SIZE.precision) - 1n
const decimal = fc
  .oneof(integer, fc.bigInt({ min: -most, max: most }), fc.constantFrom(most, -most, 0n))
  .map((units) => new Decimal(units, DECIMAL_SIZE.scale))
const real = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 1, -1, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE),
  )
  .map((value) => value + 0)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .array(fc.constantFrom(0, 1, 0xfe, 0xff), { maxLength: 5 })
    .map((list) => Uint8Array.from(list)),
)

const VALUES: Readonly<Record<SqlType, fc.Arbitrary<SqlValue>>> = {
  TEXT: text,
  INTEGER: integer,
  DECIMAL: decimal,
  REAL: real,
  BOOLEAN: fc.boolean(),
  BYTES: bytes,
  TIMESTAMP: integer,
  DATE: fc.bigInt({ min: -719_162n, max: 2_932_896n }),
  JSON: fc.json(),
}

export const KEY_TYPES = SQL_TYPES.filter((type) => type !== 'JSON')

/** Any value of the type but NULL. */
export function arbitraryValue(type: SqlType): fc.Arbitrary<SqlValue> {
  return VALUES[type]
}

/** Tables of one to four key columns and up to eight others, in any order of columns. */
export const arbitraryTable: fc.Arbitrary<TableDefinition> = fc
  .record({
    id: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    keys: fc.array(fc.record({ type: fc.constantFrom(...KEY_TYPES), descending: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    }),
    others: fc.array(fc.constantFrom(...SQL_TYPES), { maxLength: 8 }),
    idGap: fc.integer({ min: 0, max: 300 }),
    ranks: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ id, keys, others, idGap, ranks }) => {
    const unordered = [
      ...keys.map(({ type, descending }, place) => ({ type, key: { place, descending } })),
      ...others.map((type) => ({ type, key: undefined })),
    ].map((column, index) => ({ column, rank: ranks[index] as number }))
    const ordered = unordered.sort((a, b) => a.rank - b.rank).map(({ column }) => column)
    const columnId = (index: number) => index + 1 + (index > 0 ? idGap : 0)
    const primaryKey = ordered
      .flatMap(({ key }, index) => (key ? [{ ...key, columnId: columnId(index) }] : []))
      .sort((a, b) => a.place - b.place)
      .map(({ columnId, descending }) => ({ columnId, descending }))
    const columns = ordered.map(({ type, key }, index) => ({
      id: columnId(index),
      name: `column${index}`,
      type,
      notNull: key !== undefined,
    }))
    const nextColumnId = columnId(columns.length)
    return tableOf(columns, { id, name: 'random', nextColumnId, primaryKey })
  })

export function arbitraryRow(table: TableDefinition): fc.Arbitrary<SqlValue[]> {
  return fc.tuple(
    ...table.columns.map(({ type, notNull }) =>
      notNull ? arbitraryValue(type) : fc.option(arbitraryValue(type)),
    ),
  )
}
