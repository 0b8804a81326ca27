// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AddressedClient } from '../../../test/server/addressed-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'

const BEGINS = [
  { path: '/v1/transactions', body: '{}' },
  { path: '/v1/query', body: '{"sql":"BEGIN"}' },
  { path: '/v1/query', body: '{"sql":"BEGIN; SHOW TABLES","keepOpen":true}' },
] as const

function requestText({ path, body }: (typeof BEGINS)[number], ...more: string[]): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...more,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function scene(t: TestContext) {
  const { server } = await startTestServer(t)
  const { url, port } = await server.listen()
  const observer = new AddressedClient(url, '127.0.0.3')
  t.after(() => observer.close())
  const openCount = async () => (await observer.send('GET', '/v1/transactions')).body.total
  /** Long before the idle time of 30 s. */
  const until = async (isSo: (count: number) => boolean) => {
    for (let tries = 0; !isSo(await openCount()); tries += 1) {
      assert.ok(tries < 500, 'the number of open transactions stays as it is')
      await sleep(10)
    }
  }
  const untilNoneIsOpen = () => until((count) => count === 0)
  const untilOneIsOpen = () => until((count) => count === 1)
  /** Reads nothing by itself. */
  const connected = async () => {
    const socket = new Socket()
    socket.pause()
    socket.on('error', () => undefined)
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  return { observer, openCount, untilNoneIsOpen, untilOneIsOpen, connected }
}

test('a BEGIN whose client leaves without waiting for the response leaves nothing open', async (t) => {
  const { connected, untilNoneIsOpen } = await scene(t)
  for (let round = 0; round < 39; round += 1) {
    const socket = await connected()
    socket.write(requestText(BEGINS[round % BEGINS.length] as (typeof BEGINS)[number]))
    if (round % 2 === 0) await sleep(round % 5)
    socket.destroy()
  }
  await sleep(20)
  await untilNoneIsOpen()
})

test('a response that arrived and was never read leaves nothing open', async (t) => {
  const { connected, untilOneIsOpen, untilNoneIsOpen } = await scene(t)
  for (const begin of BEGINS) {
    const socket = await connected()
    socket.write(requestText(begin))
    await untilOneIsOpen()
    await sleep(20)
    // With something unread, this resets the connection.
    socket.destroy()
    await untilNoneIsOpen()
  }
})

test('a client with a connection for each request keeps the transaction that it read of', async (t) => {
  const { connected, observer } = await scene(t)
  const socket = await connected()
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(requestText(BEGINS[0]))
  socket.resume()
  while (!Buffer.concat(chunks).includes('"transaction"')) await once(socket, 'data')
  socket.destroy()
  await sleep(50)
  const { transactions } = (await observer.send('GET', '/v1/transactions')).body
  assert.equal(transactions.length, 1)
  const [{ transaction }] = transactions
  assert.equal((await observer.query('SHOW TABLES', undefined, { transaction })).status, 200)
})

test('a transaction that was used outlives the connection of its BEGIN, however that ends', async (t) => {
  const { connected, observer, openCount, untilOneIsOpen } = await scene(t)
  const socket = await connected()
  socket.write(requestText(BEGINS[0]))
  await untilOneIsOpen()
  const [{ transaction }] = (await observer.send('GET', '/v1/transactions')).body.transactions
  assert.equal((await observer.query('SHOW TABLES', undefined, { transaction })).status, 200)
  socket.resetAndDestroy()
  await sleep(50)
  assert.equal(await openCount(), 1)
})

test('a proxy that resets the connection of a BEGIN says nothing of its client', async (t) => {
  const { connected, observer, openCount, untilOneIsOpen } = await scene(t)
  const socket = await connected()
  socket.write(requestText(BEGINS[0], 'X-Forwarded-For: 192.0.2.1'))
  await untilOneIsOpen()
  await sleep(20)
  socket.resetAndDestroy()
  await sleep(50)
  assert.equal(await openCount(), 1)
  const [{ transaction }] = (await observer.send('GET', '/v1/transactions')).body.transactions
  assert.equal((await observer.query('SHOW TABLES', undefined, { transaction })).status, 200)
})
