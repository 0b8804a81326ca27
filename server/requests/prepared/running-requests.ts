// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, SlottedSet, systemClock } from '../../../storage/storage.ts'
import { NO_LIMITS, type RoleLimits } from '../../../storage/tables/access/access.ts'
import { ClientDisconnected, type ServerError } from '../../errors/server-error.ts'
import { type Caller, callerOf, type Principal } from '../../guard/access/principal.ts'
import { type ClientKey, ClientKeys } from '../../guard/budgets/client-key.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import { RequestRates } from '../../guard/budgets/request-rates.ts'
import { requireWithinRole } from '../../guard/budgets/shared-bound.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { TurnQueue } from '../../guard/budgets/turns.ts'
import { type RequestAbout, type RequestKeeper, RunningRequest } from './running-request.ts'

/** The requests that a stopping server would have to wait for, and whose they are. */
export class RunningRequests implements RequestKeeper {
  readonly shares: Shares
  /** Where those wait that are not alone in a turn of the event loop. */
  readonly turnQueue: TurnQueue
  readonly storeSilentMs: () => number
  readonly copyWaitMs: number | undefined
  readonly written: RequestKeeper['written']
  readonly #clients: ClientKeys
  readonly #principalOf: PrincipalOf
  readonly #refusalOf: RefusalOf
  readonly #rates: RequestRates
  readonly #limitsOf: LimitsOf
  /** Tells the ids of this process from those of earlier ones. */
  readonly #idPrefix: string
  readonly #running = new SlottedSet<RunningRequest>()
  #number = 0
  #stopped: Error | undefined

  constructor({
    clients = new ClientKeys([]),
    shares = new Shares(),
    clock = systemClock,
    principalOf = () => undefined,
    limitsOf = () => NO_LIMITS,
    refusalOf = () => undefined,
    storeSilentMs = () => 0,
    copyWaitMs,
    requestsPerSecond,
    written,
  }: RequestsDependencies = {}) {
    this.#clients = clients
    this.#principalOf = principalOf
    this.#limitsOf = limitsOf
    this.#refusalOf = refusalOf
    this.storeSilentMs = storeSilentMs
    this.copyWaitMs = copyWaitMs
    this.written = written
    this.#rates = new RequestRates(clock, requestsPerSecond)
    this.shares = shares
    this.turnQueue = new TurnQueue(clock)
    this.#idPrefix = Math.round(clock.wallMicros()).toString(36)
  }

  /** What is running now, the oldest first, without what stays for as long as its client likes. */
  list(): RunningRequest[] {
    const listed = [...this.#running].filter(({ isFollowing }) => !isFollowing)
    return listed.toSorted((one, other) => other.ageMs - one.ageMs)
  }

  /** The one of `list` with this id. */
  find(id: string): RunningRequest | undefined {
    for (const request of this.#running) {
      if (!request.isFollowing && request.id === id) return request
    }
    return undefined
  }

  get count(): number {
    return this.#running.size
  }

  /** Of a request that has been let in, its principal; before that, its address. */
  clientOf(request: IncomingMessage): ClientKey {
    return this.callerOf(request).client
  }

  addressOf(request: IncomingMessage): ClientKey {
    return this.#clients.of(request)
  }

  /** Another gateway has handed it on for this client. */
  cameFrom(request: IncomingMessage, client: ClientKey): void {
    this.#clients.cameFrom(request, client)
  }

  callerOf(request: IncomingMessage): Caller {
    return callerOf(this.#principalOf(request), () => this.#clients.of(request))
  }

  /** Counts a request or a frame. Returns `rate_limited` where it comes too soon; then it has not been counted. */
  rateRefusal(
    principal: Principal | undefined,
    clientOf: () => ClientKey,
  ): ServerError | undefined {
    return this.#rates.refusal(clientOf, this.limitsOf(principal).rate)
  }

  /** Whether `rateRefusal` has anything to count. */
  isRated(principal: Principal | undefined): boolean {
    return this.#rates.isRated(this.limitsOf(principal).rate)
  }

  limitsOf(principal: Principal | undefined): RoleLimits {
    return principal === undefined ? NO_LIMITS : this.#limitsOf(principal)
  }

  /**
   * A request that has just arrived, with its body. It is armed when it first has to wait. Throws for one that may not
   * go on any more: its body may come long after it was let in.
   */
  arrived(response: ServerResponse, about?: RequestAbout): RunningRequest {
    const refusal = this.#refusalOf(response.req)
    if (refusal !== undefined) throw refusal
    const caller = this.callerOf(response.req)
    return new RunningRequest({ caller, about, response, takesShare: true, keeper: this })
  }

  /** As `arrived`, of one whose caller is known. */
  arrivedBy(caller: Caller, response: ServerResponse, about: RequestAbout): RunningRequest {
    return new RunningRequest({ caller, about, response, takesShare: true, keeper: this })
  }

  /**
   * One that is armed at once: to be called before anything of the request is awaited, or its client may go unnoticed.
   * Throws as `arrived` and `RunningRequest.arm`.
   */
  begin(response: ServerResponse, about?: RequestAbout): RunningRequest {
    return armed(this.arrived(response, about))
  }

  /**
   * For what came in a frame of a socket: the caller aborts it when its client goes away, and closes what is unsent
   * when the response has been sent. Throws as `begin`.
   */
  beginQuery(caller: Caller, about?: RequestAbout): RunningRequest {
    return armed(new RunningRequest({ caller, about, takesShare: true, keeper: this }))
  }

  /** As `beginQuery`, for what is counted elsewhere, or is run by the server itself. */
  beginFor(caller: Caller, about?: RequestAbout): RunningRequest {
    return armed(new RunningRequest({ caller, about, keeper: this }))
  }

  armed(request: RunningRequest): void {
    if (request.takesShare) this.#takeShare(request)
    this.#number += 1
    request.id = `${this.#idPrefix}-${this.#number}`
    this.#running.add(request)
    if (request.response !== undefined) abortWhenClosed(request, request.response)
    if (this.#stopped !== undefined) request.abort(this.#stopped)
  }

  #takeShare({ client, limits }: RunningRequest): void {
    const { requests, changeStreams } = this.shares
    if (limits.running !== undefined) {
      // Responses that only follow changes are requests for as long as they are open, and no work.
      const held = requests.heldBy(client) - changeStreams.heldBy(client)
      requireWithinRole('running', limits, held, 'Requests at work')
    }
    requests.take(client)
  }

  ended(request: RunningRequest): void {
    if (!this.#running.delete(request)) return
    if (request.takesShare) this.shares.requests.giveBack(request.client)
  }

  /** Holds the bytes of a request until it has been answered. Throws as `Hold.moveTo`. */
  holdReceived(response: ServerResponse, bytes: number): void {
    const client = this.clientOf(response.req)
    new Reservation(this.shares.receivedBytes, client).untilClosed(response, bytes)
  }

  /** Aborts those that came over HTTP for which there is a reason. */
  abortWhere(reasonOf: (request: RunningRequest, raw: IncomingMessage) => Error | undefined): void {
    for (const request of [...this.#running]) {
      const reason = request.response && reasonOf(request, request.response.req)
      if (reason !== undefined) request.abort(reason)
    }
  }

  /** Aborts all that are running, and those that are still to come. */
  abortAll(reason: Error): void {
    this.#stopped = reason
    for (const request of [...this.#running]) request.abort(reason)
  }
}

type PrincipalOf = (request: IncomingMessage) => Principal | undefined

type LimitsOf = (principal: Principal) => RoleLimits

/** The error of a request that was let in and may not go on any more. */
type RefusalOf = (request: IncomingMessage) => Error | undefined

export type RequestsDependencies = {
  readonly clients?: ClientKeys
  readonly shares?: Shares
  readonly clock?: Clock
  readonly principalOf?: PrincipalOf
  readonly limitsOf?: LimitsOf
  readonly refusalOf?: RefusalOf
  readonly storeSilentMs?: () => number
  readonly copyWaitMs?: number
  readonly written?: RequestKeeper['written']
  /** The rate of each client; undefined where there is none. */
  readonly requestsPerSecond?: number | undefined
}

function armed(request: RunningRequest): RunningRequest {
  request.arm()
  return request
}

function abortWhenClosed(request: RunningRequest, response: ServerResponse): void {
  const leave = () => {
    if (!response.writableFinished) request.abort(new ClientDisconnected('The client left.'))
    request.closeUnsent()
  }
  // It may have gone while its body was being read.
  if (response.destroyed) leave()
  else response.once('close', leave)
}
