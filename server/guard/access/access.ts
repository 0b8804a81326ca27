// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { JwtIssuer } from '../../../planner/planner.ts'
import {
  andThen,
  type Clock,
  type MaybePromise,
  repeat,
  STORAGE_LIMITS,
  type Storage,
  type Timestamp,
} from '../../../storage/storage.ts'
import {
  type AccessBlock,
  type AccessRole,
  type AccessSecret,
  type AccessToken,
  idOfToken,
  NO_LIMITS,
  type RoleLimits,
  readAccessBlocks,
  readAccessRoles,
  readAccessSecret,
  readAccessTokens,
  readAccessVersion,
  TOKEN_PREFIX,
} from '../../../storage/tables/access/access.ts'
import type { Catalog, ServerRight } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import { settledSoon } from '../../settled-soon.ts'
import { catalogAt, inSnapshot } from '../../snapshot.ts'
import type { ClientKey } from '../budgets/client-key.ts'
import type { CursorSecrets } from './cursor-secrets.ts'
import { FailedAttempts } from './failed-attempts.ts'
import { countOfHeader } from './header-count.ts'
import { IMPERSONATION_PREFIX, Impersonations } from './impersonations.ts'
import { JwtAccess } from './jwt-access.ts'
import type { JwtTokens } from './jwt-tokens.ts'
import { OwnTokens } from './own-tokens.ts'
import { expired, type Principal, unauthenticated } from './principal.ts'
import { RoleViews } from './role-views.ts'
import { SharedLook } from './shared-look.ts'

export type AccessMode = 'auto' | 'required'

/** How long a revocation on another server may go unnoticed here, and how often what is open is looked at. */
const ACCESS_LOOK_MS = 1_000
/** The same where nobody is asked for a token: then only what signs cursors may have changed. */
const OPEN_LOOK_MS = 30_000

/**
 * Who is let in. Without a token in the store all clients are, unless `mode` demands one; from the first token on none
 * is let in without. They are in memory, so a request costs one hash. Where servers share the store, they are looked at
 * again when the last look is a second ago.
 */
export class Access {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Logger
  readonly #mode: AccessMode | 'off'
  readonly #failed: FailedAttempts
  readonly #jwt: JwtAccess | undefined
  readonly #stopping = new AbortController()
  readonly #roles: RoleViews
  readonly #lookForUnknown: SharedLook
  readonly cursorSecrets: CursorSecrets
  readonly #tokens: OwnTokens
  readonly impersonations: Impersonations
  #readVersion: Timestamp = -1
  /** Another one whenever somebody who was let in may not go on, or may do something else. */
  version = 0
  #lookedMs = Number.NEGATIVE_INFINITY
  #look: Promise<void> | undefined
  #watching: Promise<void> = Promise.resolve()
  #endRevoked: EndRevoked = () => {}
  readonly #changeListeners: Array<() => void> = []

  private constructor({ storage, clock, log, mode, jwt, cursorSecrets }: AccessDependencies) {
    this.cursorSecrets = cursorSecrets
    this.#storage = storage
    this.#clock = clock
    this.#log = log
    this.#mode = mode
    this.#failed = new FailedAttempts(clock)
    this.#tokens = new OwnTokens(clock)
    this.#roles = new RoleViews(storage)
    const parts = { secrets: cursorSecrets, tokens: this.#tokens, roles: this.#roles, clock }
    this.impersonations = new Impersonations(parts)
    this.#lookForUnknown = new SharedLook(clock, ACCESS_LOOK_MS, () => this.lookAgain())
    this.#jwt = jwt && new JwtAccess(jwt, this.#roles, clock)
  }

  /** Resolves when the tokens have been read. */
  static async open(deps: AccessDependencies): Promise<Access> {
    const access = new Access(deps)
    await access.lookAgain()
    return access
  }

  /** How many tokens there are, those that have expired included. */
  get tokenCount(): number {
    return this.#tokens.size
  }

  /** Whose JWTs are taken; undefined where none is. */
  get jwtIssuer(): JwtIssuer | undefined {
    return this.#jwt?.issuer
  }

  /** Whether a request without a token is refused. */
  get isRequired(): boolean {
    if (this.#mode === 'off') return false
    return this.#mode === 'required' || this.#jwt !== undefined || this.#tokens.size > 0
  }

  /** Ends, about once a second and after each change of a token, what is open and may not be any more. */
  watch(endRevoked: EndRevoked, hasOpen: () => boolean): void {
    this.#watching = repeat(this.#clock, {
      everyMs: ACCESS_LOOK_MS,
      signal: this.#stopping.signal,
      work: async () => {
        if (!hasOpen()) return
        try {
          await this.lookIfDue()
        } finally {
          if (this.isRequired) endRevoked() // Time passes for tokens also while the store does not respond.
        }
      },
      failed: (error) => this.#log.warn({ error: String(error) }, 'tokens were not looked at'),
    })
    this.#endRevoked = endRevoked
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#jwt?.stop()
    await this.#watching
  }

  /**
   * Lets a request in, and remembers who sent it. Throws or rejects with ServerError `unauthenticated`, in the same
   * words for all reasons, `token_expired`, or `client_overloaded` for a wrong token after too many of them. While a
   * store on other machines does not answer, the tokens are those of the last look: for some seconds, and for those
   * that never wait.
   */
  admit(request: IncomingMessage, clientOf: ClientOf, neverWaits = false): MaybePromise<void> {
    const look = this.lookIfDue()
    if (look === undefined) return this.#admitNow(request, clientOf)
    const ageMs = this.#clock.monotonicMs() - this.#lookedMs
    const isKnown = neverWaits || ageMs < ACCESS_LOOK_MS + STORAGE_LIMITS.storeSilenceMsMax
    const looked = isKnown ? settledSoon(this.#storage, look) : look
    return looked.then(() => this.#admitNow(request, clientOf))
  }

  #admitNow(request: IncomingMessage, clientOf: ClientOf): MaybePromise<void> {
    ;(request as Admitted)[ADMITTED_AT] = this.version
    if (!this.isRequired) return undefined
    const { authorization } = request.headers
    const shown = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
    const isOne = countOfHeader(request.rawHeaders, 'authorization') === 1
    return andThen(
      this.principalOf(isOne ? shown : undefined, () => clientOf(request)),
      (principal) => {
        ;(request as Admitted)[PRINCIPAL] = principal
      },
    )
  }

  /**
   * Who shows this text. Throws or rejects as `admit`. A right one is let in whatever was shown before it: many clients
   * may share an address. Where another server may have just made it, the store is asked before it is refused.
   */
  principalOf(text: string | undefined, clientOf: () => ClientKey): MaybePromise<Principal> {
    if (text === undefined) throw unauthenticated()
    return andThen(this.#shownBy(text), (found) => {
      const mayBeNew = this.#storage.isShared && this.#mayBeNew(text, found)
      if (!mayBeNew) return this.#valid(found, clientOf)
      const looked = this.#lookForUnknown.wait()
      return looked.then(async () => this.#valid(await this.#shownBy(text), clientOf))
    })
  }

  #shownBy(text: string): MaybePromise<Principal | undefined> {
    if (text.startsWith(IMPERSONATION_PREFIX)) return this.impersonations.principalOf(text)
    const isJwt = this.#jwt !== undefined && !text.startsWith(TOKEN_PREFIX)
    return isJwt ? this.#jwt.principalOf(text) : this.#tokens.principalOf(text)
  }

  /** Of one that no token is kept of, whether it is let in still; it may have expired. */
  #counts(principal: Principal): boolean {
    if (principal.impersonatedBy !== undefined) return this.impersonations.counts(principal)
    return principal.jwtKey === undefined || this.#jwt?.counts(principal) === true
  }

  /** Whether a look at the store could change what is said of this text: never where it is none of any token. */
  #mayBeNew(text: string, found: Principal | undefined): boolean {
    if (found === undefined) return idOfToken(text) !== undefined
    return !this.#counts(found) || found.expires <= this.#clock.wallMicros()
  }

  #valid(principal: Principal | undefined, clientOf: () => ClientKey): Principal {
    if (principal === undefined || !this.#counts(principal)) throw this.#failed.refusal(clientOf())
    if (principal.expires <= this.#clock.wallMicros()) throw expired(principal)
    return principal
  }

  /**
   * Until when one who was let in is let in by the same text, while `version` is the same, and a JWT counts: for good
   * where nobody is asked for a token. Undefined where it has to be looked at each time.
   */
  holdsUntil(principal: Principal | undefined): Timestamp | undefined {
    if (this.#storage.isShared) return undefined
    if (principal === undefined) return this.isRequired ? undefined : Number.POSITIVE_INFINITY
    if (principal.jwtKey !== undefined) return principal.expires
    return this.#tokens.holdsUntil(principal)
  }

  /** Remembers who sent a request that was let in by what its connection has shown before. */
  letIn(request: IncomingMessage, principal: Principal | undefined): void {
    const admitted: Admitted = request
    admitted[ADMITTED_AT] = this.version
    if (principal !== undefined) admitted[PRINCIPAL] = principal
  }

  /** Of a request that was admitted; undefined where none was asked for. */
  of(request: IncomingMessage): Principal | undefined {
    return (request as Admitted)[PRINCIPAL]
  }

  /** The catalog as this caller may know it. */
  viewOf(principal: Principal | undefined, catalog: Catalog): Catalog {
    return principal === undefined ? catalog : this.#roles.viewOf(principal, catalog)
  }

  /** The same for any who has the role. */
  viewOfRole(role: string, catalog: Catalog): Catalog {
    return this.#roles.viewOf({ role }, catalog)
  }

  /** Calls it each time that tokens, roles, relays or rights are known to have changed. */
  whenChanged(listener: () => void): void {
    this.#changeListeners.push(listener)
  }

  /** The tables as they are now, as this caller may know them. */
  async currentCatalog(principal: Principal | undefined): Promise<Catalog> {
    return this.viewOf(principal, await catalogAt(this.#storage))
  }

  /** Whether its role may do nothing at all. */
  mayNothing({ role }: Principal): boolean {
    return this.#roles.mayNothing(role)
  }

  /** Whether another token says the same of its holder, as far as anything here depends on it. */
  isSameHolder(one: Principal, other: Principal): boolean {
    return this.#roles.isSameHolder(one, other)
  }

  may(principal: Principal | undefined, right: ServerRight): boolean {
    return this.#roles.may(principal, right)
  }

  /** The limits of the caller's role. */
  limitsOf(principal: Principal | undefined): RoleLimits {
    return principal === undefined ? NO_LIMITS : this.#roles.limitsOf(principal.role)
  }

  /** Throws ServerError `not_permitted`. */
  requireRight(principal: Principal | undefined, right: ServerRight): void {
    if (this.may(principal, right)) return
    const detail = `The role ${principal?.role} lacks ${right.toUpperCase()}.`
    throw new ServerError('not_permitted', detail, { right })
  }

  /** The error of one who may not go on; undefined for one who may. */
  refusalOf(principal: Principal | undefined): ServerError | undefined {
    if (!this.isRequired) return undefined
    if (principal === undefined) return unauthenticated()
    const isKept = principal.tokenId !== undefined
    const held = isKept ? this.#tokens.of(principal) : this.#counts(principal) && principal
    if (!held) return unauthenticated()
    return held.expires <= this.#clock.wallMicros() ? expired(held) : undefined
  }

  /**
   * Between statements of one request, whose own change does not end it: the one before may have dropped its token. One
   * without a token may have made the first, and still gets its answer. Throws `unauthenticated`.
   */
  requireHeld(principal: Principal | undefined): void {
    const refusal = principal && this.refusalOf(principal)
    if (refusal !== undefined) throw refusal
  }

  /** The error of a request that was let in before something changed. */
  refusalSince(request: IncomingMessage): ServerError | undefined {
    const at = (request as Admitted)[ADMITTED_AT]
    return at === undefined || at === this.version ? undefined : this.refusalOf(this.of(request))
  }

  /** Reads the keys of JWTs again; false where there are none. */
  reloadKeys(): boolean {
    this.#jwt?.reload()
    this.version += 1
    if (this.#jwt !== undefined) this.#endRevoked()
    return this.#jwt !== undefined
  }

  /** To be called when a token has been changed by this request. */
  async changed(by: object): Promise<void> {
    // The change has been committed, whatever becomes of this look: then the next request makes one.
    await this.lookAgain().catch(() => {
      this.#lookedMs = Number.NEGATIVE_INFINITY
    })
    this.#endRevoked(by)
  }

  /** Reads the tokens, if they have changed. Rejects as a read does. */
  async lookAgain(): Promise<void> {
    const lookedMs = this.#clock.monotonicMs()
    // The snapshot reads the catalog, so the newest grants on tables are known here, whoever has changed them.
    await inSnapshot(this.#storage, undefined, async ({ transaction }) => {
      const version = await readAccessVersion(transaction)
      if (version <= this.#readVersion) return
      this.#know(version, {
        tokens: await readAccessTokens(transaction),
        roles: await readAccessRoles(transaction),
        cursorSecret: await readAccessSecret(transaction, 'cursor'),
        blocks: await readAccessBlocks(transaction, this.#clock.wallMicros()),
      })
    })
    this.#lookedMs = lookedMs
  }

  /** Of two looks at once the older one may end last. */
  #know(version: Timestamp, { tokens, roles, blocks, cursorSecret }: AccessKnown): void {
    if (version <= this.#readVersion) return
    this.#tokens.know(tokens)
    this.#roles.know(roles)
    this.#jwt?.know(blocks)
    this.cursorSecrets.know(cursorSecret)
    this.#readVersion = version
    this.version += 1
    for (const listener of this.#changeListeners) listener()
  }

  /**
   * Undefined where nobody else can have changed a token, or the last look is not long ago. Where requests follow each
   * other, the next look is begun before it is due, and none of them waits for it.
   */
  lookIfDue(): Promise<void> | undefined {
    const hasLooked = this.#lookedMs !== Number.NEGATIVE_INFINITY
    if (hasLooked && !this.#storage.isShared) return undefined
    const ageMs = this.#clock.monotonicMs() - this.#lookedMs
    const dueMs = this.#mode === 'off' ? OPEN_LOOK_MS : ACCESS_LOOK_MS
    if (ageMs < dueMs / 2) return undefined
    this.#look ??= this.lookAgain().finally(() => {
      this.#look = undefined
    })
    if (ageMs >= dueMs) return this.#look
    this.#look.catch(() => {}) // Who waits for it later is told.
    return undefined
  }
}

type AccessKnown = {
  readonly tokens: readonly AccessToken[]
  readonly roles: readonly AccessRole[]
  readonly blocks: readonly AccessBlock[]
  readonly cursorSecret: AccessSecret | undefined
}

/** Ends what is open of those who may not go on, but for this request. */
type EndRevoked = (but?: object) => void

type ClientOf = (request: IncomingMessage) => ClientKey

type AccessDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Logger
  /** `off`: whoever reaches the server is let in, whatever the store says. */
  readonly mode: AccessMode | 'off'
  /** The tokens of an issuer that are taken as well. */
  readonly jwt?: JwtTokens | undefined
  readonly cursorSecrets: CursorSecrets
}

/** On a request that was admitted: to look it up elsewhere would cost as much as a part of its hash. */
const PRINCIPAL = Symbol('principal')
const ADMITTED_AT = Symbol('admittedAt')
type Admitted = IncomingMessage & { [PRINCIPAL]?: Principal; [ADMITTED_AT]?: number }

const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/i
