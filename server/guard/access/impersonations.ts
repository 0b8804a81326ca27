// SPDX-License-Identifier: Apache-2.0
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Claims } from '../../../planner/planner.ts'
import type { Clock, Randomness, Timestamp } from '../../../storage/storage.ts'
import { hashOfToken } from '../../../storage/tables/access/access.ts'
import { ADMIN_ROLE } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { CursorSecrets } from './cursor-secrets.ts'
import type { OwnTokens } from './own-tokens.ts'
import type { Principal } from './principal.ts'
import type { RoleViews } from './role-views.ts'

/** What each begins with. */
export const IMPERSONATION_PREFIX = 'pci_'
const SHAPE = /^pci_([\w-]+)\.([\w-]+)$/
/** Long enough to look at what a role sees. */
const LIFE_MICROS = 600_000_000
/** With other headers it fits into a request. */
const CHARACTERS_MAX = 4_096
const NONCE_BYTES = 12

/** Whom an administrator wants to see as: a role, and what its rules may ask. */
export type Impersonated = { readonly role: string; readonly claims: Claims }

type Signed = Impersonated & {
  /** The id of the token of the administrator. */
  readonly by: string
  readonly expires: Timestamp
  readonly nonce: string
}

type Dependencies = {
  readonly secrets: Pick<CursorSecrets, 'signing'>
  readonly tokens: OwnTokens
  readonly roles: RoleViews
  readonly clock: Pick<Clock, 'wallMicros'>
}

/**
 * Tokens by which an administrator sees what a role sees, and changes nothing. The server keeps none of them: all that
 * one says is in it, signed by a secret that lives with the store, so that each server over the store takes it.
 *
 *     pci_<what it says, as JSON>.<signature>
 */
export class Impersonations {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws ServerError `unknown_role`, and `invalid_request` where it would show nothing, or for long claims. */
  make(
    { role, claims }: Impersonated,
    by: Principal | undefined,
    randomness: Randomness,
  ): { readonly token: string; readonly expires: Timestamp } {
    const { roles, clock } = this.#deps
    if (by === undefined) throw invalid('The server is open to all, so no role counts.')
    if (by.tokenId === undefined)
      throw invalid('A JWT makes no such token; one of this server does.')
    if (role === ADMIN_ROLE) throw invalid('The role admin sees everything.')
    if (!roles.has(role))
      throw new ServerError('unknown_role', `There is no role ${role}.`, { role })
    const expires = clock.wallMicros() + LIFE_MICROS
    const nonce = Buffer.from(randomness.bytes(NONCE_BYTES)).toString('base64url')
    const signed: Signed = { role, claims, by: by.tokenId, expires, nonce }
    const body = Buffer.from(JSON.stringify(signed)).toString('base64url')
    const token = `${IMPERSONATION_PREFIX}${body}.${this.#signatureOf(body).toString('base64url')}`
    if (token.length <= CHARACTERS_MAX) return { token, expires }
    const detail = `With these claims a token has ${token.length} characters; at most ${CHARACTERS_MAX} are taken.`
    throw invalid(detail)
  }

  /** Whom the text lets in as long as it counts and has not expired; undefined where nothing here has signed it. */
  principalOf(text: string): Principal | undefined {
    const [, body = '', shown = ''] = SHAPE.exec(text) ?? []
    const signature = this.#signatureOf(body)
    const given = Buffer.from(shown, 'base64url')
    if (given.length !== signature.length || !timingSafeEqual(given, signature)) return undefined
    const json = Buffer.from(body, 'base64url').toString()
    const { role, claims, by, expires } = JSON.parse(json) as Signed
    // All of one administrator have one share together of what a client may have.
    return { id: `as:${by}`, role, impersonatedBy: by, hash: hashOfToken(text), expires, claims }
  }

  /** Whether it is of one who is an administrator still. */
  counts({ impersonatedBy }: Pick<Principal, 'impersonatedBy'>): boolean {
    const { tokens, roles, clock } = this.#deps
    const token = tokens.byId(impersonatedBy)
    if (token === undefined || token.expires <= clock.wallMicros()) return false
    return roles.may(token, 'admin')
  }

  #signatureOf(body: string): Buffer {
    const { signing } = this.#deps.secrets
    const key = createHmac('sha256', signing).update('signs impersonations').digest()
    return createHmac('sha256', key).update(body).digest()
  }
}

function invalid(detail: string): ServerError {
  return new ServerError('invalid_request', detail)
}
