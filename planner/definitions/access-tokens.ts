// SPDX-License-Identifier: Apache-2.0
import type {
  AlterTokenStatement,
  CreateTokenStatement,
  DropTokenStatement,
  Duration,
  RotateTokenStatement,
} from '../../parser/ast.ts'
import type { Timestamp, Transaction } from '../../storage/storage.ts'
import {
  type AccessToken,
  changeAccessToken,
  createAccessToken,
  dropAccessToken,
  requireAccessRole,
} from '../../storage/tables/access/access.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { shownTable } from '../execute/shown-table.ts'
import { definitionResult } from './definition-result.ts'
import { endOf } from './duration.ts'

/** A year and a day: a token that nobody needs any more ends by itself. */
const MINUTES_MAX = 366n * 24n * 60n

/** The text of a new token, its id and the hash that is kept of it. */
export type NewTokenText = { readonly id: string; readonly text: string; readonly hash: string }

export type TokenContext = {
  readonly transaction: Transaction
  /** Of a new token, or of the one with this id. */
  readonly newText: (id?: string) => NewTokenText
}

type TokenStatement =
  | CreateTokenStatement
  | AlterTokenStatement
  | RotateTokenStatement
  | DropTokenStatement

/** CREATE and ROTATE answer one row with the token's text, which is shown nowhere else. Throws as `executeAccess`. */
export async function executeTokenStatement(
  statement: TokenStatement,
  { transaction, newText }: TokenContext,
): Promise<StatementResult> {
  const { kind, token } = statement
  const now = transaction.now
  switch (kind) {
    case 'createToken': {
      await requireAccessRole(transaction, statement.role.text)
      const expires = after(now, statement.expires)
      const { id, text, hash } = newText()
      const created = {
        id,
        name: token.text,
        role: statement.role.text,
        hash,
        created: now,
        expires,
      }
      await createAccessToken(transaction, created)
      return shown(created, text)
    }
    case 'alterToken': {
      const expires = after(now, statement.expires)
      await changeAccessToken(transaction, token.text, (before) => ({ ...before, expires }))
      return definitionResult(true)
    }
    case 'rotateToken': {
      const until = statement.keep === undefined ? undefined : after(now, statement.keep)
      let text = ''
      const rotated = await changeAccessToken(transaction, token.text, (before) => {
        const made = newText(before.id)
        text = made.text
        const { former: _, ...rest } = before
        const former = until === undefined ? {} : { former: { hash: before.hash, until } }
        return { ...rest, hash: made.hash, ...former }
      })
      return shown(rotated, text)
    }
    case 'dropToken':
      await dropAccessToken(transaction, token.text, now)
      return definitionResult(true)
  }
}

/** Throws PlanError `out_of_range`. */
function after(now: Timestamp, duration: Duration): Timestamp {
  const words = 'A token lives for a minute to 366 days.'
  return endOf(now, duration, { minutesMax: MINUTES_MAX, words })
}

function shown({ name, id, role, expires }: AccessToken, text: string): StatementResult {
  const rows = [[text, name, id, role, BigInt(expires)]]
  const columns = 'token TEXT, name TEXT, id TEXT, role TEXT, expires TIMESTAMP'
  return { ...shownTable(columns, rows), rowsAffected: 1 }
}
