// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { WebSocketServer } from 'ws'

/**
 * A server that is not the primary: as a standby it refuses writes by `not_primary` over HTTP and on sockets, as a
 * superseded primary everything by `superseded`. `requests` counts those that it has refused.
 */
export async function startRefusing(
  t: Pick<TestContext, 'after'>,
  code: 'not_primary' | 'superseded' | 'moved',
  primary?: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  const status = code === 'superseded' ? 503 : 421
  const problem = {
    title: code,
    status,
    detail: `Refused: ${code}.`,
    code,
    retryable: false,
    ...(code === 'moved' ? { url: primary } : { primary }),
    ...more,
  }
  let requests = 0
  const server = createServer((incoming, response) => {
    requests += 1
    incoming.resume()
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ type: 'about:blank', ...problem }))
  })
  // A superseded one takes no sockets: its upgrades are answered as all else.
  if (code === 'not_primary') {
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.send(JSON.stringify({ type: 'welcome', limits: {} }))
      socket.on('message', (data) => {
        requests += 1
        const { id } = JSON.parse(String(data))
        socket.send(JSON.stringify({ type: 'error', id, ...problem }))
      })
    })
  }
  return { url: await listening(t, server), requests: () => requests }
}

/** A server that takes connections and requests, and answers none. */
export async function startMute(t: Pick<TestContext, 'after'>): Promise<string> {
  return await listening(t, createServer())
}

/** A server that begins each answer at once, and ends it after so many milliseconds. */
export async function startSlow(t: Pick<TestContext, 'after'>, ms: number): Promise<string> {
  const server = createServer((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    setTimeout(() => response.end('{"slow":true}'), ms)
  })
  return await listening(t, server)
}

/** An address at which nothing listens. */
export async function vacantUrl(): Promise<string> {
  const ends: Array<() => void> = []
  const url = await listening(
    { after: (end: () => void) => ends.push(end) } as never,
    createServer(),
  )
  await Promise.all(ends.map((end) => end()))
  return url
}

async function listening(t: Pick<TestContext, 'after'>, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${port}`
}
