// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { startTestServer } from '../../../test/server/test-server.ts'
import { readNames } from './name-list.ts'

const read = (text: string) => readNames('columns', text)

test('names are bare, escaped or in quotes, with blanks around them', () => {
  assert.deepEqual(read('id'), ['id'])
  assert.deepEqual(read(' id ,\tthe name '), ['id', 'the name'])
  assert.deepEqual(read('a~1b,c~0d'), ['a,b', 'c~d'])
  assert.deepEqual(read('"a,b", "say ""hi""","~1", " x "'), ['a,b', 'say "hi"', '~1', ' x '])
  assert.deepEqual(read('""""'), ['"'])
})

test('a list that is none is refused', () => {
  for (const text of ['', ' ', 'a,', ',a', 'a,,b', '"a', '"a" b', '"a"b', 'a~x']) {
    assert.throws(() => read(text), { code: 'invalid_request' }, text)
  }
})

test('any names in quotes come back, and a long list is read once', () => {
  const names = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(names, (given) => {
      const quoted = given.map((name) => `"${name.replaceAll('"', '""')}"`)
      assert.deepEqual(read(quoted.join(' , ')), given)
    }),
  )
  assert.equal(read(`"${'""'.repeat(500_000)}"`)[0]?.length, 500_000)
  assert.equal(read(`${' '.repeat(500_000)}a${' '.repeat(500_000)}b`).length, 1)
})

test('rows are asked for by names with commas, blanks and quotes', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE item (id INTEGER PRIMARY KEY, "first, last" TEXT, "a ""b""" INTEGER, " x " TEXT)',
  )
  await server.query('CREATE INDEX "by name" ON item ("first, last" DESC)')
  await server.indexesBuilt('item')
  const row = { id: 1, 'first, last': 'Kim, Li', 'a "b"': 5, ' x ': 'y' }
  await server.post('/v1/tables/item/rows', row)
  const ask = (parameters: Record<string, string>, path = '/v1/tables/item/rows') =>
    server.get(`${path}?${new URLSearchParams(parameters)}`)
  const columns = '"first, last", "a ""b""" ," x ", id'
  assert.deepEqual((await ask({ columns }, '/v1/tables/item/rows/1')).body, row)
  const page = await ask({ columns, order: '"first, last" desc', limit: '1', index: 'by name' })
  assert.deepEqual(page.body.rows, [row], page.text)
  const bare = await ask({
    columns: 'first~1 last, id',
    order: 'first~1 last desc',
    index: 'by name',
  })
  assert.deepEqual(bare.body.rows, [{ 'first, last': 'Kim, Li', id: 1 }], bare.text)
  const wrong = await ask({ order: '"first, last" downwards', index: 'by name' })
  assert.deepEqual([wrong.status, wrong.body.parameter], [400, 'order'])
})
