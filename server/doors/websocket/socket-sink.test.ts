// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { textFrameHead } from './socket-sink.ts'

test('a client reads texts of every length that a head can tell, between those of the library', async (t) => {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = new WebSocketServer({ server: http, perMessageDeflate: false })
  t.after(() => http.close())
  const lengths = [0, 1, 125, 126, 127, 65_535]
  server.on('connection', (socket, { socket: connection }) => {
    for (const length of lengths) {
      connection.write(Buffer.concat([textFrameHead(length), Buffer.alloc(length, 'x')]))
      socket.send('between')
    }
    socket.close()
  })
  const { port } = http.address() as AddressInfo
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  const got: number[] = []
  client.on('message', (data, isBinary) => {
    assert.equal(isBinary, false)
    got.push(String(data) === 'between' ? -1 : String(data).length)
  })
  await once(client, 'close')
  assert.deepEqual(
    got,
    lengths.flatMap((length) => [length, -1]),
  )
  assert.throws(() => textFrameHead(65_536), RangeError)
})
