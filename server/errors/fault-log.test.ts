// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Level, pino } from 'pino'
import { startTestServer } from '../../test/server/test-server.ts'

const HOST = 'Host: localhost\r\n'
const JSON_POST = `POST /v1/query HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`
const HANDSHAKE = [
  'GET /v1/socket HTTP/1.1\r\n',
  HOST,
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
].join('')

/** A frame of text, masked with zeros, as short ones are. */
function frame(json: object): Buffer {
  const text = Buffer.from(JSON.stringify(json))
  const length = [0x80 | 126, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), text])
}

const SCAN = JSON.stringify({ sql: 'SCAN * FROM page' })

/** What a client has sent when it goes, and whether it has begun to read by then. */
const LEAVING: Readonly<
  Record<string, { readonly sent: ReadonlyArray<string | Buffer>; readonly reads: boolean }>
> = {
  'before its head is whole': { sent: ['GET /v1/tables HTTP/1.1\r\nHost:'], reads: false },
  'within what is no HTTP': { sent: ['NOT HTTP\r\n'], reads: false },
  'within its body': { sent: [`${JSON_POST}Content-Length: 1000\r\n\r\n{"sql":`], reads: false },
  'within a piece of its body': {
    sent: [`${JSON_POST}Transfer-Encoding: chunked\r\n\r\n20\r\n{"sql"`],
    reads: false,
  },
  'before its answer': {
    sent: [`${JSON_POST}Content-Length: ${SCAN.length}\r\n\r\n${SCAN}`],
    reads: false,
  },
  'within its answer': {
    sent: [`${JSON_POST}Content-Length: ${SCAN.length}\r\n\r\n${SCAN}`],
    reads: true,
  },
  'within NDJSON': {
    sent: [`GET /v1/tables/page/rows?format=ndjson HTTP/1.1\r\n${HOST}\r\n`],
    reads: true,
  },
  'within CSV': {
    sent: [`GET /v1/tables/page/rows?format=csv HTTP/1.1\r\n${HOST}\r\n`],
    reads: true,
  },
  'before the first row': {
    sent: [`GET /v1/tables/page/rows?format=csv HTTP/1.1\r\n${HOST}\r\n`],
    reads: false,
  },
  'within a subscription': {
    sent: [`GET /v1/changes?sql=SCAN+*+FROM+page&snapshot=true HTTP/1.1\r\n${HOST}\r\n`],
    reads: true,
  },
  'within the documentation': {
    sent: [`GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\n${HOST}\r\n`],
    reads: true,
  },
  'within a handshake': { sent: [HANDSHAKE.slice(0, 60)], reads: false },
  'of a socket': { sent: [HANDSHAKE], reads: true },
  'within the answer of a socket': {
    sent: [HANDSHAKE, frame({ type: 'query', id: 'q', sql: 'SCAN * FROM page' })],
    reads: true,
  },
  'within the snapshot of a socket': {
    sent: [
      HANDSHAKE,
      frame({ type: 'subscribe', id: 's', sql: 'SCAN * FROM page', snapshot: true }),
    ],
    reads: true,
  },
  'within a frame': { sent: [HANDSHAKE, Buffer.from([0x81, 0xfe, 0x10])], reads: false },
  'with several requests under way': {
    sent: Array(3).fill(`GET /v1/tables/page/rows HTTP/1.1\r\n${HOST}\r\n`),
    reads: true,
  },
}

test('a client that leaves, whenever it does, is no line in the log', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'info' satisfies Level }, { write: (line: string) => lines.push(line) })
  const server = await startTestServer(t, { deps: { log } })
  const { port } = await server.listen()
  await server.query('CREATE TABLE page (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  for (let id = 0; id < 60; id += 1) {
    await server.rows('INSERT INTO page (id, text) VALUES ($1, $2)', {
      params: [id, 'x'.repeat(100_000)],
    })
  }
  const leave = async (
    sent: ReadonlyArray<string | Buffer>,
    reads: boolean,
    how: 'reset' | 'end',
  ) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    for (const [index, bytes] of sent.entries()) {
      socket.write(bytes)
      // A frame is not to come with the handshake.
      if (reads || index < sent.length - 1) await once(socket, 'data')
    }
    if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
    await once(socket, 'close')
  }
  lines.length = 0
  for (const [name, { sent, reads }] of Object.entries(LEAVING)) {
    await t.test(name, async () => {
      for (const how of ['reset', 'end'] as const) await leave(sent, reads, how)
      // What is said of it is said when the server has noticed.
      for (let turn = 0; turn < 3; turn += 1) {
        await setTimeout(10)
        assert.equal((await server.get('/healthz')).status, 200)
      }
      assert.deepEqual(lines, [])
    })
  }
})
