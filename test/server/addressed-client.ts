// SPDX-License-Identifier: Apache-2.0
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export type AddressedResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects.
  readonly body: any
}

/** A client with an address of its own, among 127.0.0.0/8: what servers tell clients apart by. */
export class AddressedClient {
  readonly #url: string
  readonly #agent: Agent

  constructor(url: string, address: string, sockets = 16) {
    this.#url = url
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: sockets,
      localAddress: address,
    })
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<AddressedResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<AddressedResponse>()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const typed = text === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(
      new URL(path, this.#url),
      { method, agent: this.#agent, headers: { ...typed, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const received = Buffer.concat(chunks).toString()
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: received,
            body: isJson && received !== '' ? JSON.parse(received) : undefined,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(text)
    return promise
  }

  query(sql: string, params?: unknown, more: object = {}): Promise<AddressedResponse> {
    return this.send('POST', '/v1/query', {
      sql,
      ...(params === undefined ? {} : { params }),
      ...more,
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
