// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { startTestServer } from '../../../test/server/test-server.ts'

const URLS = ['http://10.0.0.1:4270', 'http://10.0.0.2:4270'] as const

/** Two servers over one store; the first one has a transaction open that has written a row. */
async function twoServers(t: TestContext) {
  const cellStore = new MemoryCellStore()
  const open = async (url: string) => {
    const storage = await openGateway(cellStore)
    const flags = { advertise: url }
    return { storage, server: await startTestServer(t, { flags, deps: { storage } }) }
  }
  const [a, b] = [await open(URLS[0]), await open(URLS[1])]
  await a.server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  const id = await a.server.begin()
  await a.server.post(`/v1/transactions/${id}/query`, { sql: 'INSERT INTO item (id) VALUES (1)' })
  return { a, b, id }
}

test('a client that asks for it is told which server has the transaction open', async (t) => {
  const { a, b, id } = await twoServers(t)
  const path = `/v1/transactions/${id}`
  const headers = { 'percolite-forwarding': 'refuse' }
  const json = { sql: 'GET * FROM item WHERE id = 1' }
  const requests = [
    { method: 'POST', path: `${path}/query`, json },
    { method: 'POST', path: `${path}/commit` },
    { method: 'DELETE', path },
    { method: 'POST', path: '/v1/query', json: { ...json, transaction: id } },
  ] as const
  for (const request of requests) {
    const { status, body } = await b.server.send({ ...request, headers })
    assert.deepEqual(
      { status, code: body.code, url: body.url, retryable: body.retryable },
      { status: 421, code: 'wrong_gateway', url: URLS[0], retryable: true },
    )
  }
  const committed = await a.server.post(`/v1/transactions/${id}/commit`)
  assert.equal(committed.status, 200)
  const again = await b.server.post(`/v1/transactions/${id}/commit`)
  assert.deepEqual(again.body.commitTimestamp, committed.body.commitTimestamp)
  assert.deepEqual(await b.server.rows('GET * FROM item WHERE id = 1'), [{ id: 1 }])
})

test('a transaction whose server has ended is lost, and nothing of it is kept', async (t) => {
  const { a, b, id } = await twoServers(t)
  // As after a crash: the session is not rolled back, and the token is gone.
  await a.storage.close()
  const { status, body } = await b.server.post(`/v1/transactions/${id}/commit`)
  assert.deepEqual({ status, code: body.code }, { status: 410, code: 'transaction_lost' })
  assert.deepEqual(await b.server.rows('GET * FROM item WHERE id = 1'), [])
})

test('the servers of a store are listed with the addresses that they tell', async (t) => {
  const { a, b } = await twoServers(t)
  for (const { server } of [a, b]) await server.get('/v1/status')
  for (const [at, { server }] of [a, b].entries()) {
    const { status, body } = await server.get('/v1/gateways')
    assert.equal(status, 200)
    const urls = body.gateways.map(({ url }: { url: string }) => url)
    assert.deepEqual(urls.toSorted(), URLS)
    const own = body.gateways.filter(({ isThis }: { isThis: boolean }) => isThis)
    assert.deepEqual(
      own.map(({ url }: { url: string }) => url),
      [URLS[at]],
    )
  }
  assert.equal((await a.server.get('/v1/gateways?limit=1')).body.gateways.length, 1)
  const alone = await startTestServer(t)
  assert.deepEqual((await alone.get('/v1/gateways')).body, { gateways: [] })
})
