// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { openStorage } from '../../../storage/storage.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const { streamPageRows, streamPageBytes, pageRowsDefault, rowsPageDefault, pageBytesMax } =
  SERVER_LIMITS

test('a stream reads streamPageRows at a time, and fewer where streamPageBytes are reached', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  let pages = 0
  const begin = storage.begin.bind(storage)
  storage.begin = async (options) => {
    const transaction = await begin(options)
    const scanBatches = transaction.scanBatches.bind(transaction)
    transaction.scanBatches = (range) => {
      pages += 1
      return scanBatches(range)
    }
    return transaction
  }
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)')
  const body = 'x'.repeat((2 * streamPageBytes) / streamPageRows)
  const rows = Array.from({ length: 2 * streamPageRows }, (_, id) => ({ id, body }))
  await server.post('/v1/tables/item/rows', rows)
  const pagesOf = async (sql: string) => {
    pages = 0
    const { text } = await server.send({
      ...{ method: 'POST', path: '/v1/query?format=ndjson', json: { sql } },
    })
    assert.equal(text.trimEnd().split('\n').length, rows.length + 1)
    return pages
  }
  // The last one finds that nothing is left.
  const byRows = await pagesOf('SCAN id FROM item')
  assert.ok(byRows >= 2 && byRows <= 3, `${byRows} pages`)
  const byBytes = await pagesOf('SCAN * FROM item')
  assert.ok(byBytes >= 4 && byBytes <= 6, `${byBytes} pages`)
})

test('a page has so many rows where nothing is said, and ends where pageBytesMax are reached', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)')
  const rows = Array.from({ length: pageRowsDefault + 1 }, (_, id) => ({ id }))
  await server.post('/v1/tables/item/rows', rows)
  const { body: first } = await server.query('SCAN id FROM item')
  assert.deepEqual(
    [first.results[0].rows.length, first.cursor !== undefined],
    [pageRowsDefault, true],
  )
  const { body: page } = await server.get('/v1/tables/item/rows')
  assert.equal(page.rows.length, rowsPageDefault)
  const body = 'x'.repeat(pageBytesMax / 8)
  for (let id = 0; id < 10; id += 1) {
    await server.query('SET body = :body ON item WHERE id = :id', { params: { id, body } })
  }
  const { body: second } = await server.query('SCAN * FROM item')
  assert.ok(second.results[0].rows.length <= 8, `${second.results[0].rows.length} rows`)
})
