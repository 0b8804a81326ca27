// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** So many bytes Node reads from a connection at a time. */
const READ_BYTES = 64 * 1024
const CONNECTIONS = 100
/** Another client than those that look on. */
const ADDRESS = '127.0.0.2'
/** In which the server has read what it is going to read, and has answered or ended the connections. */
const FLOOD_MS = 4_000

/** As much as can be asked with as few bytes as possible, on many connections in the same moment. */
export type Flood = { readonly name: string; readonly bytes: Buffer }

export function floods(): Flood[] {
  const post = 'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const query = '{"sql":"GET n FROM small WHERE id = 1"}'
  return [
    repeated(
      'pipelined requests without a path',
      '',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ),
    repeated(
      'pipelined reads',
      '',
      'GET /v1/tables/small/rows/1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ),
    repeated('pipelined queries', '', `${post}Content-Length: ${query.length}\r\n\r\n${query}`),
    repeated('chunks of one byte', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n1\r\n'),
    repeated('header fields', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n', 'a:\r\n'),
    repeated('frames that are none', HANDSHAKE, frameOf('x')),
    repeated('frames of unknown ids', HANDSHAKE, frameOf('{"type":"unsubscribe","id":"a"}')),
    repeated('queries in frames', HANDSHAKE, frameOf('{"type":"query","id":"a","sql":"x"}')),
    repeated('pings', HANDSHAKE, Buffer.from([0x89, 0x80, 0, 0, 0, 0])),
  ]
}

const HANDSHAKE =
  'GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
  'Sec-WebSocket-Protocol: percolite.v1\r\n\r\n'

/** Masked with zeros, which leave it as it is. */
function frameOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function repeated(name: string, start: string, part: string | Buffer): Flood {
  const times = Math.floor(READ_BYTES / part.length)
  const parts = Array.from({ length: times }, () => Buffer.from(part))
  return { name, bytes: Buffer.concat([Buffer.from(start), ...parts]) }
}

/** Resolves when all of it has been sent and the server has had time for it. */
export async function flood(url: string, { bytes }: Flood): Promise<void> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: CONNECTIONS }, () =>
    connect({ host: hostname, port: Number(port), localAddress: ADDRESS }),
  )
  try {
    await Promise.all(sockets.map(served))
    for (const socket of sockets) socket.resume().write(bytes)
    await sleep(FLOOD_MS)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Resolves when the server has accepted the connection, which it does one by one. */
async function served(socket: Socket): Promise<void> {
  socket.on('error', () => undefined)
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
}
