// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A way to a server that counts what passes in either direction, in bytes. */
export async function startCountingProxy(context: Pick<TestContext, 'after'>, address: string) {
  const { hostname: host, port } = new URL(`tcp://${address}`)
  const bytes = { sent: 0, received: 0 }
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    keep(client)
    keep(upstream)
    client.on('data', (data) => {
      bytes.sent += data.length
    })
    upstream.on('data', (data) => {
      bytes.received += data.length
    })
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, bytes }
}
