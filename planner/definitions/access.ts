// SPDX-License-Identifier: Apache-2.0
import type { AccessStatement, Duration, Name } from '../../parser/ast.ts'
import {
  type AccessToken,
  ADMIN_ROLE,
  changeAccessToken,
  createAccessToken,
  dropAccessToken,
  StorageError,
  type Timestamp,
  type Transaction,
} from '../../storage/storage.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { PlanError } from '../plan-error.ts'

const MINUTE_MICROS = 60_000_000
/** A year and a day: a token that nobody needs any more ends by itself. */
const MINUTES_MAX = 366n * 24n * 60n

/** The text of a new token, its id and the hash that is kept of it. */
export type NewTokenText = { readonly id: string; readonly text: string; readonly hash: string }

type AccessContext = {
  readonly transaction: Transaction
  /** Of a new token, or of the one with this id. */
  readonly newText: (id?: string) => NewTokenText
}

/**
 * Runs a statement about tokens of access. CREATE and ROTATE answer one row with the token's text, which is shown
 * nowhere else. Throws PlanError and StorageError.
 */
export async function executeAccess(
  statement: AccessStatement,
  { transaction, newText }: AccessContext,
): Promise<StatementResult> {
  try {
    return await transaction.statement(async () => await run(statement, { transaction, newText }))
  } catch (error) {
    throw locatedIn(statement.token, error) ?? error
  }
}

async function run(
  statement: AccessStatement,
  { transaction, newText }: AccessContext,
): Promise<StatementResult> {
  const { kind, token } = statement
  const now = transaction.now
  switch (kind) {
    case 'createToken': {
      requireRole(statement.role)
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
      return DONE
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
      return DONE
  }
}

/** Throws PlanError `unknown_role`. */
function requireRole({ text, position }: Name): void {
  if (text === ADMIN_ROLE) return
  throw new PlanError('unknown_role', `There is no role ${text}.`, {
    position,
    hint: `The only role is ${ADMIN_ROLE}, which may do everything.`,
    fields: { role: text },
  })
}

/** Throws PlanError `out_of_range`. */
function after(now: Timestamp, { minutes, position }: Duration): Timestamp {
  if (minutes >= 1n && minutes <= MINUTES_MAX) return now + Number(minutes) * MINUTE_MICROS
  throw new PlanError('out_of_range', 'A token lives for a minute to 366 days.', { position })
}

function shown({ name, id, role, expires }: AccessToken, text: string): StatementResult {
  const columns = [
    { name: 'token', type: 'TEXT' },
    { name: 'name', type: 'TEXT' },
    { name: 'id', type: 'TEXT' },
    { name: 'role', type: 'TEXT' },
    { name: 'expires', type: 'TIMESTAMP' },
  ] as const
  return { columns, rows: [[text, name, id, role, BigInt(expires)]], rowsAffected: 1 }
}

const DONE: StatementResult = { columns: [], rows: [], rowsAffected: 1, text: 'OK' }

const CODES = ['already_exists', 'unknown_token', 'last_admin_token', 'limit_exceeded'] as const

/** Storage knows the name; here its place in the text is known as well. */
function locatedIn({ position }: Name, error: unknown): PlanError | undefined {
  if (!(error instanceof StorageError)) return undefined
  const code = CODES.find((each) => each === error.code)
  return code && new PlanError(code, error.message, { position, fields: error.fields })
}
