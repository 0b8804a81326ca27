// SPDX-License-Identifier: Apache-2.0
import { quoted } from '../page/statements/sql-text.ts'

/** A statement that is shown before it is sent, and what it does. */
export type AccessStatement = { readonly sql: string; readonly meaning: string }

export const TABLE_RIGHTS = ['READ', 'WRITE', 'OBSERVE'] as const
export const SERVER_RIGHTS = ['DEFINE', 'INSPECT', 'FOLLOW', 'ADMIN'] as const

/** On what a right is: the server, all tables, or one of them. */
export type Scope = { readonly kind: 'server' | 'all tables' } | { readonly table: string }

/** As SHOW GRANTS has it. */
export type Grant = {
  readonly role: string
  readonly right: string
  readonly scope: string
  readonly table: string | null
  readonly rule: string | null
  readonly by: string | null
}

export function createToken(
  { name, role, days }: { readonly name: string; readonly role: string; readonly days: number },
  isFirst: boolean,
): AccessStatement {
  const closes = isFirst
    ? ' It is the first one: from then on every client needs a token, and this page asks for one.'
    : ''
  return {
    sql: `CREATE TOKEN ${quoted(name)} ROLE ${quoted(role)} EXPIRES IN ${days} DAYS`,
    meaning: `The token is shown this once.${closes}`,
  }
}

export function rotateToken(name: string): AccessStatement {
  return {
    sql: `ROTATE TOKEN ${quoted(name)} KEEP 1 HOUR`,
    meaning: 'There is a new secret, shown this once. The one from before counts for an hour.',
  }
}

export function dropToken(name: string): AccessStatement {
  return {
    sql: `DROP TOKEN ${quoted(name)}`,
    meaning: 'It counts no more. What is open by it ends within about a second.',
  }
}

export function createRole(role: string, isForJwt: boolean): AccessStatement {
  return {
    sql: `CREATE ROLE ${quoted(role)}${isForJwt ? ' FOR JWT' : ''}`,
    meaning: 'It may do nothing until it is granted rights.',
  }
}

export function dropRole(role: string): AccessStatement {
  return {
    sql: `DROP ROLE ${quoted(role)}`,
    meaning: 'It is refused while a token has the role, or a table names it.',
  }
}

export function grantOf(
  role: string,
  rights: readonly string[],
  scope: Scope,
  rule: string,
): AccessStatement {
  const condition = 'table' in scope && rule.trim() !== '' ? ` WHERE ${rule.trim()}` : ''
  const meaning =
    condition === ''
      ? 'It counts at once, for every holder of the role.'
      : 'It counts at once. Several rules of one right are alternatives: a row has to meet one of them.'
  return {
    sql: `GRANT ${rights.join(', ')}${onWhat(scope)} TO ${quoted(role)}${condition}`,
    meaning,
  }
}

export function revokeOf({ role, right, scope, table }: Grant): AccessStatement {
  const on: Scope =
    table === null ? { kind: scope === 'all tables' ? 'all tables' : 'server' } : { table }
  return {
    sql: `REVOKE ${right}${onWhat(on)} FROM ${quoted(role)}`,
    meaning:
      table === null
        ? 'It counts for each statement and frame that begins after it.'
        : 'It takes back all rules of this right on the table, for what begins after it.',
  }
}

function onWhat(scope: Scope): string {
  if ('table' in scope) return ` ON ${quoted(scope.table)}`
  return scope.kind === 'server' ? '' : ' ON ALL TABLES'
}
