// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openStorage } from '../../../storage/storage.ts'
import { openSocket, SocketClient } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

async function listeningServer(
  t: TestContext,
  options: Parameters<typeof startTestServer>[1] = {},
) {
  const server = await startTestServer(t, options)
  const { port } = await server.listen()
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  return { server, port }
}

test('the first frame welcomes the client, with or without the subprotocol', async (t) => {
  const { port } = await listeningServer(t)
  for (const protocols of [['percolite.v1'], []]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, protocols)
    const client = new SocketClient(socket)
    const welcome = await client.next()
    assert.equal(socket.protocol, protocols[0] ?? '')
    assert.deepEqual(
      [welcome.type, welcome.version, welcome.protocol],
      ['welcome', '0.1.0', 'percolite.v1'],
    )
    assert.equal(welcome.limits.socketQueriesMax, SERVER_LIMITS.socketQueriesMax)
    socket.close()
    assert.equal((await client.closed()).code, 1005)
  }
})

test('a handshake that is one request too many of its client in a turn is served as any other', async (t) => {
  const { port } = await listeningServer(t)
  const [others, own] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  t.after(() => others.destroy())
  await Promise.all([others, own].map((connection) => once(connection, 'connect')))
  // As many as are read of a client in a turn: then nothing of it is, until a later one.
  others.resume().write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(512))
  const at = `ws://127.0.0.1:${port}/v1/socket`
  const client = new SocketClient(new WebSocket(at, { createConnection: () => own }))
  assert.equal((await client.next()).type, 'welcome')
  assert.equal((await client.query('SHOW TABLES')).type, 'result')
  client.socket.close()
})

test('a query is answered as over HTTP, and what is wrong with it is an error of its id', async (t) => {
  const { server, port } = await listeningServer(t)
  const client = await openSocket(t, port)
  const written = await client.query("SET balance = 7 ON account WHERE id = 'bob'")
  assert.equal(written.type, 'result')
  assert.ok(written.commitTimestamp > written.readTimestamp)
  const sql = 'GET * FROM account WHERE id = :id'
  const { type, id, ...got } = await client.query(sql, {
    params: { id: 'bob' },
    integers: 'string',
  })
  assert.equal(type, 'result')
  assert.deepEqual(got.results[0].rows, [{ id: 'bob', balance: '7' }])
  const { body } = await server.query(sql, { params: { id: 'bob' }, integers: 'string' })
  assert.deepEqual(got.results, body.results)
  const failed = await client.query('GET * FROM nothing WHERE id = 1')
  assert.deepEqual([failed.type, failed.code, failed.status], ['error', 'unknown_table', 404])
  const future = await client.query('SHOW TABLES', { minTimestamp: 9_007_199_254_740_991 })
  assert.equal(future.code, 'timestamp_in_future')
  for (const wrong of [{ pageSize: 0 }, { nonsense: 1 }, { params: 3 }, { minTimestamp: 'soon' }]) {
    const { code } = await client.query('SHOW TABLES', wrong)
    assert.equal(code, 'invalid_request', JSON.stringify(wrong))
  }
})

test('many queries run at a time, up to the limit, and a long SCAN comes by pages', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  const { server, port } = await listeningServer(t, { deps: { storage } })
  const rows = Array.from({ length: 30 }, (_, n) => ({ id: `row ${n + 10}`, balance: n }))
  await server.post('/v1/tables/account/rows', rows)
  const client = await openSocket(t, port)
  const begin = storage.begin.bind(storage)
  const held = Promise.withResolvers<void>()
  storage.begin = async (options) => {
    await held.promise
    return begin(options)
  }
  const ids = Array.from({ length: SERVER_LIMITS.socketQueriesMax }, (_, n) => `q${n}`)
  for (const id of [...ids, 'last'])
    client.send({ type: 'query', id, sql: 'SCAN id FROM account', pageSize: 20 })
  const { code, limit } = await client.about('last')
  assert.deepEqual([code, limit], ['limit_exceeded', 'socketQueriesMax'])
  held.resolve()
  const answers = await Promise.all(ids.map((id) => client.about(id)))
  for (const { results, cursor } of answers) {
    assert.equal(results[0].rows.length, 20)
    assert.ok(cursor)
  }
  const { cursor } = answers[0]
  const rest = await client.query('SCAN id FROM account', { pageSize: 20, cursor })
  assert.equal(rest.results[0].rows.length, 10)
  assert.equal(rest.cursor, undefined)
})

test('a transaction begun on a socket runs there, and ends with it', async (t) => {
  const { server, port } = await listeningServer(t)
  const client = await openSocket(t, port)
  const { transaction, expiresAt } = await client.query('BEGIN')
  assert.ok(expiresAt)
  await client.query("SET balance = 1 ON account WHERE id = 'bob'", { transaction })
  const committed = await client.query('COMMIT', { transaction })
  assert.ok(committed.commitTimestamp)
  const left = await client.query('BEGIN')
  const inside = { transaction: left.transaction }
  await client.query("SET balance = 2 ON account WHERE id = 'bob'", inside)
  client.socket.close()
  await client.closed()
  const outcome = async () => (await server.get(`/v1/transactions/${left.transaction}`)).body
  while ((await outcome()).status === 'active') await setImmediate()
  assert.deepEqual(
    [(await outcome()).status, (await outcome()).reason],
    ['rolledBack', 'requested'],
  )
  assert.deepEqual(await server.rows('SCAN balance FROM account'), [{ balance: 1 }])
})

test('what cannot be read closes the socket with 4400', async (t) => {
  const { port } = await listeningServer(t)
  for (const text of [
    'no JSON',
    '[]',
    '{}',
    '{"type":"query","sql":"SHOW TABLES"}',
    '{"type":"nonsense","id":"1"}',
    '{"type":"unsubscribe","id":1}',
    `{"type":"unsubscribe","id":"${'x'.repeat(129)}"}`,
    '['.repeat(300),
  ]) {
    const client = await openSocket(t, port)
    client.socket.send(text)
    assert.equal((await client.closed()).code, 4400, text.slice(0, 80))
  }
  const binary = await openSocket(t, port)
  binary.socket.send(Buffer.from('{"type":"auth","token":"x"}'))
  assert.equal((await binary.closed()).code, 4400)
  const taken = await openSocket(t, port)
  taken.send({ type: 'subscribe', id: 'a', sql: 'SCAN * FROM account' })
  taken.send({ type: 'query', id: 'a', sql: 'SHOW TABLES' })
  assert.match((await taken.closed()).reason, /in use/)
})

test('a frame beyond the limit, or not UTF-8, closes the socket as WebSocket says', async (t) => {
  const { port } = await listeningServer(t)
  const long = await openSocket(t, port)
  long.socket.send('x'.repeat(SERVER_LIMITS.bodyBytesMax + 1))
  assert.equal((await long.closed()).code, 1009)
  const broken = await openSocket(t, port)
  broken.socket.send(Buffer.of(0xff, 0xfe), { binary: false })
  assert.equal((await broken.closed()).code, 1007)
})

test('a token is taken and means nothing yet', async (t) => {
  const { port } = await listeningServer(t)
  const client = await openSocket(t, port)
  client.send({ type: 'auth', token: 'secret' })
  assert.equal((await client.query('SHOW TABLES')).type, 'result')
})

test('a page of a foreign origin, and a foreign host, get no socket', async (t) => {
  const { port } = await listeningServer(t, { flags: { 'allow-origin': 'https://app.example' } })
  const refusalOf = async (options: object) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, 'percolite.v1', options)
    socket.on('error', () => undefined)
    const [, answer] = await once(socket, 'unexpected-response')
    let text = ''
    for await (const chunk of answer) text += chunk
    return [answer.statusCode, JSON.parse(text).code]
  }
  assert.deepEqual(await refusalOf({ origin: 'https://evil.example' }), [403, 'origin_not_allowed'])
  const host = { headers: { host: 'evil.example' } }
  assert.deepEqual(await refusalOf(host), [403, 'origin_not_allowed'])
  const allowed = await openSocket(t, port, { origin: 'https://app.example' })
  assert.equal((await allowed.query('SHOW TABLES')).type, 'result')
})

test('what is no handshake is told so, and an upgrade elsewhere is not made', async (t) => {
  const { server, port } = await listeningServer(t)
  const { status, body } = await server.get('/v1/socket')
  assert.deepEqual([status, body.code], [426, 'upgrade_required'])
  const asking = request({
    port,
    path: '/healthz',
    headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  })
  asking.end()
  const [answer] = await once(asking, 'response')
  answer.resume()
  assert.equal(answer.statusCode, 200)
})

test('a stopping server answers what runs, takes nothing new, and closes with 1001', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  const { server, port } = await listeningServer(t, { deps: { storage } })
  const client = await openSocket(t, port)
  const idle = await openSocket(t, port)
  await idle.subscribe('a', 'SCAN * FROM account')
  await client.query("SET balance = 1 ON account WHERE id = 'bob'")
  assert.equal((await idle.about('a')).type, 'change')
  const begin = storage.begin.bind(storage)
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  storage.begin = async (options) => {
    // The subscription may still read the definitions of its commit.
    if (options?.asOf === undefined) {
      reached.resolve()
      await held.promise
    }
    return begin(options)
  }
  client.send({ type: 'query', id: 'slow', sql: 'SHOW TABLES' })
  await reached.promise
  const closed = server.server.close()
  assert.deepEqual(await idle.closed(), { code: 1001, reason: 'The server is stopping.' })
  assert.deepEqual(idle.unread, [])
  client.send({ type: 'query', id: 'late', sql: 'SHOW TABLES' })
  assert.equal((await client.about('late')).code, 'overloaded')
  held.resolve()
  assert.equal((await client.about('slow')).type, 'result')
  assert.equal((await client.closed()).code, 1001)
  await closed
})

test('while a query of a transaction runs, those that are sent ahead are refused, and so is a COMMIT', async (t) => {
  const { server, port } = await listeningServer(t)
  const client = await openSocket(t, port)
  const { transaction } = await client.query('BEGIN')
  const write = (id: string) => `SET balance = 1 ON account WHERE id = '${id}'`
  // It takes many turns, and each frame one.
  const long = Array.from({ length: 1_000 }, (_, index) => ({ sql: write(`a${index}`) }))
  const ahead = [{ statements: long }, { sql: write('b') }, { sql: 'COMMIT' }]
  for (const [place, query] of ahead.entries()) {
    client.send({ type: 'query', id: `${place}`, transaction, ...query })
  }
  assert.equal((await client.about('1')).code, 'transaction_busy')
  assert.equal((await client.about('2')).code, 'transaction_busy')
  assert.equal((await client.about('0')).type, 'result')
  assert.equal((await client.query('COMMIT', { transaction })).type, 'result')
  assert.deepEqual(await server.rows('SCAN count(*) AS rows FROM account'), [{ rows: 1_000 }])
})
