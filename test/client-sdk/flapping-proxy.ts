// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'

/** What becomes of a request. */
export type Weather =
  | 'fair'
  /** It is refused with 503 or 429 and `Retry-After`, alternately as by the server and with a page of a proxy. */
  | 'shed'
  /** It never arrives. */
  | 'lost'
  /** It is done, and its answer never arrives. */
  | 'unanswered'

const RETRY_AFTER_SECONDS = '1'

/** A way to a server over HTTP, which refuses and loses requests as a test says, and counts those. */
export async function startFlappingProxy(context: Pick<TestContext, 'after'>, url: string) {
  let target = new URL(url)
  let weather: Weather = 'fair'
  let sheddings = 0
  const counts = { failed: 0, upgrades: 0 }
  const sockets = new Set<Duplex>()
  const keep = (socket: Duplex) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  const forward = (incoming: IncomingMessage, response: ServerResponse, isAnswered: boolean) => {
    const { method, headers } = incoming
    const { hostname, port, host } = target
    const options = { hostname, port, method, path: incoming.url, headers: { ...headers, host } }
    const passed = request(options, (answer) => {
      if (!isAnswered) {
        answer.resume()
        answer.on('end', () => response.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    incoming.pipe(passed)
  }

  const server = createServer((incoming, response) => {
    if (weather !== 'fair') counts.failed += 1
    incoming.on('error', () => undefined)
    if (weather === 'lost') {
      response.destroy()
    } else if (weather === 'shed') {
      sheddings += 1
      const { status, type, body } = sheddingOf(sheddings)
      incoming.resume()
      response.writeHead(status, { 'content-type': type, 'retry-after': RETRY_AFTER_SECONDS })
      response.end(body)
    } else {
      forward(incoming, response, weather === 'fair')
    }
  })
  server.on('connection', keep)
  server.on('upgrade', (incoming: IncomingMessage, near: Socket, head: Buffer) => {
    counts.upgrades += 1
    if (weather !== 'fair') {
      near.end(
        `HTTP/1.1 503 Busy\r\nretry-after: ${RETRY_AFTER_SECONDS}\r\nconnection: close\r\n\r\n`,
      )
      return
    }
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    const { rawHeaders } = incoming
    const lines = rawHeaders.flatMap((name, at) => {
      if (at % 2 === 1) return []
      return `${name}: ${/^host$/i.test(name) ? target.host : rawHeaders[at + 1]}\r\n`
    })
    far.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`)
    far.write(head)
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  context.after(async () => {
    const closed = once(server, 'close')
    server.close()
    breakAll()
    await closed
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many requests failed so far by what was told to become of them, and how many sockets were asked for. */
    counts,
    breakAll,
    become(next: Weather) {
      weather = next
    },
    /** Where connections lead from now on: the server has come back with another address. */
    turnTo(next: string) {
      target = new URL(next)
    },
  }
}

function sheddingOf(number: number) {
  const isOfServer = number % 2 === 0
  const status = number % 4 < 2 ? 503 : 429
  if (!isOfServer) return { status, type: 'text/html', body: '<h1>Busy</h1>' }
  const code = status === 503 ? 'overloaded' : 'client_overloaded'
  const problem = { type: `urn:percolite:error:${code}`, title: code, status, code }
  const body = JSON.stringify({ ...problem, detail: 'It is full.', retryable: status === 429 })
  return { status, type: 'application/problem+json', body }
}
