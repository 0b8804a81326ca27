// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HttpConnection } from './http-connection.ts'

/** What a server writes when a request is there; each piece in a turn of its own. */
type Pieces = readonly Buffer[]
type Answers = (number: number) => Pieces | 'close'

const PLAIN = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nokay'

/** A connection to a server that answers its requests, numbered from 0, and what reached the server. */
async function connectionTo(context: TestContext, answers: Answers) {
  const requests: string[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.setNoDelay().on('data', async (bytes) => {
      requests.push(bytes.toString('utf8'))
      const answer = answers(requests.length - 1)
      if (answer === 'close') {
        socket.destroy()
        return
      }
      for (const piece of answer) {
        socket.write(piece)
        await nextTurn()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const connection = new HttpConnection(new URL(`http://127.0.0.1:${port}`))
  context.after(() => {
    connection.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { connection, requests, sockets }
}

const whole = (text: string): Pieces => [Buffer.from(text)]

test('a request says where it goes and how many bytes it has', async (context) => {
  const { connection, requests, sockets } = await connectionTo(context, () => whole(PLAIN))
  assert.deepEqual(await connection.ask('/v1/query', '"ä"'), { status: 200, text: 'okay' })
  const [{ localPort }] = sockets as [Socket]
  assert.equal(
    requests[0],
    `POST /v1/query HTTP/1.1\r\nhost: 127.0.0.1:${localPort}\r\n` +
      'content-type: application/json\r\ncontent-length: 4\r\n\r\n"ä"',
  )
})

for (const [kind, answer] of [
  ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n0\r\n\r\nöä'],
  [
    'in chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n0\r\n\r\n\r\n4;a=b\r\nöä\r\n0\r\n\r\n',
  ],
] as const) {
  test(`an answer ${kind} is put together, wherever it is cut`, async (context) => {
    const bytes = Buffer.from(answer)
    const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    const { connection } = await connectionTo(context, (number) => {
      const cut = cuts[number] as number
      return [bytes.subarray(0, cut), bytes.subarray(cut)]
    })
    for (const cut of cuts) {
      const { text } = await connection.ask('/', '')
      assert.equal(text, '0\r\n\r\nöä', `cut behind ${cut} bytes`)
    }
  })
}

test('it connects again once the server has said that it closes, and when it has without a word', async (context) => {
  const { connection, sockets } = await connectionTo(context, (number) =>
    whole(number === 0 ? PLAIN.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') : PLAIN),
  )
  await connection.ask('/', '')
  await connection.ask('/', '')
  assert.equal(sockets.length, 2)
  const [, second] = sockets as [Socket, Socket]
  second.destroy()
  await once(second, 'close')
  // The end of the connection reaches this side some turns later.
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  await connection.ask('/', '')
  assert.equal(sockets.length, 3)
})

test('a connection that is lost fails its request, and the next one has a new one', async (context) => {
  const { connection } = await connectionTo(context, (number) =>
    number === 0 ? 'close' : whole(PLAIN),
  )
  await assert.rejects(connection.ask('/', ''), /closed the connection|ECONNRESET/)
  assert.equal((await connection.ask('/', '')).text, 'okay')
})

test('an answer that ends with the connection is not understood', async (context) => {
  const { connection } = await connectionTo(context, () => whole('HTTP/1.0 200 OK\r\n\r\nokay'))
  await assert.rejects(
    connection.ask('/', ''),
    /does not understand an answer that begins HTTP\/1\.0/,
  )
})
