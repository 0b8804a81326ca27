// SPDX-License-Identifier: Apache-2.0

import {
  dayOf,
  readAccessBlocks,
  readAccessRoles,
  readAccessTokens,
  readRoleWritten,
  requireAccessRole,
} from '../../storage/tables/access/access.ts'
import { ADMIN_ROLE } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { limitsText } from '../limits-text.ts'
import type {
  ExecutionContext,
  StatementResult,
  StatementTransaction,
} from './rows/execution-context.ts'
import { shownTable } from './shown-table.ts'

type ShowContext = Pick<ExecutionContext, 'transaction' | 'functions'>

/** SHOW TOKENS: one row for each token by name, never a secret or its hash. */
export async function showTokens(transaction: StatementTransaction): Promise<StatementResult> {
  const tokens = await readAccessTokens(transaction)
  const rows = tokens.map(({ name, id, role, created, expires, former }): SqlValue[] => [
    name,
    id,
    role,
    BigInt(created),
    BigInt(expires),
    former === undefined ? null : BigInt(former.until),
  ])
  return shownTable(
    'name TEXT, id TEXT, role TEXT, created TIMESTAMP, expires TIMESTAMP, formerUntil TIMESTAMP',
    rows,
  )
}

/** SHOW BLOCKS: one row for each subject whose older JWTs are refused now, by issuer and subject. */
export async function showBlocks({
  transaction,
  functions,
}: ShowContext): Promise<StatementResult> {
  const blocks = await readAccessBlocks(transaction, Number(functions.now))
  const rows = blocks.map(({ subject, issuer, from, expires }): SqlValue[] => [
    subject,
    issuer,
    BigInt(from),
    BigInt(expires),
  ])
  return shownTable('subject TEXT, issuer TEXT, issuedUntil TIMESTAMP, expires TIMESTAMP', rows)
}

/** SHOW ROLES: one row for each role by name, `admin` first; with what it has written today where that is limited. */
export async function showRoles({ transaction, functions }: ShowContext): Promise<StatementResult> {
  const admin = { name: ADMIN_ROLE, isForJwt: false, limits: undefined }
  const roles = [admin, ...(await readAccessRoles(transaction))]
  const tokens = await readAccessTokens(transaction)
  const counts = await readRoleWritten(transaction)
  const today = dayOf(Number(functions.now))
  const writtenBy = (role: string) => {
    const count = counts.get(role)
    return BigInt(count?.day === today ? count.bytes : 0)
  }
  const rows = roles.map(({ name, isForJwt, limits }): SqlValue[] => [
    name,
    isForJwt,
    BigInt(tokens.filter(({ role }) => role === name).length),
    limitsText(limits),
    limits?.written === undefined ? null : writtenBy(name),
  ])
  return shownTable(
    'role TEXT, jwt BOOLEAN, tokens INTEGER, limits TEXT, writtenToday INTEGER',
    rows,
  )
}

/** Whose rights SHOW GRANTS tells: those of one role, or of all. */
type GrantsAsked = { readonly role?: { readonly text: string } }

/**
 * SHOW GRANTS: one row for each right, those on the whole server first, then those on all tables, then by table. Who
 * may not see those of others sees its own. Throws StorageError `unknown_role`.
 */
export async function showGrants(
  { role: asked }: GrantsAsked,
  { transaction, catalog }: Pick<ExecutionContext, 'transaction' | 'catalog'>,
): Promise<StatementResult> {
  const { rights } = catalog
  if (asked !== undefined) await requireAccessRole(transaction, asked.text)
  const only = asked?.text ?? (rights.may('admin') ? undefined : rights.role)
  const isAsked = (role: string) => only === undefined || only === role
  const roles = (await readAccessRoles(transaction)).filter(({ name }) => isAsked(name))
  const rows: SqlValue[][] = []
  if (isAsked(ADMIN_ROLE)) rows.push([ADMIN_ROLE, 'ADMIN', 'server', null, null, null])
  for (const { name, server } of roles) {
    for (const right of server) rows.push([name, right.toUpperCase(), 'server', null, null, null])
  }
  for (const { name, allTables } of roles) {
    for (const right of allTables)
      rows.push([name, right.toUpperCase(), 'all tables', null, null, null])
  }
  for (const table of catalog.tables()) {
    for (const { role, right, rule } of table.grants) {
      const kept = rule === undefined ? [null, null] : [rule.text, rule.isByKey ? 'key' : 'row']
      if (isAsked(role)) rows.push([role, right.toUpperCase(), 'table', table.name, ...kept])
    }
  }
  return shownTable('role TEXT, right TEXT, scope TEXT, table TEXT, rule TEXT, by TEXT', rows)
}
