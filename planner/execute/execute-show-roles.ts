// SPDX-License-Identifier: Apache-2.0
import {
  ADMIN_ROLE,
  type Catalog,
  readAccessRoles,
  readAccessTokens,
  requireAccessRole,
  type SqlValue,
} from '../../storage/storage.ts'
import { limitsText } from '../limits-text.ts'
import type { StatementResult, StatementTransaction } from './rows/execution-context.ts'

/** SHOW ROLES: one row for each role by name, `admin` first. */
export async function showRoles(transaction: StatementTransaction): Promise<StatementResult> {
  const admin = { name: ADMIN_ROLE, isForJwt: false, limits: undefined }
  const roles = [admin, ...(await readAccessRoles(transaction))]
  const tokens = await readAccessTokens(transaction)
  const rows = roles.map(({ name, isForJwt, limits }): SqlValue[] => [
    name,
    isForJwt,
    BigInt(tokens.filter(({ role }) => role === name).length),
    limitsText(limits),
  ])
  const columns = [
    { name: 'role', type: 'TEXT' },
    { name: 'jwt', type: 'BOOLEAN' },
    { name: 'tokens', type: 'INTEGER' },
    { name: 'limits', type: 'TEXT' },
  ] as const
  return { columns, rows, rowsAffected: 0 }
}

/** Whose rights SHOW GRANTS tells: those of one role, or of all. */
type GrantsAsked = { readonly role?: { readonly text: string } }

/**
 * SHOW GRANTS: one row for each right, those on the whole server first, then those on all tables, then by table. Who
 * may not see those of others sees its own. Throws StorageError `unknown_role`.
 */
export async function showGrants(
  { role: asked }: GrantsAsked,
  { transaction, catalog }: { transaction: StatementTransaction; catalog: Catalog },
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
  const columns = [
    { name: 'role', type: 'TEXT' },
    { name: 'right', type: 'TEXT' },
    { name: 'scope', type: 'TEXT' },
    { name: 'table', type: 'TEXT' },
    { name: 'rule', type: 'TEXT' },
    { name: 'by', type: 'TEXT' },
  ] as const
  return { columns, rows, rowsAffected: 0 }
}
