// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { endOfPrefix, systemRowKey } from '../cell-store/row-key.ts'
import { StorageError } from '../errors.ts'
import { InvariantViolation } from '../invariant.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { rowsOfBatches } from '../transaction/protocol/row-batches.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** The role that is always there and may do everything. */
export const ADMIN_ROLE = 'admin'

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

const COLUMN = '0'
const TOKENS = systemRowKey('access/token/')
/** Written by each change, so that of two at once one conflicts, and that one look tells whether there was any. */
const VERSION = systemRowKey('access/version')

type Reads = Pick<Transaction, 'getRow' | 'scanBatches'>
type Writes = Reads & Pick<Transaction, 'put' | 'delete' | 'requireRoom'>

/** The commit timestamp of the newest change of tokens at the transaction's snapshot; 0 when there was none. */
export async function readAccessVersion(transaction: Pick<Reads, 'getRow'>): Promise<Timestamp> {
  const row = await transaction.getRow(VERSION, [COLUMN])
  return row?.columns.get(COLUMN)?.commitTs ?? 0
}

/** All tokens, by name. */
export async function readAccessTokens(
  transaction: Pick<Reads, 'scanBatches'>,
): Promise<AccessToken[]> {
  const tokens: AccessToken[] = []
  const end = endOfPrefix(TOKENS) as Uint8Array
  const range = { start: TOKENS, end, columns: [COLUMN] }
  for await (const { columns } of rowsOfBatches(transaction.scanBatches(range))) {
    tokens.push(decoded(columns.get(COLUMN)?.value))
  }
  return tokens.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Throws StorageError `already_exists`, `limit_exceeded`. */
export async function createAccessToken(transaction: Writes, token: AccessToken): Promise<void> {
  transaction.requireRoom()
  const tokens = await readAccessTokens(transaction)
  if (tokens.some(({ name }) => name === token.name)) {
    throw new StorageError('already_exists', `There is a token ${token.name} already.`, {
      token: token.name,
    })
  }
  if (tokens.length >= STORAGE_LIMITS.accessTokensMax) {
    throw new StorageError('limit_exceeded', 'There are too many tokens.', {
      limit: 'accessTokensMax',
      limitValue: STORAGE_LIMITS.accessTokensMax,
      actual: tokens.length + 1,
    })
  }
  write(transaction, token)
}

/** The token of this name as it is after the change. Throws StorageError `unknown_token`. */
export async function changeAccessToken(
  transaction: Writes,
  name: string,
  change: (token: AccessToken) => AccessToken,
): Promise<AccessToken> {
  transaction.requireRoom()
  const changed = change(named(await readAccessTokens(transaction), name))
  write(transaction, changed)
  return changed
}

/**
 * Throws StorageError `unknown_token`, and `last_admin_token` where nobody would be left at `now` who may make another
 * one.
 */
export async function dropAccessToken(
  transaction: Writes,
  name: string,
  now: Timestamp,
): Promise<void> {
  const tokens = await readAccessTokens(transaction)
  const dropped = named(tokens, name)
  const isAdmin = ({ role, expires }: AccessToken) => role === ADMIN_ROLE && expires > now
  const isNeeded = isAdmin(dropped) && tokens.filter(isAdmin).length === 1
  if (isNeeded) {
    throw new StorageError(
      'last_admin_token',
      `${name} is the last valid token of the role ${ADMIN_ROLE}: make another one before.`,
      { token: name },
    )
  }
  transaction.delete(keyOf(dropped.id), COLUMN)
  transaction.put(VERSION, COLUMN, new Uint8Array())
}

function named(tokens: readonly AccessToken[], name: string): AccessToken {
  const token = tokens.find((each) => each.name === name)
  if (token !== undefined) return token
  throw new StorageError('unknown_token', `There is no token ${name}.`, { token: name })
}

function write(transaction: Pick<Writes, 'put'>, token: AccessToken): void {
  transaction.put(keyOf(token.id), COLUMN, Buffer.from(JSON.stringify(token), 'utf8'))
  transaction.put(VERSION, COLUMN, new Uint8Array())
}

function keyOf(id: string): Uint8Array {
  return Buffer.concat([TOKENS, Buffer.from(id, 'latin1')])
}

function decoded(value: Uint8Array | undefined): AccessToken {
  const token: unknown = JSON.parse(Buffer.from(value ?? []).toString('utf8'))
  if (isToken(token)) return token
  throw new InvariantViolation('T3', { damaged: 'access token' })
}

function isToken(token: unknown): token is AccessToken {
  const { id, name, role, hash, created, expires } = (token ?? {}) as Partial<AccessToken>
  const isText = [id, name, role, hash].every((text) => typeof text === 'string')
  return isText && Number.isSafeInteger(created) && Number.isSafeInteger(expires)
}
