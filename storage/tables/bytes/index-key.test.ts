// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { arbitraryRow, arbitraryTable } from '../../../test/storage/arbitrary-values.ts'
import { columnsOf, tableOf } from '../../../test/storage/table-of.ts'
import { compareValues } from '../../values/sql-value.ts'
import {
  columnOf,
  type IndexDefinition,
  type SqlRow,
  type TableDefinition,
} from '../table-definition.ts'
import {
  belongsTo,
  decodeEntry,
  type EncodedEntry,
  encodeEntries,
  entryColumns,
} from './index-entry.ts'
import {
  encodeIndexKey,
  encodeIndexTextPrefix,
  indexIdOf,
  indexSpace,
  orderParts,
} from './index-key.ts'
import { compareRowKeys, endOfPrefix } from './key-encoding.ts'
import { keyOfRow } from './row-codec.ts'

/** The one entry of a row in an index without EACH. */
function encodeEntry(table: TableDefinition, index: IndexDefinition, row: SqlRow): EncodedEntry {
  const [entry, ...others] = encodeEntries(table, index, row)
  assert.ok(entry !== undefined && others.length === 0)
  return entry
}

/** An index over some of the table's columns that can be keys, storing some of the others. */
function arbitraryIndex(table: TableDefinition): fc.Arbitrary<IndexDefinition> {
  const inKey = new Set(table.primaryKey.map(({ columnId }) => columnId))
  const keys = table.columns.filter(({ type }) => type !== 'JSON')
  return fc
    .record({
      id: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      unique: fc.boolean(),
      parts: fc.shuffledSubarray(keys, { minLength: 1 }),
      descending: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      stored: fc.subarray([...table.columns]),
    })
    .map(({ id, unique, parts, descending, stored }) => {
      const used = new Set(parts.map((column) => column.id))
      const storing = stored.map((column) => column.id)
      return {
        id,
        name: 'random',
        unique,
        parts: parts.map((column, place) => ({
          columnId: column.id,
          descending: descending[place] === true,
        })),
        storing: storing.filter((columnId) => !used.has(columnId) && !inKey.has(columnId)),
        state: 'ready',
      }
    })
}

/** Two rows that share values now and then, so that the later parts of the order count too. */
const arbitraryCase = arbitraryTable.chain((table) =>
  fc.record({
    table: fc.constant(table),
    index: arbitraryIndex(table),
    first: arbitraryRow(table),
    second: fc
      .tuple(arbitraryRow(table), fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }))
      .map(([row, isOwn]) => ({ row, isOwn })),
  }),
)

function compareRows(
  table: TableDefinition,
  parts: TableDefinition['primaryKey'],
  a: SqlRow,
  b: SqlRow,
): number {
  for (const { columnId, descending } of parts) {
    const { position, column } = columnOf(table, columnId)
    const order = compareValues(column.type, a[position] ?? null, b[position] ?? null)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

suite('the entries of an index', () => {
  test('sort as SQL sorts their rows, NULL first ascending and last descending', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ table, index, first, second }) => {
        const other = second.row.map((value, at) =>
          second.isOwn[at] ? value : (first[at] ?? null),
        )
        const a = encodeEntry(table, index, first)
        const b = encodeEntry(table, index, other)
        const byValues = compareRows(table, index.parts, first, other)
        // A unique entry of equal values is one and the same; the others go on by the primary key.
        const order =
          byValues !== 0 || a.isUnique
            ? byValues
            : compareRows(table, table.primaryKey, first, other)
        assert.equal(Math.sign(compareRowKeys(a.key, b.key)), Math.sign(order))
      }),
      { numRuns: 1_000 },
    )
  })

  test('are read back: the primary key, the columns of the index, and what it stores', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ table, index, first }) => {
        const { key, value } = encodeEntry(table, index, first)
        const entry = decodeEntry(table, index, { key, value, commitTs: 5 })
        assert.deepEqual(entry.primaryKey, keyOfRow(table, first))
        const known = entryColumns(table, index)
        assert.deepEqual(
          entry.row,
          first.map((given, at) => (known.includes(at) ? given : null)),
        )
        assert.equal(entry.commitTs, 5)
        assert.equal(indexIdOf(key), index.id)
      }),
      { numRuns: 1_000 },
    )
  })

  test('belong to one row each', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ table, index, first, second }) => {
        const entry = encodeEntry(table, index, first)
        const other = encodeEntry(table, index, second.row)
        const isSameRow = compareRows(table, table.primaryKey, first, second.row) === 0
        if (entry.isUnique && other.isUnique) {
          assert.equal(belongsTo(entry, other.value), isSameRow)
        }
        assert.ok(belongsTo(entry, entry.value))
      }),
      { numRuns: 500 },
    )
  })

  test('lie in the range of each of their leading values and no others, in the space of their index', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ table, index, first, second }) => {
        const { key } = encodeEntry(table, index, first)
        const other = second.row.map((value, at) =>
          second.isOwn[at] ? value : (first[at] ?? null),
        )
        // The values are followed by the primary key, which bounds as well, but where they are unique.
        const parts = index.unique ? index.parts : orderParts(table, index)
        const valuesOf = (row: SqlRow) =>
          parts.map(({ columnId }) => row[columnOf(table, columnId).position] ?? null)
        for (let count = 0; count <= parts.length; count += 1) {
          const start = encodeIndexKey(table, index, valuesOf(other).slice(0, count))
          const end = endOfPrefix(start)
          const isWithin =
            compareRowKeys(start, key) <= 0 && (end === undefined || compareRowKeys(key, end) < 0)
          const isSame = compareRows(table, parts.slice(0, count), first, other) === 0
          assert.equal(isWithin, isSame)
        }
        assert.deepEqual(encodeIndexKey(table, index, []), indexSpace(index.id))
      }),
      { numRuns: 300 },
    )
  })
})

const TABLE = tableOf(columnsOf('TEXT'), { name: 'user' })
const INDEX: IndexDefinition = {
  id: 9,
  name: 'byEmail',
  unique: true,
  parts: [{ columnId: 2, descending: false }],
  storing: [],
  state: 'ready',
}

suite('the key of an entry', () => {
  test('of a unique index is not unique when a value is NULL', () => {
    const [one, two] = [1n, 2n].map((id) => encodeEntry(TABLE, INDEX, [id, null]))
    assert.equal(one?.isUnique, false)
    assert.notDeepEqual(one?.key, two?.key)
    const [a, b] = [1n, 2n].map((id) => encodeEntry(TABLE, INDEX, [id, 'a@x']))
    assert.deepEqual(a?.key, b?.key)
  })

  test('is bounded by a prefix of text', () => {
    const prefix = encodeIndexTextPrefix(TABLE, INDEX, [], 'bo')
    const { key } = encodeEntry(TABLE, INDEX, [1n, 'bob@x'])
    assert.deepEqual(key.subarray(0, prefix.length), prefix)
  })

  test('is bounded by the text of a primary key behind its own columns', () => {
    const text = { ...TABLE, columns: [{ ...TABLE.columns[0], type: 'TEXT' }, TABLE.columns[1]] }
    const [table, index] = [text as TableDefinition, { ...INDEX, unique: false }]
    const prefix = encodeIndexTextPrefix(table, index, ['a@x'], 'i')
    const isWithin = (id: string, email: string) => {
      const { key } = encodeEntry(table, index, [id, email])
      return compareRowKeys(key.subarray(0, prefix.length), prefix) === 0
    }
    const found = [isWithin('id', 'a@x'), isWithin('di', 'a@x'), isWithin('id', 'b@x')]
    assert.deepEqual(found, [true, false, false])
    const named = { ...index, parts: [...index.parts, { columnId: 1, descending: true }] }
    assert.throws(() => encodeIndexTextPrefix(table, named, ['a@x', 'id'], 'i'), { rule: 'T1' })
  })

  test('that would be too long is refused, and the index is named', () => {
    assert.throws(() => encodeEntry(TABLE, INDEX, [1n, 'x'.repeat(5_000)]), {
      code: 'limit_exceeded',
      fields: {
        limit: 'rowKeyBytesMax',
        limitValue: 4096,
        actual: 5 + 1 + 5_000 + 2,
        table: 'user',
        index: 'byEmail',
        columns: ['c0'],
      },
    })
  })

  test('and its value are damaged by bytes that no encoder writes', () => {
    const { key, value } = encodeEntry(TABLE, INDEX, [1n, 'a@x'])
    const read = (given: Partial<{ key: Uint8Array; value: Uint8Array }>) => () =>
      decodeEntry(TABLE, INDEX, { key, value, commitTs: 1, ...given })
    assert.throws(read({ key: key.subarray(0, -1) }), { rule: 'T1' })
    assert.throws(read({ key: Buffer.concat([key, Buffer.from('05', 'hex')]) }), { rule: 'T1' })
    assert.throws(read({ key: Buffer.concat([indexSpace(8), key.subarray(5)]) }), { rule: 'T1' })
    assert.throws(read({ value: Buffer.from('02', 'hex') }), { rule: 'T2' })
    assert.throws(read({ value: Buffer.from('0105', 'hex') }), { rule: 'T2' })
    assert.throws(read({ value: Buffer.concat([value, Buffer.from('2803616263', 'hex')]) }), {
      rule: 'T2',
    })
  })
})
