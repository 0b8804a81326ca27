// SPDX-License-Identifier: Apache-2.0
import { type JWTPayload, errors as joseErrors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Claims } from '../../../planner/planner.ts'
import type { Clock } from '../../../storage/storage.ts'
import { hashOfToken } from '../../../storage/tables/access/access.ts'
import type { JwtKeys } from './jwt-keys.ts'
import { expired, type Principal } from './principal.ts'

/** Whose JWTs are taken, and where they say their role. */
export type JwtRules = {
  readonly issuer: string
  readonly audience: string
  readonly roleClaim: string
}

/** No secret that both sides have, and none of those that were given up. */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'RS256', 'PS256']
const TYPES = new Set([undefined, 'jwt', 'at+jwt'])
const LIFE_SECONDS_MAX = 24 * 3_600
const TOLERANCE_SECONDS = 5
const CLAIMS_MAX = 32
const CLAIM_BYTES_MAX = 1_024
export const JWT_SUBJECT_BYTES_MAX = 256
const CACHE_MAX = 10_000
/** After that a token is verified again, with the keys as they are then. */
const CACHE_MS = 600_000
const SECOND_MS = 1_000
const SECOND_MICROS = 1_000_000
/** After that none counts that had been issued. */
export const JWT_LIFE_MICROS_MAX = (LIFE_SECONDS_MAX + TOLERANCE_SECONDS) * SECOND_MICROS

/** What every token has of its own; rules ask for what holds for its holder. */
const OF_TOKEN = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce', 'auth_time'])

/** Tells whose JWTs they are (RFC 7519), for those of one issuer. */
export class JwtTokens {
  readonly #rules: JwtRules
  readonly keys: JwtKeys
  readonly #clock: Clock
  /** Of those that were verified: it takes about seventy times as long as to find one here. */
  readonly #verified: LRUCache<string, Principal>
  #version = 0

  constructor(rules: JwtRules, keys: JwtKeys, clock: Clock) {
    this.#rules = rules
    this.keys = keys
    this.#clock = clock
    this.#verified = new LRUCache({
      max: CACHE_MAX,
      ttl: CACHE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    })
  }

  get issuer(): string {
    return this.#rules.issuer
  }

  /** The id of a subject's principal. */
  idOf(subject: string): string {
    return `jwt:${this.issuer}|${subject}`
  }

  /** Whose token it is, if it was verified not long ago. */
  known(text: string): Principal | undefined {
    if (this.#version !== this.keys.version) {
      this.#verified.clear()
      this.#version = this.keys.version
    }
    return this.#verified.get(hashOfToken(text))
  }

  /** Whose token it is; undefined where it is none that counts. Rejects with ServerError `token_expired`. */
  async verify(text: string): Promise<Principal | undefined> {
    const { issuer, audience, roleClaim } = this.#rules
    const version = this.keys.version
    try {
      const { payload, protectedHeader } = await jwtVerify(text, this.keys.find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_SECONDS,
        maxTokenAge: LIFE_SECONDS_MAX,
        requiredClaims: ['sub', 'exp', 'iat', roleClaim],
        currentDate: new Date(this.#clock.wallMicros() / (SECOND_MICROS / SECOND_MS)),
      })
      const { kid, typ } = protectedHeader
      if (!TYPES.has(typ?.toLowerCase())) return undefined
      const principal = this.#principalOf(text, payload, kid)
      if (principal !== undefined && version === this.keys.version) {
        this.#verified.set(principal.hash, principal)
      }
      return principal
    } catch (error) {
      if (!(error instanceof joseErrors.JWTExpired)) return undefined
      throw expired({ expires: Number(error.payload.exp) * SECOND_MICROS })
    }
  }

  /** Whether the key that the token was signed with is still one. */
  hasKeyOf({ jwtKey }: Principal): boolean {
    if (jwtKey === undefined) return false
    const { version, text, id } = jwtKey
    return version === this.keys.version || (text !== undefined && this.keys.keyText(id) === text)
  }

  #principalOf(text: string, payload: JWTPayload, kid: string | undefined): Principal | undefined {
    const { roleClaim } = this.#rules
    const { sub, exp = 0, iat = 0 } = payload
    const role = payload[roleClaim]
    const isSubject = typeof sub === 'string' && sub !== '' && isShort(sub, JWT_SUBJECT_BYTES_MAX)
    if (!isSubject || typeof role !== 'string' || exp - iat > LIFE_SECONDS_MAX) return undefined
    return {
      id: this.idOf(sub),
      role,
      hash: hashOfToken(text),
      issued: Math.floor(iat) * SECOND_MICROS,
      expires: exp * SECOND_MICROS,
      claims: claimsOf(payload),
      jwtKey: { version: this.keys.version, id: kid, text: this.keys.keyText(kid) },
    }
  }
}

/** Only what rules can ask for: short values, of names that a rule can have. */
function claimsOf(payload: JWTPayload): Claims {
  const claims: Record<string, string | number | boolean> = Object.create(null)
  const kept = Object.entries(payload).filter(([name, value]) => {
    if (OF_TOKEN.has(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return false
    const isText = typeof value === 'string' && isShort(value, CLAIM_BYTES_MAX)
    return isText || typeof value === 'number' || typeof value === 'boolean'
  })
  // The subject is one of them, wherever it stands.
  kept.sort(([one], [other]) => Number(other === 'sub') - Number(one === 'sub'))
  for (const [name, value] of kept.slice(0, CLAIMS_MAX)) claims[name] = value as string
  return claims
}

function isShort(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) <= bytes
}
