// SPDX-License-Identifier: Apache-2.0
import { timingSafeEqual } from 'node:crypto'
import type { Clock, Timestamp } from '../../../storage/storage.ts'
import { type AccessToken, hashOfToken, idOfToken } from '../../../storage/tables/access/access.ts'
import type { Principal } from './principal.ts'

/** The tokens of this store, as they were read last. */
export class OwnTokens {
  readonly #clock: Pick<Clock, 'wallMicros'>
  #tokens: ReadonlyMap<string, AccessToken> = new Map()
  /** By the hash of what was shown, so that who comes often is made once; of those that hold. */
  readonly #found = new Map<string, Principal>()

  constructor(clock: Pick<Clock, 'wallMicros'>) {
    this.#clock = clock
  }

  /** How many there are, those that have expired included. */
  get size(): number {
    return this.#tokens.size
  }

  /** They have been read anew. */
  know(tokens: readonly AccessToken[]): void {
    this.#tokens = new Map(tokens.map((token) => [token.id, token]))
    this.#found.clear()
  }

  /** Whose token the text is, which may have expired; undefined where it is none. */
  principalOf(text: string): Principal | undefined {
    const id = idOfToken(text)
    if (id === undefined) return undefined
    const token = this.#tokens.get(id)
    const hash = hashOfToken(text)
    // Also for an unknown id, so that both cost the same work.
    const holds = this.#holds(token ?? NOBODY, hash)
    if (token === undefined || !holds) return undefined
    const known = this.#found.get(hash)
    if (known !== undefined) return known
    const { role, expires, name } = token
    const found = { id: `token:${id}`, role, tokenId: id, hash, expires, claims: { sub: name } }
    this.#found.set(hash, found)
    return found
  }

  /** Undefined where there is none of this id; it may have expired. */
  byId(id: string | undefined): AccessToken | undefined {
    return id === undefined ? undefined : this.#tokens.get(id)
  }

  /** The token of a principal, as it is now; undefined where that holds no more. */
  of({ tokenId, hash }: Principal): AccessToken | undefined {
    const token = this.#tokens.get(tokenId ?? '')
    return token !== undefined && this.#holds(token, hash) ? token : undefined
  }

  /** Until when its text is taken; undefined where it is not. */
  holdsUntil(principal: Principal): Timestamp | undefined {
    const token = this.of(principal)
    if (token === undefined) return undefined
    const { hash, former = ENDED, expires } = token
    return hash === principal.hash ? expires : Math.min(former.until, expires)
  }

  /** Compares twice, whatever there is: the work does not tell which ids there are, nor that one is being rotated. */
  #holds({ hash: kept, former = ENDED }: KeptHashes, hash: string): boolean {
    const isNow = isSame(kept, hash)
    const wasBefore = isSame(former.hash, hash)
    return isNow || (wasBefore && former.until > this.#clock.wallMicros())
  }
}

type KeptHashes = Pick<AccessToken, 'hash' | 'former'>
const NOBODY = { hash: '0'.repeat(64) }
const ENDED = { ...NOBODY, until: 0 }

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'))
}
