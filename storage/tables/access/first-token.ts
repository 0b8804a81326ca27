// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../errors.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { ADMIN_ROLE } from '../rights.ts'
import { AccessRows, type AccessWrites } from './access-rows.ts'
import {
  type AccessToken,
  changeAccessToken,
  createAccessToken,
  isAdmin,
  readAccessTokens,
} from './access-tokens.ts'

/** A token as its text tells it. */
export type ShownToken = Pick<AccessToken, 'id' | 'hash'>

const NAME = 'first'
const LIFE_MICROS = 24 * 3_600_000_000

/**
 * The tokens that came from a file, by their ids, and stay after them:
 *
 *     access/first/<id>      a token of `takeFirstToken`
 *
 * The file may lie there for years. Who drops or rotates its token means that: no later start brings it back.
 */
const ROWS = new AccessRows('first', isFirst)

/**
 * Makes the token of a file one of the role `admin`, for 24 hours; one that has expired counts again for as long.
 * Resolves to whether it counts now: false where another token of an administrator does, and then nothing is changed.
 * Rejects with StorageError `invalid_definition` where it was dropped, rotated or made for another role, and
 * `limit_exceeded`.
 */
export async function takeFirstToken(
  transaction: AccessWrites & Pick<Transaction, 'now'>,
  { id, hash }: ShownToken,
): Promise<boolean> {
  const { now } = transaction
  const tokens = await readAccessTokens(transaction)
  const known = tokens.find((token) => token.id === id)
  const admins = tokens.filter((token) => isAdmin(token, now))
  if (admins.length > 0) return known !== undefined && admins.includes(known) && known.hash === hash
  const expires = now + LIFE_MICROS
  if (known !== undefined) {
    if (known.role !== ADMIN_ROLE)
      throw refused(`has the role ${known.role}, and not ${ADMIN_ROLE}`)
    if (known.hash !== hash) throw refused('was rotated away')
    await changeAccessToken(transaction, known.name, (before) => ({ ...before, expires }))
  } else {
    const taken = await ROWS.read(transaction)
    if (taken.some((each) => each.id === id)) throw refused('was dropped')
    const name = freeName(tokens)
    await createAccessToken(transaction, {
      id,
      name,
      role: ADMIN_ROLE,
      hash,
      created: now,
      expires,
    })
    ROWS.write(transaction, id, { id })
  }
  return true
}

/** Of all tokens; those that have expired have one, too. */
function freeName(tokens: readonly AccessToken[]): string {
  const taken = new Set(tokens.map(({ name }) => name))
  let name = NAME
  for (let number = 2; taken.has(name); number += 1) name = `${NAME}_${number}`
  return name
}

function refused(what: string): StorageError {
  return new StorageError('invalid_definition', `its token ${what}`)
}

function isFirst(row: unknown): row is { readonly id: string } {
  return typeof (row as { id?: unknown } | null)?.id === 'string'
}
