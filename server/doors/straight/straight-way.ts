// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Clock, MaybePromise, StoreHistory } from '../../../storage/storage.ts'
import type { Access } from '../../guard/access/access.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'
import { GATEWAY_HEADER } from '../../guard/gateways/forward-signature.ts'
import type { Availability } from '../../operations/replication/availability.ts'
import type { AnswerListener } from '../../requests/answers/answer-body.ts'
import { FORMAT_TYPES, isJsonWanted } from '../../requests/answers/answer-format.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { Outbox, ReadyAnswer } from '../http/answers/outbox.ts'
import { WholeRequest } from '../http/bodies/whole-request.ts'
import { JSON_TYPE } from '../http/openapi/binding.ts'
import {
  operationOf,
  remember,
  type SeenHead,
  type StraightOperation,
  seenBefore,
} from './seen-heads.ts'
import type { StraightQueries } from './straight-queries.ts'
import type { StraightReads } from './straight-reads.ts'

type StraightDependencies = {
  readonly reads: StraightReads
  readonly queries: StraightQueries
  readonly outbox: Outbox
  readonly access: Access
  readonly clock: Clock
  readonly requests: RunningRequests
  readonly availability: Pick<Availability, 'refusal'>
  readonly history: NamedHistory
  readonly metrics: { answered(operation: string, status: number, request: IncomingMessage): void }
  readonly onAnswer?: AnswerListener | undefined
}

/** The way of what is asked again and again: see README.md for what goes it, and by which rules. */
export class StraightWay {
  readonly #deps: StraightDependencies

  constructor(deps: StraightDependencies) {
    this.#deps = deps
  }

  /** To be the first hook: who was let in by the others once is let in by this one. */
  readonly onRequest: onRequestHookHandler = (request, reply, done) => {
    const raw = request.raw as WholeRequest
    const operation = operationOf(raw)
    const head = operation && seenBefore(raw, operation, this.#deps.access.version)
    if (head === undefined) done()
    else if (operation === 'getRow') this.#answer(head, raw, reply.raw, done)
    else raw.readWhole((body) => this.#answer(head, raw, reply.raw, done, body))
  }

  /** Remembers the request that the hooks have let in, where one like it can be answered straight. */
  readonly admitted = ({ raw, routeOptions }: FastifyRequest): void => {
    const { access, requests, history } = this.#deps
    const operation = operationOf(raw)
    if (operation === undefined || seenBefore(raw, operation, access.version)) return
    if (routeOptions.config?.operationId !== operation) return
    if (!isPlain(raw, operation) || asksForMore(raw.headers, history)) return
    const { client, principal } = requests.callerOf(raw)
    const until = access.holdsUntil(principal)
    if (until === undefined) return
    const address = requests.addressOf(raw)
    const caller = { client, principal, addressOf: () => address }
    const isRated = requests.isRated(principal)
    const isText = operation !== 'getRow' && raw.headers['content-type'] !== JSON_TYPE
    remember(raw, { operation, isText, version: access.version, until, caller, isRated })
  }

  /** The client may be let in no more, and its body may have come long after its head. */
  #isHeld({ version, until, caller: { principal } }: SeenHead): boolean {
    const { access, clock, availability } = this.#deps
    if (version !== access.version || availability.refusal !== undefined) return false
    if (until === Number.POSITIVE_INFINITY) return true
    if (until <= clock.wallMicros()) return false
    return principal?.jwtKey === undefined || access.refusalOf(principal) === undefined
  }

  #answer(
    head: SeenHead,
    raw: WholeRequest,
    response: ServerResponse,
    handOn: (error?: Error) => void,
    body?: Buffer,
  ): void {
    const { reads, queries, outbox } = this.#deps
    let ready: MaybePromise<ReadyAnswer> | undefined

    try {
      if (!this.#isHeld(head)) ready = undefined
      else if (body === undefined) ready = reads.row(raw.url as string, head)
      else ready = queries.answer(body, head, response)
    } catch {
      // What is refused before anything has happened is found again by the general way, and told there.
    }
    if (ready === undefined) {
      if (body !== undefined) raw.giveBack(body)
      handOn()
    } else if (ready instanceof Promise) {
      // What had to be waited for is sent at once. The commits of a group are answered in one turn, and its first
      // clients ask again, on another core, while the last ones are still being answered.
      const send = (later: ReadyAnswer) => outbox.send(response, this.#told(head, raw, later))
      ready.then(send).catch(handOn)
    } else {
      outbox.post(response, this.#told(head, raw, ready))
    }
  }

  #told({ operation }: SeenHead, raw: WholeRequest, ready: ReadyAnswer): ReadyAnswer {
    const { metrics, onAnswer } = this.#deps
    metrics.answered(operation, ready.status, raw)
    onAnswer?.(operation, { ...ready, contentType: FORMAT_TYPES.json })
    return ready
  }
}

/** What the general way looks at besides, or what comes from a browser. */
const LOOKED_AT = ['content-encoding', 'upgrade', 'sec-fetch-site', 'prefer']

/** JSON, and texts of statements that are taken as they stand. */
const TYPES: ReadonlySet<string | undefined> = new Set([JSON_TYPE, 'text/plain', 'application/sql'])

function isPlain(raw: IncomingMessage, operation: StraightOperation): boolean {
  const { headers } = raw
  if (!(raw instanceof WholeRequest) || !isJsonWanted(headers.accept)) return false
  for (const name of LOOKED_AT) if (headers[name] !== undefined) return false
  const length = headers['content-length']
  if (operation === 'getRow') return length === undefined && headers['content-type'] === undefined
  return TYPES.has(headers['content-type']) && Number(length) < COUNTED_BYTES_MIN
}

/** What a request says of another history, or another epoch, is looked at by the ordinary route. */
type NamedHistory = Pick<StoreHistory, 'id' | 'name'>

/**
 * Whether a header asks for more than that statements are run and answered. Name by name: V8 remembers where a name
 * stands, and not where the names of a loop do.
 */
function asksForMore(headers: IncomingHttpHeaders, history: NamedHistory): boolean {
  const named = headers['percolite-history']
  return (
    (named !== undefined && named !== history.name && named !== history.id) ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined ||
    headers.origin !== undefined ||
    headers['access-control-request-method'] !== undefined ||
    headers['idempotency-key'] !== undefined ||
    headers['if-match'] !== undefined ||
    headers['if-none-match'] !== undefined ||
    headers['percolite-min-timestamp'] !== undefined ||
    // Of a request that another gateway has handed on.
    headers[GATEWAY_HEADER] !== undefined
  )
}
