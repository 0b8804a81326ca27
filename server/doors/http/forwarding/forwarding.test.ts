// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../../storage/storage.ts'
import { AddressedClient } from '../../../../test/server/addressed-client.ts'
import {
  type Answer,
  startTestServer,
  type TestServer,
} from '../../../../test/server/test-server.ts'

type Options = { readonly url?: string; readonly forwardedRequestsMax?: number }

/** Servers over one store; the first has a transaction open, and says that it is at `url` where that is given. */
async function twoServers(t: TestContext, { url, ...limits }: Options = {}) {
  const cellStore = new MemoryCellStore()
  const open = async (flags: { advertise?: string } = {}) => {
    const storage = await openGateway(cellStore)
    const server = await startTestServer(t, { flags, deps: { storage, sharedLimits: limits } })
    await server.listen()
    return { storage, server }
  }
  const a = await open(url === undefined ? {} : { advertise: url })
  const b = await open()
  await a.server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, note JSON)')
  const id = await a.server.begin()
  return { a, b, id, path: `/v1/transactions/${id}` }
}

/** Something that listens in place of a gateway. */
async function listener(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Takes requests and never answers. */
async function silentGateway(t: TestContext) {
  const seen: IncomingHttpHeaders[] = []
  const sockets = new Set<Socket>()
  let left = 0
  const url = await listener(t, (request) => {
    seen.push(request.headers)
    sockets.add(request.socket)
    request.socket.once('close', () => {
      left += 1
    })
  })
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    url,
    seen,
    arrived: (n: number) => until(() => seen.length >= n),
    gone: (n: number) => until(() => left >= n),
    hangUp: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

const without = ({ status, headers, text }: Answer) => {
  const { date: _, connection: __, 'keep-alive': ___, ...kept } = headers as Record<string, string>
  return { status, text, kept }
}

async function forwardedBy(server: TestServer): Promise<string[]> {
  const { text } = await server.get('/metrics')
  const lines = text.matchAll(/^percolite_forwarded_requests_total\{outcome="(\w+)"\} (\d+)/gm)
  return [...lines]
    .filter(([, , count]) => count !== '0')
    .map(([, name, count]) => `${name} ${count}`)
}

test('a transaction takes its requests at any server, and their answers are those of its own', async (t) => {
  const { a, b, id, path } = await twoServers(t)
  const note = '{"n": 12345678901234567890.10}'
  const sql = `INSERT INTO item (id, note) VALUES (1, :note)`
  const body = `{"sql": ${JSON.stringify(sql)}, "params": {"note": ${note}}}`
  const json = { 'content-type': 'application/json' }
  const inserted = await b.server.send({
    method: 'POST',
    path: `${path}/query`,
    text: body,
    headers: json,
  })
  assert.equal(inserted.body.results[0].rowsAffected, 1, inserted.text)
  const get = 'GET * FROM item WHERE id = 1'
  const requests = [
    { method: 'POST', path: `${path}/query`, json: { sql: get } },
    { method: 'POST', path: `${path}/query`, text: get, headers: { 'content-type': 'text/plain' } },
    { method: 'POST', path: '/v1/query', json: { sql: get, transaction: id } },
    { method: 'POST', path: '/v1/query?format=table', json: { sql: get, transaction: id } },
    {
      method: 'POST',
      path: '/v1/query?format=table',
      json: { sql: 'GET x FROM item WHERE id = 1', transaction: id },
    },
    { method: 'POST', path: `${path}/query`, json: { sql: 'GET x FROM item WHERE id = 1' } },
  ] as const
  for (const request of requests) {
    const there = await a.server.send(request)
    assert.deepEqual(without(await b.server.send(request)), without(there))
  }
  assert.match((await b.server.send(requests[0])).text, /12345678901234567890\.10/)
  const committed = await b.server.post(`${path}/commit`)
  assert.equal(committed.status, 200)
  assert.equal((await a.server.post(`${path}/commit`)).text, committed.text)
  assert.equal((await b.server.rows(get)).length, 1)
  const other = await a.server.begin()
  const gone = await b.server.send({ method: 'DELETE', path: `/v1/transactions/${other}` })
  assert.deepEqual([gone.status, gone.text], [204, ''])
  assert.equal(
    (await a.server.post(`/v1/transactions/${other}/commit`)).body.code,
    'transaction_closed',
  )
  assert.deepEqual(await forwardedBy(b.server), ['answered 10'])
  assert.deepEqual(await forwardedBy(a.server), [])
})

test('a server that has ended, or cannot be reached, is said with the address and the reason', async (t) => {
  const { a, b, id, path } = await twoServers(t, { url: 'http://127.0.0.1:1' })
  const { status, body } = await b.server.post(`${path}/commit`)
  assert.deepEqual([status, body.code, body.url], [421, 'wrong_gateway', 'http://127.0.0.1:1'])
  assert.deepEqual([body.reason, body.retryable, body.transaction], ['ECONNREFUSED', true, id])
  assert.deepEqual(await forwardedBy(b.server), ['not_sent 1'])
  await a.storage.close()
  assert.equal((await b.server.post(`${path}/commit`)).body.code, 'transaction_lost')
})

test('a server that ends while it is waited for: a statement is run again, a commit is asked after', async (t) => {
  const silent = await silentGateway(t)
  const { a, b, id, path } = await twoServers(t, { url: silent.url })
  const sent = [
    b.server.post(`${path}/query`, { sql: 'GET * FROM item WHERE id = 1' }),
    b.server.send({ method: 'DELETE', path }),
    b.server.post(`${path}/query`, { sql: 'INSERT INTO item (id) VALUES (7); COMMIT' }),
    b.server.post(`${path}/commit`),
  ]
  const waiting = Promise.all(sent)
  await silent.arrived(sent.length)
  await a.storage.close()
  const answers = await waiting
  const unavailable = [503, 'gateway_unavailable', true, id]
  const unknown = [503, 'commit_outcome_unknown', false, id]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code, body.retryable, body.transaction]),
    [unavailable, unavailable, unknown, unknown],
  )
  assert.equal(answers[0]?.headers['retry-after'], '1')
  assert.deepEqual(await forwardedBy(b.server), ['lost 4'])
})

test('what is handed on is not handed on again: a server that names another one as itself makes no loop', async (t) => {
  const place: { url?: string } = {}
  let hops = 0
  const relay = await listener(t, async (request, response) => {
    hops += 1
    const headers = request.headers as Record<string, string>
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { connection: _, host: __, 'content-length': ___, ...sent } = headers
    const init = { method: request.method as string, headers: sent, body: Buffer.concat(chunks) }
    const answer = await fetch(`${place.url}${request.url}`, init)
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') as string,
    })
    response.end(await answer.text())
  })
  const { b, path } = await twoServers(t, { url: relay })
  place.url = (await b.server.listen()).url
  const { status, body } = await b.server.post(`${path}/query`, { sql: 'SHOW TABLES' })
  assert.deepEqual([status, body.code, body.reason], [421, 'wrong_gateway', undefined])
  // fetch repeats what is answered 421 by itself.
  assert.ok(hops <= 2, `${hops} hops`)
})

test('a client holds its share of what is handed on, and is told whose fault it is', async (t) => {
  const silent = await silentGateway(t)
  const { b, path } = await twoServers(t, { url: silent.url, forwardedRequestsMax: 16 })
  const { url } = await b.server.listen()
  const ask = async (address: string) => {
    const client = new AddressedClient(url, address)
    const answer = await client.send('POST', `${path}/query`, { sql: 'SHOW TABLES' })
    client.close()
    return [answer.status, answer.body.code, answer.body.limit]
  }
  const waiting = Array.from({ length: 12 }, () => ask('127.0.0.1'))
  await silent.arrived(12)
  const limit = 'forwardedRequestsMax'
  assert.deepEqual(await ask('127.0.0.1'), [429, 'client_overloaded', limit])
  for (let other = 2; other <= 5; other += 1) waiting.push(ask(`127.0.0.${other}`))
  await silent.arrived(16)
  assert.deepEqual(await ask('127.0.0.6'), [503, 'overloaded', limit])
  silent.hangUp()
  for (const answer of await Promise.all(waiting)) assert.equal(answer[1], 'gateway_unavailable')
  const again = ask('127.0.0.1')
  await silent.arrived(17)
  silent.hangUp()
  assert.equal((await again)[1], 'gateway_unavailable', 'its share is given back')
})

test('a client that leaves is waited for no more', async (t) => {
  const silent = await silentGateway(t)
  const { b, path } = await twoServers(t, { url: silent.url })
  const { url } = await b.server.listen()
  const leaving = new AbortController()
  const asked = fetch(`${url}${path}/commit`, { method: 'POST', signal: leaving.signal })
  await silent.arrived(1)
  leaving.abort()
  await assert.rejects(asked)
  await silent.gone(1)
})

test('an answer that breaks off is none', async (t) => {
  const url = await listener(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"results": [')
    setTimeout(() => request.socket.destroy(), 20)
  })
  const { b, path } = await twoServers(t, { url })
  await assert.rejects(b.server.post(`${path}/query`, { sql: 'SHOW TABLES' }))
})

test('only a server of the store can say for whom it asks, and each signature is of one request', async (t) => {
  const silent = await silentGateway(t)
  const { a, b, path } = await twoServers(t, { url: silent.url })
  const waiting = b.server.send({
    method: 'POST',
    path: `${path}/commit`,
    headers: { authorization: 'Bearer one' },
  })
  await silent.arrived(1)
  const signed = String(silent.seen[0]?.['percolite-gateway'])
  const commit = { method: 'POST', path: `${path}/commit` } as const
  const known = { 'percolite-gateway': signed, authorization: 'Bearer one' }
  assert.equal((await a.server.send({ ...commit, headers: known })).status, 200)
  const refused = [
    { ...commit, headers: { ...known, authorization: 'Bearer two' } },
    {
      ...commit,
      headers: { ...known, 'percolite-gateway': signed.replace('127.0.0.1', '127.0.0.2') },
    },
    { ...commit, headers: { ...known, 'percolite-gateway': signed.replace(/\S+$/, '') } },
    { ...commit, headers: { ...known, 'percolite-gateway': '' } },
    { method: 'DELETE', path, headers: known },
    { method: 'POST', path: `${path}/query`, json: { sql: 'SHOW TABLES' }, headers: known },
  ] as const
  for (const request of refused) {
    const { status, body } = await a.server.send(request)
    assert.deepEqual([status, body.parameter], [400, 'Percolite-Gateway'], JSON.stringify(request))
  }
  await a.storage.close()
  await waiting
})
