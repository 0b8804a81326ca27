// SPDX-License-Identifier: Apache-2.0
import type { Claims } from '../../../planner/planner.ts'
import { type Timestamp, timeText } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { ClientKey } from '../budgets/client-key.ts'

/** Who asks: the holder of a token. */
export type Principal = {
  /**
   * `token:` and the public id of a token of this server; `jwt:`, its issuer and its subject; or `as:` and the id of
   * the token of an administrator who sees as the role. What it opens is its own, and no other's.
   */
  readonly id: string
  readonly role: string
  /** Of a token of this server. */
  readonly tokenId?: string
  /** Of an administrator who sees as the role: the id of the own token. */
  readonly impersonatedBy?: string
  /** Of a JWT: the begin of the second in which it was issued. */
  readonly issued?: Timestamp
  /** Of a JWT: the key that it was signed with, at this version of the keys. */
  readonly jwtKey?: {
    readonly version: number
    readonly id: string | undefined
    readonly text: string | undefined
  }
  /** The hash of the text that was shown, in hexadecimal digits: after a rotation an old one ends. */
  readonly hash: string
  readonly expires: Timestamp
  /** What rules may ask of it; of a token of this server its name, as `sub`. */
  readonly claims: Claims
}

/** Who sent something. Without a principal where none was asked for a token. */
export type Caller = {
  /** Whose share of a bound it takes from: the principal's, else that of its address. */
  readonly client: ClientKey
  readonly principal?: Principal | undefined
  /** Where it is; absent where `client` says that. */
  readonly addressOf?: () => ClientKey
}

/** The caller, by its address where it has shown no token: to ask for that takes longer than all else here. */
export function callerOf(principal: Principal | undefined, addressOf: () => ClientKey): Caller {
  return principal === undefined
    ? { client: addressOf() }
    : { client: principal.id as ClientKey, principal, addressOf }
}

/** One text for all reasons: nobody learns which part of a token is right. */
export function unauthenticated(): ServerError {
  return new ServerError(
    'unauthenticated',
    'This needs a valid token, in one header: Authorization: Bearer pct_….',
  )
}

export function expired({ expires }: { readonly expires: Timestamp }): ServerError {
  return new ServerError('token_expired', 'The token has expired.', {
    expiredAt: timeText(expires),
  })
}
