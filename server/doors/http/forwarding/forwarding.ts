// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Clock, repeat, type Storage } from '../../../../storage/storage.ts'
import { ServerError } from '../../../errors/server-error.ts'
import {
  GATEWAY_HEADER,
  readForward,
  type SignedRequest,
  signedForward,
} from '../../../guard/gateways/forward-signature.ts'
import type { ForwardingMetrics } from '../../../operations/metrics/forwarding-metrics.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../../requests/prepared/running-requests.ts'
import { outcomeUnknown } from '../../../requests/transactions/transaction-session.ts'
import { WrongGateway } from '../../../requests/transactions/wrong-gateway.ts'
import { aboutRequest } from '../listed-work.ts'
import type { CheckedRequest, Handler, Handlers } from '../openapi/binding.ts'
import { GatewayCalls, NotSent } from './gateway-calls.ts'

/** The operations of a transaction that is open. */
const FORWARDED: ReadonlySet<string> = new Set([
  ...['query', 'queryInTransaction', 'commitTransaction', 'rollBackTransaction'],
])

/** How often a gateway that has not answered yet is looked for among those that live. */
const LOOK_EVERY_MS = 2_000

type ForwardingDependencies = {
  readonly storage: Pick<Storage, 'gateways' | 'secret'>
  readonly clock: Clock
  readonly requests: RunningRequests
  readonly config: { readonly transactionTotalMs: number }
  readonly metrics: { readonly forwarded: ForwardingMetrics }
}

/**
 * A request of a transaction that is open in another gateway is handed on to that one, and its answer is handed back as
 * it is. Whoever runs it judges the token, which goes along, and counts the client. One hop: what another gateway has
 * handed on is not handed on again, whatever it is about.
 */
export class Forwarding {
  readonly #deps: ForwardingDependencies
  readonly #calls = new GatewayCalls()
  /** Of requests that may have to be handed on, as they came. */
  readonly #bodies = new WeakMap<IncomingMessage, Buffer>()
  readonly #arrived = new WeakSet<IncomingMessage>()
  #secret: Promise<Uint8Array> | undefined

  constructor(deps: ForwardingDependencies) {
    this.#deps = deps
  }

  /** To be told of each body that has been read. */
  readonly keepBody = (raw: IncomingMessage, bytes: Buffer, body: unknown): void => {
    const isInside = (body as { transaction?: unknown } | undefined)?.transaction !== undefined
    if (isInside || raw.url?.startsWith('/v1/transactions/')) this.#bodies.set(raw, bytes)
  }

  /** To be called for each request, before it is let in. Rejects for what no gateway of this store has signed. */
  accept(raw: IncomingMessage): Promise<void> | undefined {
    const header = raw.headers[GATEWAY_HEADER]
    return header === undefined ? undefined : this.#accept(raw, String(header))
  }

  async #accept(raw: IncomingMessage, header: string): Promise<void> {
    const { client } = readForward(await this.#readSecret(), header, signedOf(raw))
    this.#arrived.add(raw)
    this.#deps.requests.cameFrom(raw, client)
  }

  /** The same handlers, but that they hand on what is of another gateway. */
  over(handlers: Handlers): Handlers {
    const own = Object.entries(handlers).map(([id, handler]): [string, Handler] => {
      if (!FORWARDED.has(id)) return [id, handler]
      return [id, (request) => handler(request).catch((error) => this.#handOn(error, request))]
    })
    return Object.fromEntries(own)
  }

  close(): void {
    this.#calls.close()
  }

  async #handOn(error: unknown, request: CheckedRequest): Promise<unknown> {
    const { raw, reply, parameters } = request
    if (!(error instanceof WrongGateway) || error.url === '') throw error
    if (this.#arrived.has(raw.raw) || parameters['Percolite-Forwarding'] !== undefined) throw error
    const { requests } = this.#deps
    const running = requests.begin(reply.raw, aboutRequest(reply))
    try {
      this.#takeShare(running, reply)
      return await this.#forward(error, request, running)
    } finally {
      running.end()
    }
  }

  /** Held until the answer is out, however long its client takes. Throws `client_overloaded` and `overloaded`. */
  #takeShare({ client }: RunningRequest, { raw }: FastifyReply): void {
    const { forwardedRequests } = this.#deps.requests.shares
    forwardedRequests.take(client)
    const giveBack = () => forwardedRequests.giveBack(client)
    if (raw.destroyed) giveBack()
    else raw.once('close', giveBack)
  }

  async #forward(
    place: WrongGateway,
    { raw: { raw }, reply, body }: CheckedRequest,
    running: RunningRequest,
  ): Promise<unknown> {
    const { forwarded } = this.#deps.metrics
    const { transaction, url } = place
    const origin = { transaction, client: this.#deps.requests.addressOf(raw) }
    const signed = signedOf(raw)
    const signature = signedForward(await this.#readSecret(), origin, signed)
    const sent = this.#bodies.get(raw)
    const length = sent === undefined ? {} : { 'content-length': String(sent.length) }
    const headers = { ...headersToSend(raw.headers), ...length, [GATEWAY_HEADER]: signature }
    const watch = this.#watched(place, running)
    try {
      const call = { url, ...signed, headers, body: sent, signal: watch.signal }
      const answer = await this.#calls.send(call)
      forwarded.count('answered')
      return answerOf(answer, reply)
    } catch (error) {
      // Its client left, or it was ended.
      if (running.signal.aborted) throw running.signal.reason
      forwarded.count(error instanceof NotSent ? 'not_sent' : 'lost')
      if (error instanceof NotSent) throw new WrongGateway(transaction, url, error.message)
      const operation = reply.request.routeOptions.config.operationId
      throw mayCommit(operation, body) ? outcomeUnknown(transaction) : unavailable(place)
    } finally {
      watch.end()
    }
  }

  /** Aborted with the request, when that gateway lives no more, and after as long as a transaction may take. */
  #watched({ transaction, url }: WrongGateway, running: RunningRequest) {
    const { storage, clock, config } = this.#deps
    const ending = new AbortController()
    const gone = new AbortController()
    const giveUp = (why: string) => gone.abort(new Error(why))
    const timer = setTimeout(() => giveUp('no answer'), config.transactionTotalMs)
    // What fails is the store, and the other gateway answers so itself.
    void repeat(clock, {
      everyMs: LOOK_EVERY_MS,
      signal: ending.signal,
      work: async () => {
        const place = await storage.gateways.placeOf(transaction)
        const isThere = place.kind === 'elsewhere' && place.url === url
        if (!isThere) giveUp('the gateway has ended')
      },
      failed: () => undefined,
    })
    return {
      signal: AbortSignal.any([running.signal, gone.signal]),
      end: () => {
        clearTimeout(timer)
        ending.abort()
      },
    }
  }

  /** Read when it is first needed. */
  async #readSecret(): Promise<Uint8Array> {
    this.#secret ??= this.#deps.storage.secret('gateway')
    try {
      return await this.#secret
    } catch (error) {
      this.#secret = undefined
      throw error
    }
  }
}

function signedOf({ method = '', url = '', headers }: IncomingMessage): SignedRequest {
  return { method, target: url, authorization: headers.authorization }
}

/** What is of one connection only (RFC 9110 7.6.1), of the browser that was asked, or said anew. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'host', 'content-length', 'origin', 'cookie'],
  ...['referer', 'forwarded', 'x-forwarded-for', GATEWAY_HEADER],
])

function headersToSend(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const ofConnection = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const sent: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    const isDropped = DROPPED.has(name) || name.startsWith('sec-') || ofConnection.includes(name)
    if (!isDropped && value !== undefined) sent[name] = value
  }
  return sent
}

/** What each server says for itself. */
const NOT_HANDED_BACK: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'date', 'strict-transport-security'],
])

const NO_CONTENT = 204

/** The body, which is read as fast as the client takes it. */
function answerOf(answer: IncomingMessage, reply: FastifyReply): IncomingMessage | undefined {
  const { statusCode = NO_CONTENT, headers } = answer
  reply.code(statusCode)
  for (const [name, value] of Object.entries(headers)) {
    if (!NOT_HANDED_BACK.has(name) && value !== undefined) reply.header(name, value)
  }
  if (statusCode !== NO_CONTENT) return answer
  answer.resume()
  return undefined
}

/** A text without the word cannot have committed. */
function mayCommit(operation: string | undefined, body: unknown): boolean {
  if (operation === 'commitTransaction') return true
  return operation !== 'rollBackTransaction' && /commit/i.test(JSON.stringify(body) ?? '')
}

function unavailable({ transaction, url }: WrongGateway): ServerError {
  const detail = `The server that has the transaction open did not answer: ${url}. Nothing of it was committed by this request; run it again.`
  return new ServerError('gateway_unavailable', detail, { transaction, url })
}
