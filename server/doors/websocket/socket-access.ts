// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import { type Clock, timeText } from '../../../storage/storage.ts'
import { problemOf } from '../../errors/error-response.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Access } from '../../guard/access/access.ts'
import {
  type Caller,
  callerOf,
  type Principal,
  unauthenticated,
} from '../../guard/access/principal.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { CloseReason } from './close-codes.ts'
import type { SocketDependencies } from './socket-dependencies.ts'

const MICROS = 1_000
/** So long before its token ends a client is told, or a quarter of what is left when it came, if that is shorter. */
const TOLD_MS = 60_000

/** What is sent to a client, or why its socket is closed. */
export type AccessStep =
  | { readonly frame: Readonly<Record<string, unknown>> }
  | { readonly close: CloseReason; readonly words: string }

/**
 * Who is at the other end of a socket: the sender of its handshake, or of an `auth` frame where that had no token, as
 * those of browsers have none.
 */
export class SocketAccess {
  readonly #access: Access
  readonly #audit: Audit
  readonly #clock: Clock
  readonly #address: ClientKey
  /** Until then it may show its first token; at once where nobody was asked for one when it was let in. */
  readonly #showsByMs: number
  #principal: Principal | undefined
  /** Whether its role could do anything when that was last looked at. */
  #hadRights = false
  /** On the wall clock; when the client is told that its token ends. */
  #tellAtMs = Number.POSITIVE_INFINITY

  constructor(
    { access, audit, clock }: SocketDependencies,
    from: { readonly handshake: IncomingMessage; readonly address: ClientKey },
  ) {
    this.#access = access
    this.#audit = audit
    this.#clock = clock
    this.#address = from.address
    const waitMs = access.isRequired ? SERVER_LIMITS.authenticationMsMax : 0
    this.#showsByMs = clock.monotonicMs() + waitMs
    this.#accept(access.of(from.handshake))
  }

  get caller(): Caller {
    return callerOf(this.#principal, () => this.#address)
  }

  /** What `welcome` says of it. */
  get state(): 'none' | 'required' | 'done' {
    if (this.#principal !== undefined) return 'done'
    return this.#access.isRequired ? 'required' : 'none'
  }

  /** Whether frames other than `auth` are read. */
  get isLetIn(): boolean {
    return this.state !== 'required'
  }

  /** What an `auth` frame leads to; undefined where nobody is asked for a token. */
  async authenticate(token: string): Promise<AccessStep | undefined> {
    const access = this.#access
    await access.lookIfDue()
    if (!access.isRequired) return undefined
    let principal: Principal
    try {
      principal = await access.principalOf(token, () => this.#address)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      return this.#refused(error, 'auth')
    }
    const former = this.#principal
    if (former !== undefined && !access.isSameHolder(former, principal)) {
      return { close: 'forbidden', words: 'A socket stays with whom it began with.' }
    }
    this.#accept(principal)
    const { id, role, expires } = principal
    return { frame: { type: 'authenticated', role, subject: id, expiresAt: timeText(expires) } }
  }

  /** What comes of a frame from one who is not let in. */
  refuse(operation: string): AccessStep {
    return this.#refused(unauthenticated(), operation)
  }

  /** To be called about once a second, and when a token has been changed. */
  step(): AccessStep | undefined {
    if (!this.#access.isRequired) return undefined
    const principal = this.#principal
    if (principal === undefined) {
      if (this.#clock.monotonicMs() < this.#showsByMs) return undefined
      return { close: 'unauthorized', words: 'unauthenticated' }
    }
    const refusal = this.#access.refusalOf(principal)
    if (refusal !== undefined) return { close: 'unauthorized', words: refusal.code }
    const hadRights = this.#hadRights
    this.#hadRights = !this.#access.mayNothing(principal)
    if (hadRights && !this.#hadRights) return { close: 'unauthorized', words: 'unauthenticated' }
    if (this.#nowMs() < this.#tellAtMs) return undefined
    this.#tellAtMs = Number.POSITIVE_INFINITY
    return { frame: { type: 'authExpiring', expiresAt: timeText(principal.expires) } }
  }

  /** Whoever is at the other end: this token was not one. */
  #refused(error: ServerError, operation: string): AccessStep {
    this.#audit.answered(problemOf(error), { address: this.#address, operation })
    return { close: 'unauthorized', words: error.code }
  }

  #accept(principal: Principal | undefined): void {
    this.#principal = principal
    if (principal === undefined) return
    this.#hadRights = !this.#access.mayNothing(principal)
    const endsMs = principal.expires / MICROS
    this.#tellAtMs = endsMs - Math.min(TOLD_MS, (endsMs - this.#nowMs()) / 4)
  }

  #nowMs(): number {
    return this.#clock.wallMicros() / MICROS
  }
}
