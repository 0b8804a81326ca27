// SPDX-License-Identifier: Apache-2.0
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RelayAddresses } from './relay-addresses.ts'

export type RelayAnswer = {
  readonly status: number
  /** What `Retry-After` says. */
  readonly retryAfterMs?: number
}

/** Nothing of an answer is used but its status. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Sends messages to one URL, one at a time over one connection. It follows no redirect. */
export class RelayConnection {
  readonly #url: URL
  readonly #addresses: RelayAddresses
  readonly #agent: HttpAgent
  readonly #answerMsMax: number

  constructor(
    url: string,
    addresses: RelayAddresses,
    answerMsMax: number = SERVER_LIMITS.relayAnswerMsMax,
  ) {
    this.#answerMsMax = answerMsMax
    this.#url = new URL(url)
    this.#addresses = addresses
    const { lookup } = addresses
    const options = { keepAlive: true, maxSockets: 1, lookup, autoSelectFamily: false }
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  }

  /** Resolves to the answer once its head is there. Rejects where none comes in time, and with the signal's reason. */
  async post(
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<RelayAnswer> {
    const refusal = this.#addresses.refusalOf(this.#url.href)
    if (refusal !== undefined) throw new Error(refusal)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(this.#answerMsMax)])
    try {
      return await this.#send(headers, Buffer.from(body), ending)
    } catch (error) {
      signal.throwIfAborted()
      if (!ending.aborted) throw error
      throw new Error(`No answer came within ${this.#answerMsMax} ms.`)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<RelayAnswer> {
    const request = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        {
          method: 'POST',
          agent: this.#agent,
          headers: { ...headers, 'content-length': body.length },
          signal,
        },
        (response) => {
          discard(response)
          resolve(answerOf(response))
        },
      )
      sent.once('error', reject)
      sent.end(body)
    })
  }
}

/** Reads it, so that the connection can be used again, unless it is long. */
function discard(response: IncomingMessage): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) response.destroy()
  })
  response.on('error', () => undefined)
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): RelayAnswer {
  const retryAfterMs = retryAfterMsOf(headers['retry-after'], Date.now())
  return { status: statusCode, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Pure. Seconds, or the time of an HTTP date; at most `relayRetryAfterMsMax`. */
export function retryAfterMsOf(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  if (Number.isNaN(ms)) return undefined
  return Math.min(Math.max(0, ms), SERVER_LIMITS.relayRetryAfterMsMax)
}
