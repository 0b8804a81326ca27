// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { WholeRequest } from './whole-request.ts'

/** A server on a port of its own, and a client that has sent nothing. */
async function given(
  t: TestContext,
  answer: (request: WholeRequest, response: ServerResponse) => void,
) {
  const server = createServer({ IncomingMessage: WholeRequest }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => {
    socket.destroy()
    server.close()
  })
  socket.setEncoding('utf8')
  return socket
}

const head = (length: number, more = '') =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${more}\r\n`

/** Answers with the body, in brackets. */
const echo = (request: WholeRequest, response: ServerResponse) =>
  request.readWhole((body) => response.end(`<${body}>`))

async function received(socket: AsyncIterable<string>, end: string): Promise<string> {
  let all = ''
  for await (const piece of socket) {
    all += piece
    if (all.endsWith(end)) break
  }
  return all
}

test('a body that comes in pieces is handed over once, whole, and so is the next one of the connection', async (t) => {
  const socket = await given(t, echo)
  const body = 'grün '.repeat(50_000)
  const bytes = Buffer.from(body)
  socket.write(head(bytes.length))
  for (let at = 0; at < bytes.length; at += 100_001) socket.write(bytes.subarray(at, at + 100_001))
  socket.write(`${head(0)}${head(4, 'Connection: close\r\n')}last`)
  const answers = (await text(socket)).split(/HTTP\/1\.1 200 OK[^<]*/)
  assert.deepEqual(answers, ['', `<${body}>`, '<>', '<last>'])
})

test('a body that ends too early is never handed over', async (t) => {
  let handedOver = 0
  const begun = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const socket = await given(t, (request, response) => {
    response.once('close', gone.resolve)
    request.readWhole(() => {
      handedOver += 1
    })
    begun.resolve()
  })
  socket.write(`${head(100)}not so many`)
  await begun.promise
  socket.destroy()
  await gone.promise
  assert.equal(handedOver, 0)
})

test('an answer that is out before the body has come leaves the connection as it is', async (t) => {
  const socket = await given(t, (request, response) => {
    if (request.url === '/refused') {
      request.readWhole(() => {})
      response.end('<refused>')
    } else echo(request, response)
  })
  socket.write(head(4).replace('/', '/refused'))
  await received(socket.iterator({ destroyOnReturn: false }), '<refused>')
  socket.write(`body${head(5)}after`)
  await received(socket.iterator({ destroyOnReturn: false }), '<after>')
})

test('who does not ask for the body as a whole reads it as any stream', async (t) => {
  const socket = await given(t, (request, response) => {
    text(request).then((body) => response.end(`<${body}>`))
  })
  socket.write(`${head(5)}plain`)
  await received(socket, '<plain>')
})

test('short chunks are handed on together, in their order', async (t) => {
  let chunks = 0
  const socket = await given(t, (request, response) => {
    request.on('data', () => {
      chunks += 1
    })
    text(request).then((body) => response.end(`<${body}>`))
  })
  const body = 'abcdefghij'.repeat(10_000)
  const long = 'x'.repeat(20_000)
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.write([...body].map((one) => `1\r\n${one}\r\n`).join(''))
  socket.write(`${long.length.toString(16)}\r\n${long}\r\n1\r\n.\r\n0\r\n\r\n`)
  const answer = await received(socket, '>')
  assert.ok(answer.endsWith(`<${body}${long}.>`))
  assert.ok(chunks < 20, `${chunks} chunks`)
})
