// SPDX-License-Identifier: Apache-2.0
import type {
  AlterRoleStatement,
  CreateRoleStatement,
  DropRoleStatement,
  GrantStatement,
  RevokeStatement,
  Right,
} from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import {
  changeAccessRole,
  createAccessRole,
  dropAccessRole,
  grantOnTable,
  requireChangeableRole,
  revokeOnAllTables,
  revokeOnTable,
} from '../../storage/tables/access/access.ts'
import { type Catalog, SERVER_RIGHTS, TABLE_RIGHTS } from '../../storage/tables/tables.ts'
import { PlanError } from '../plan-error.ts'
import { requireTable } from '../unknown-name.ts'
import { withLimits } from './role-limits.ts'
import { ruleOf } from './row-rule.ts'

type RoleStatement =
  | CreateRoleStatement
  | AlterRoleStatement
  | DropRoleStatement
  | GrantStatement
  | RevokeStatement

type RoleContext = { readonly transaction: Transaction; readonly catalog: Catalog }

/** Whether anything changed. Throws as `executeAccess`. */
export async function executeRoleStatement(
  statement: RoleStatement,
  context: RoleContext,
): Promise<boolean> {
  const { transaction, catalog } = context
  const role = statement.role.text
  switch (statement.kind) {
    case 'createRole':
      await createAccessRole(transaction, { name: role, isForJwt: statement.isForJwt })
      return true
    case 'alterRole':
      return await changeAccessRole(transaction, role, (before) =>
        withLimits(before, statement.limits),
      )
    case 'dropRole':
      await dropAccessRole(transaction, catalog, role)
      return true
    case 'grant':
    case 'revoke':
      return await changeRights(statement, context)
  }
}

async function changeRights(
  statement: GrantStatement | RevokeStatement,
  { transaction, catalog }: RoleContext,
): Promise<boolean> {
  const { kind, on } = statement
  const role = statement.role.text
  await requireChangeableRole(transaction, role)
  const change = kind === 'grant' ? added : taken
  if (kind === 'grant') requireRowsFor(statement)
  if (on === undefined) {
    const rights = rightsAmong(SERVER_RIGHTS, statement)
    return await changeAccessRole(transaction, role, (before) => ({
      ...before,
      server: change(SERVER_RIGHTS, before.server, rights),
    }))
  }
  const rights = rightsAmong(TABLE_RIGHTS, statement)
  if (on === 'allTables') {
    if (kind === 'revoke') return await revokeOnAllTables(transaction, catalog, { role, rights })
    return await changeAccessRole(transaction, role, (before) => ({
      ...before,
      allTables: added(TABLE_RIGHTS, before.allTables, rights),
    }))
  }
  const table = requireTable(catalog, on)
  const asked = { table: table.name, role, rights }
  if (kind === 'revoke') return await revokeOnTable(transaction, catalog, asked)
  const rule = ruleOf(statement, table)
  return await grantOnTable(transaction, catalog, { ...asked, ...(rule && { rule }) })
}

/** Throws PlanError for a rule that has no rows. */
function requireRowsFor({ where, on, rights }: GrantStatement): void {
  if (where === undefined) return
  const { position } = where
  if (on === undefined || on === 'allTables') {
    throw new PlanError('invalid_request', 'A rule is about the rows of one table.', {
      position,
      hint: 'GRANT … ON table TO role WHERE …',
    })
  }
  const observe = rights.find(({ name }) => name === 'observe')
  if (observe === undefined) return
  throw new PlanError('invalid_request', 'OBSERVE is about all rows of a table.', {
    position: observe.position,
    hint: 'Notifications name any row: GRANT OBSERVE without WHERE, beside READ without WHERE.',
  })
}

/** The rights of the statement; ALL is all that there are in this place. Throws PlanError for one of another place. */
function rightsAmong<R extends Right['name']>(
  known: readonly R[],
  { rights }: GrantStatement | RevokeStatement,
): readonly R[] {
  if (rights === 'all') return known
  return rights.map(({ name, position }) => {
    const right = known.find((each) => each === name)
    if (right !== undefined) return right
    const isOfTables = TABLE_RIGHTS.some((each) => each === name)
    const words = name.toUpperCase()
    throw new PlanError(
      'invalid_request',
      isOfTables ? `${words} is a right on tables.` : `${words} is a right on the whole server.`,
      {
        position,
        hint: isOfTables
          ? `Write ${words} ON a table, or ON ALL TABLES.`
          : `Write ${words} without ON.`,
      },
    )
  })
}

/** In the order of `known`, each once. */
function added<R>(known: readonly R[], before: readonly R[], rights: readonly R[]): R[] {
  return known.filter((right) => before.includes(right) || rights.includes(right))
}

function taken<R>(known: readonly R[], before: readonly R[], rights: readonly R[]): R[] {
  return known.filter((right) => before.includes(right) && !rights.includes(right))
}
