// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import type { WorstRequest } from './worst-requests.ts'

const RESPONSE_MS = 30_000

/** What came of a request or a frame: what is wrong with it, or undefined. */
export type Fault = string | undefined

/** The client that sends the worst: over HTTP on connections that stay, frames on a socket for each. */
export class Attacker {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url: string) {
    this.#url = url
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Sends it and reads the whole response. An error of the server is a fault, and so is none at all. */
  request({ method, path, headers, body }: WorstRequest): Promise<Fault> {
    const { promise, resolve } = Promise.withResolvers<Fault>()
    const { hostname, port } = new URL(this.#url)
    const sent = request(
      {
        ...{ method, path, hostname, port, agent: this.#agent, timeout: RESPONSE_MS },
        headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
      },
      (response) => {
        const { statusCode = 0 } = response
        // A stream of changes goes on for ever.
        if (path.startsWith('/v1/changes') && statusCode === 200) response.destroy()
        response.resume()
        response.on('close', () => resolve(statusCode === 500 ? 'status 500' : undefined))
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no response for ${RESPONSE_MS} ms`)))
    sent.on('error', (error) => resolve(error.message))
    sent.end(body)
    return promise
  }

  /** Sends a frame, and a small query after it: one of the two ends it, or the socket is closed. */
  async frame(bytes: Buffer): Promise<Fault> {
    const { promise, resolve } = Promise.withResolvers<Fault>()
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/v1/socket`, 'percolite.v1')
    const late = setTimeout(() => resolve(`nothing for ${RESPONSE_MS} ms`), RESPONSE_MS)
    socket.on('open', () => {
      socket.send(bytes, { binary: false })
      socket.send('{"type":"query","id":"after","sql":"SHOW TABLES"}')
    })
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { id?: string; code?: string }
      if (frame.code === 'internal') resolve('error internal')
      if (frame.id === 'after') resolve(undefined)
    })
    socket.on('error', () => undefined)
    socket.on('close', (code) => resolve(code === 1006 ? `closed by ${code}` : undefined))
    const fault = await promise
    clearTimeout(late)
    socket.terminate()
    return fault
  }
}
