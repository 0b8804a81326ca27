// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import Fastify from 'fastify'
import { openStorage } from '../storage/storage.ts'
import { startTestServer } from '../test/server/test-server.ts'
import { ClientDisconnected } from './errors/server-error.ts'
import { RunningRequest } from './requests/prepared/running-request.ts'
import { RunningRequests } from './requests/prepared/running-requests.ts'

const BODY = 'SHOW TABLES'
const HEAD = [
  'POST /v1/query HTTP/1.1',
  'Host: localhost',
  'Content-Type: text/plain',
  `Content-Length: ${BODY.length}`,
  '\r\n',
].join('\r\n')

async function openSocket(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

async function listeningServer(t: TestContext, shutdownTimeout = '10s') {
  const server = await startTestServer(t, { flags: { 'shutdown-timeout': shutdownTimeout } })
  const { port } = await server.listen()
  return { server, port }
}

/** A request of which half has arrived, so that it is running as long as the test wants. */
async function halfRequest(t: TestContext, port: number): Promise<Socket> {
  const socket = await openSocket(t, port)
  socket.write(HEAD + BODY.slice(0, 4))
  // The answer to a request sent later shows that the server has read the half.
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
  await answer.text()
  return socket
}

test('stopping does not wait for clients that say nothing', async (t) => {
  const { server, port } = await listeningServer(t)
  await openSocket(t, port)
  const kept = await fetch(`http://127.0.0.1:${port}/healthz`)
  await kept.text()
  const startedMs = performance.now()
  await server.server.close()
  assert.ok(performance.now() - startedMs < 5_000)
})

test('a stopping server finishes what is running and takes no new work', async (t) => {
  const { server, port } = await listeningServer(t)
  const running = await halfRequest(t, port)
  const late = await halfRequest(t, port)
  const closed = server.server.close()
  running.write(BODY.slice(4))
  const answer = await readAll(running)
  assert.match(answer, /^HTTP\/1\.1 200 /)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`))
  late.write(`${BODY.slice(4)}${HEAD}${BODY}`)
  const answers = await readAll(late)
  assert.match(answers, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(answers.slice(10), /HTTP\/1\.1 200 /)
  await closed
})

test('a stopping server does not wait for ever', async (t) => {
  const { server, port } = await listeningServer(t, '50ms')
  const stuck = await halfRequest(t, port)
  await server.server.close()
  assert.doesNotMatch(await readAll(stuck), /HTTP\/1\.1 200 /)
})

test('closing twice is closing once', async (t) => {
  const { server } = await listeningServer(t)
  await server.begin()
  await Promise.all([server.server.close(), server.server.close()])
})

test('the signal of a request is aborted when its client goes, and not when it is answered', async (t) => {
  const fastify = Fastify()
  t.after(() => fastify.close())
  const requests = new RunningRequests()
  const signals: AbortSignal[] = []
  let begun = () => {}
  let aborted = () => {}
  fastify.get('/wait', async (_request, reply) => {
    const { signal } = requests.begin(reply.raw)
    signals.push(signal)
    begun()
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    aborted()
    return 'late'
  })
  fastify.get('/answer', async (_request, reply) => {
    signals.push(requests.begin(reply.raw).signal)
    return 'at once'
  })
  const url = await fastify.listen({ port: 0 })
  await (await fetch(`${url}/answer`)).text()
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const isAborted = new Promise<void>((resolve) => {
    aborted = resolve
  })
  const leaving = new AbortController()
  const request = fetch(`${url}/wait`, { signal: leaving.signal })
  await hasBegun
  leaving.abort()
  await assert.rejects(request)
  await isAborted
  assert.equal(signals[0]?.aborted, false)
  assert.ok(signals[1]?.reason instanceof ClientDisconnected)
})

test('requests that run, and that begin later, are told why a server waits no longer', async (t) => {
  const fastify = Fastify()
  t.after(() => fastify.close())
  const requests = new RunningRequests()
  const reasons: unknown[] = []
  fastify.get('/', async (_request, reply) => {
    const before = requests.begin(reply.raw)
    const ended = requests.begin(reply.raw)
    const beside = requests.begin(reply.raw)
    ended.end()
    ended.end()
    requests.abortAll(new Error('enough'))
    const late = requests.begin(reply.raw)
    for (const { signal } of [before, ended, beside, late]) reasons.push(signal.reason?.message)
    return ''
  })
  await fetch(await fastify.listen())
  assert.deepEqual(reasons, ['enough', undefined, 'enough', 'enough'])
})

test('a statement ends with the reason why its request was aborted, whatever it throws itself', async (t) => {
  const work = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('inside'))))
  const slow = new RunningRequest()
  t.after(() => slow.end())
  await assert.rejects(slow.withinTime(1, work(slow.signal)), { code: 'statement_timeout' })
  const left = new RunningRequest()
  t.after(() => left.end())
  const running = left.withinTime(60_000, work(left.signal))
  left.abort(new ClientDisconnected('It left.'))
  await assert.rejects(async () => running, ClientDisconnected)
})

test('a request that was given up commits nothing, and is told why', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  t.after(() => storage.close())
  const transaction = await storage.begin()
  transaction.put(Buffer.from('a row'), '0', Buffer.from('written'))
  const left = new RunningRequest()
  t.after(() => left.end())
  left.abort(new ClientDisconnected('It left.'))
  assert.throws(() => left.commit(transaction), ClientDisconnected)
  assert.equal(transaction.state, 'active')
})

test('time that passes between two statements counts for neither, and the second has its own', async (t) => {
  const request = new RunningRequest()
  t.after(() => request.end())
  await request.withinTime(1, Promise.resolve())
  await setTimeout(5)
  assert.equal(request.signal.aborted, false)
  const { signal } = request
  const endless = request.withinTime(1, setTimeout(60_000, undefined, { signal }))
  await assert.rejects(async () => endless, { code: 'statement_timeout', fields: { timeoutMs: 1 } })
})
