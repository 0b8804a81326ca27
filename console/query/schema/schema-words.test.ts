// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Schemas } from '../../../client-sdk/client.ts'
import { columnWords, foundTables } from './schema-words.ts'

const key = (column: string) => ({ column, descending: false })
const column = (name: string, notNull = false) => ({ name, type: 'TEXT', notNull })

it('a column is said with its type and its place in the key', () => {
  const two = { primaryKey: [key('a'), key('b')] }
  assert.equal(columnWords(two, column('b', true)), 'TEXT, key 2')
  assert.equal(columnWords({ primaryKey: [key('a')] }, column('a')), 'TEXT, key')
  assert.equal(columnWords(two, column('c', true)), 'TEXT, not null')
  assert.equal(columnWords(two, column('d')), 'TEXT')
})

it('tables are found by their names and those of their columns', () => {
  const table = (name: string, ...columns: string[]) => ({
    ...{ name, columns: columns.map((one) => column(one)) },
  })
  const tables = [table('Account', 'id'), table('trade', 'account_id'), table('note', 'text')]
  const names = (text: string) =>
    foundTables(tables as unknown as Schemas['Table'][], text).map(({ name }) => name)
  assert.deepEqual(names(' ACC '), ['Account', 'trade'])
  assert.deepEqual(names(''), ['Account', 'trade', 'note'])
  assert.deepEqual(names('x y'), [])
})
