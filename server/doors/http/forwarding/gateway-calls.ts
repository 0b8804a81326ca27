// SPDX-License-Identifier: Apache-2.0
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

/** For so long a gateway that lives may take to let another one connect. */
const CONNECT_MS_MAX = 3_000
/** Shorter than a gateway keeps a connection without a request, so that none is sent on one that is being closed. */
const IDLE_MS = 4_000
const IDLE_CONNECTIONS_MAX = 64

export type GatewayCall = {
  /** Of the other gateway, as it has announced it. */
  readonly url: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer | undefined
  readonly signal: AbortSignal
}

/** There was no connection, so that nothing has happened there. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/** Sends requests to other gateways, over connections that are kept for the next ones. */
export class GatewayCalls {
  readonly #http: HttpAgent
  readonly #https: HttpsAgent

  constructor() {
    const kept = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout: IDLE_MS }
    this.#http = new HttpAgent(kept)
    this.#https = new HttpsAgent(kept)
  }

  /** Resolves to the answer as soon as its head is there. Rejects with NotSent, and with the reason of the signal. */
  async send({
    url,
    method,
    target,
    headers,
    body,
    signal,
  }: GatewayCall): Promise<IncomingMessage> {
    const isTls = url.startsWith('https:')
    const agent = isTls ? this.#https : this.#http
    const to = new URL(url)
    // An address may have a path before ours, where a proxy stands in front of it.
    const path = to.pathname.replace(/\/$/, '') + target
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    let isConnected = false
    const request = (isTls ? httpsRequest : httpRequest)(to, {
      method,
      path,
      headers,
      agent,
      signal,
    })
    const timer = setTimeout(() => request.destroy(new Error('no connection')), CONNECT_MS_MAX)
    const connected = () => {
      isConnected = true
      clearTimeout(timer)
    }
    request.once('socket', (socket) => {
      if (request.reusedSocket) connected()
      else socket.once(isTls ? 'secureConnect' : 'connect', connected)
    })
    request.once('response', resolve)
    // Also after the answer has begun, whose reader is told by it.
    request.on('error', (error) => {
      if (signal.aborted) reject(signal.reason)
      else if (isConnected) reject(error)
      else reject(new NotSent(reasonOf(error), { cause: error }))
    })
    request.end(body)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}

function reasonOf(error: Error): string {
  const { code = error.message } = error as NodeJS.ErrnoException
  return code
}
