// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { limitExceeded, StorageError } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { compareText } from '../../values/sql-value.ts'
import { ADMIN_ROLE } from '../rights.ts'
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'

/** A token as it is kept: never its text, only the hash of it. */
export type AccessToken = {
  /** Ten characters, the public part of the token. */
  readonly id: string
  readonly name: string
  readonly role: string
  /** SHA-256 of the whole text, in hexadecimal digits. */
  readonly hash: string
  readonly created: Timestamp
  readonly expires: Timestamp
  /** The hash from before the last ROTATE, and until when it still counts. */
  readonly former?: { readonly hash: string; readonly until: Timestamp }
}

const ROWS = new AccessRows('token', isToken)

/** All tokens, by name. */
export async function readAccessTokens(
  transaction: Pick<AccessReads, 'scanBatches'>,
): Promise<AccessToken[]> {
  const tokens = await ROWS.read(transaction)
  return tokens.sort((a, b) => compareText(a.name, b.name))
}

/**
 * Throws StorageError `already_exists`, `limit_exceeded`, and `invalid_definition` for the first one of another role
 * than `admin`: from then on nobody would be let in who may make another.
 */
export async function createAccessToken(
  transaction: AccessWrites,
  token: AccessToken,
): Promise<void> {
  transaction.requireRoom()
  const tokens = await readAccessTokens(transaction)
  if (token.role !== ADMIN_ROLE && !tokens.some((each) => isAdmin(each, token.created))) {
    const message = `Make a token of the role ${ADMIN_ROLE} first: without one nobody could make another.`
    throw new StorageError('invalid_definition', message, { role: token.role })
  }
  if (tokens.some(({ name }) => name === token.name)) {
    throw new StorageError('already_exists', `There is a token ${token.name} already.`, {
      token: token.name,
    })
  }
  if (tokens.length >= STORAGE_LIMITS.accessTokensMax) {
    throw limitExceeded('accessTokensMax', tokens.length + 1, 'There are too many tokens.')
  }
  ROWS.write(transaction, token.id, token)
}

/** The token of this name as it is after the change. Throws StorageError `unknown_token`. */
export async function changeAccessToken(
  transaction: AccessWrites,
  name: string,
  change: (token: AccessToken) => AccessToken,
): Promise<AccessToken> {
  transaction.requireRoom()
  const changed = change(named(await readAccessTokens(transaction), name))
  ROWS.write(transaction, changed.id, changed)
  return changed
}

/**
 * Throws StorageError `unknown_token`, and `last_admin_token` where nobody would be left at `now` who may make another
 * one.
 */
export async function dropAccessToken(
  transaction: AccessWrites,
  name: string,
  now: Timestamp,
): Promise<void> {
  const tokens = await readAccessTokens(transaction)
  const dropped = named(tokens, name)
  const admins = tokens.filter((token) => isAdmin(token, now))
  const isNeeded = isAdmin(dropped, now) && admins.length === 1
  if (isNeeded) {
    throw new StorageError(
      'last_admin_token',
      `${name} is the last valid token of the role ${ADMIN_ROLE}: make another one before.`,
      { token: name },
    )
  }
  ROWS.delete(transaction, dropped.id)
}

/** Whether its holder may make other tokens, at `now`. */
export function isAdmin({ role, expires }: AccessToken, now: Timestamp): boolean {
  return role === ADMIN_ROLE && expires > now
}

function named(tokens: readonly AccessToken[], name: string): AccessToken {
  const token = tokens.find((each) => each.name === name)
  if (token !== undefined) return token
  throw new StorageError('unknown_token', `There is no token ${name}.`, { token: name })
}

function isToken(token: unknown): token is AccessToken {
  const { id, name, role, hash, created, expires } = (token ?? {}) as Partial<AccessToken>
  const isText = [id, name, role, hash].every((text) => typeof text === 'string')
  return isText && Number.isSafeInteger(created) && Number.isSafeInteger(expires)
}
