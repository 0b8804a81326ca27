// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { column } from '../../test/storage/catalog-scene.ts'
import type { SqlValue } from '../values/sql-type.ts'
import { defineTable, type NewTable } from './new-table.ts'
import type { ColumnDefault } from './table-definition.ts'

function newTable(name: string, columns = [column('id')], key = ['id']): NewTable {
  return { name, columns, primaryKey: key.map((part) => ({ column: part, descending: false })) }
}

suite('the definition of a new table', () => {
  test('columns are numbered in their order, and those of the key are NOT NULL', () => {
    const columns = [column('b', 'TEXT'), column('a'), column('c', 'JSON', { notNull: true })]
    const table = defineTable(
      {
        name: 't',
        columns,
        primaryKey: [
          { column: 'a', descending: true },
          { column: 'b', descending: false },
        ],
      },
      9,
    )
    assert.deepEqual(table, {
      id: 9,
      name: 't',
      nextColumnId: 4,
      families: [],
      indexes: [],
      observers: [],
      grants: [],
      checks: [],
      schedules: [],
      columns: [
        { id: 1, name: 'b', type: 'TEXT', notNull: true },
        { id: 2, name: 'a', type: 'INTEGER', notNull: true },
        { id: 3, name: 'c', type: 'JSON', notNull: true },
      ],
      primaryKey: [
        { columnId: 2, descending: true },
        { columnId: 1, descending: false },
      ],
    })
  })

  const id = column('id')
  const refused: Array<[string, NewTable, Record<string, unknown>]> = [
    ['an empty name', newTable(''), {}],
    ['a name with a control character', newTable('a\nb'), {}],
    ['a name with a lone surrogate', newTable('a\ud800'), {}],
    ['a column without a name', newTable('t', [id, column('')]), { column: '' }],
    ['a column that is there twice', newTable('t', [id, id]), { column: 'id' }],
    [
      'columns that differ by case only',
      newTable('t', [id, column('ID')]),
      { column: 'ID', existing: 'id' },
    ],
    [
      'an unknown type',
      newTable('t', [id, column('x', 'INTEGR')]),
      { column: 'x', nearest: ['INTEGER'] },
    ],
    ['no primary key', newTable('t', [id], []), {}],
    [
      'a primary key of no column',
      newTable('t', [id], ['idd']),
      { column: 'idd', nearest: ['id'] },
    ],
    [
      'a primary key that names a column twice',
      newTable('t', [id], ['id', 'id']),
      { column: 'id' },
    ],
    ['a JSON column in the primary key', newTable('t', [column('id', 'JSON')]), { column: 'id' }],
  ]
  for (const [name, table, fields] of refused) {
    test(`${name} is refused`, () => {
      assert.throws(() => defineTable(table, 1), {
        code: 'invalid_definition',
        fields: { table: table.name, ...fields },
      })
    })
  }

  test('128 bytes are allowed for a name and 256 columns for a table', () => {
    defineTable(newTable('ü'.repeat(64)), 1)
    assert.throws(() => defineTable(newTable(`${'ü'.repeat(64)}x`), 1), {
      code: 'limit_exceeded',
      message: /128 bytes, not 129/,
    })
    const columns = Array.from({ length: 256 }, (_, index) => column(`c${index}`))
    defineTable(newTable('t', columns, ['c0']), 1)
    assert.throws(() => defineTable(newTable('t', [...columns, id]), 1), {
      code: 'limit_exceeded',
      fields: { limit: 'tableColumnsMax', limitValue: 256, actual: 257, table: 't' },
    })
  })

  const literal = (value: SqlValue): ColumnDefault => ({ kind: 'literal', value })
  const defaults: Array<[string, ColumnDefault, string | null]> = [
    ['INTEGER', literal(5n), null],
    ['INTEGER', literal('5'), 'invalid_definition'],
    ['INTEGER', literal(2n ** 63n), 'out_of_range'],
    ['REAL', literal(0.5), null],
    ['TEXT', literal(null), null],
    ['TEXT', { kind: 'uuid' }, null],
    ['INTEGER', { kind: 'uuid' }, 'invalid_definition'],
    ['TIMESTAMP', { kind: 'now' }, null],
    ['TEXT', { kind: 'now' }, 'invalid_definition'],
    ['JSON', literal('{"a":1}'), null],
    ['JSON', literal('{a:1}'), 'invalid_definition'],
  ]
  for (const [type, given, code] of defaults) {
    const shown = given.kind === 'literal' ? `literal ${given.value}` : `${given.kind}()`
    test(`the default ${shown} for ${type} is ${code === null ? 'taken' : `refused: ${code}`}`, () => {
      const table = newTable('t', [id, column('x', type, { default: given })])
      if (code === null) assert.deepEqual(defineTable(table, 1).columns[1]?.default, given)
      else assert.throws(() => defineTable(table, 1), { code })
    })
  }

  test('the default NULL for a NOT NULL column is refused', () => {
    const given = { notNull: true, default: literal(null) }
    assert.throws(() => defineTable(newTable('t', [id, column('x', 'TEXT', given)]), 1), {
      code: 'invalid_definition',
    })
  })
})
