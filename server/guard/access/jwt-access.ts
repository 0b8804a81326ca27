// SPDX-License-Identifier: Apache-2.0
import type { JwtIssuer } from '../../../planner/planner.ts'
import type { Clock, MaybePromise } from '../../../storage/storage.ts'
import type { AccessBlock } from '../../../storage/tables/access/access.ts'
import { JWT_LIFE_MICROS_MAX, JWT_SUBJECT_BYTES_MAX, type JwtTokens } from './jwt-tokens.ts'
import type { Principal } from './principal.ts'
import type { RoleViews } from './role-views.ts'

/** Which users of an application are let in: those whose JWT counts, its role and its subject too. */
export class JwtAccess {
  readonly #tokens: JwtTokens
  readonly #roles: RoleViews
  readonly #clock: Clock
  /** By the ids of principals. */
  #blocks: ReadonlyMap<string, AccessBlock> = new Map()

  constructor(tokens: JwtTokens, roles: RoleViews, clock: Clock) {
    this.#tokens = tokens
    this.#roles = roles
    this.#clock = clock
  }

  get issuer(): JwtIssuer {
    return {
      issuer: this.#tokens.issuer,
      subjectBytesMax: JWT_SUBJECT_BYTES_MAX,
      lifeMicrosMax: JWT_LIFE_MICROS_MAX,
    }
  }

  /** The blocks have been read anew. */
  know(blocks: readonly AccessBlock[]): void {
    const { issuer } = this.#tokens
    const own = blocks.filter((block) => block.issuer === issuer)
    this.#blocks = new Map(own.map((block) => [this.#tokens.idOf(block.subject), block]))
  }

  /** Whose JWT it is, which may not count; undefined where it is none. Rejects with ServerError `token_expired`. */
  principalOf(text: string): MaybePromise<Principal | undefined> {
    return this.#tokens.known(text) ?? this.#tokens.verify(text)
  }

  /** Whether its key is still one, its role one that a JWT may claim, and its subject not blocked since. */
  counts(principal: Principal): boolean {
    if (!this.#tokens.hasKeyOf(principal) || !this.#roles.isForJwt(principal.role)) return false
    const block = this.#blocks.get(principal.id)
    if (block === undefined || block.expires <= this.#clock.wallMicros()) return true
    return (principal.issued ?? 0) > block.from
  }

  /** Reads the keys again. */
  reload(): void {
    this.#tokens.keys.reload()
  }

  stop(): void {
    this.#tokens.keys.stop()
  }
}
