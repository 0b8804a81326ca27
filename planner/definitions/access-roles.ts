// SPDX-License-Identifier: Apache-2.0
import type {
  AlterRoleStatement,
  ChangedLimit,
  CreateRoleStatement,
  DropRoleStatement,
  GrantStatement,
  RevokeStatement,
  Right,
} from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import {
  type AccessRole,
  changeAccessRole,
  changedLimits,
  createAccessRole,
  dropAccessRole,
  grantOnTable,
  ROLE_LIMITS,
  type RoleLimit,
  requireChangeableRole,
  revokeOnAllTables,
  revokeOnTable,
  roleLimitMax,
} from '../../storage/tables/access/access.ts'
import { type Catalog, SERVER_RIGHTS, TABLE_RIGHTS } from '../../storage/tables/tables.ts'
import { durationText } from '../limits-text.ts'
import { PlanError } from '../plan-error.ts'
import { requireTable, suggestion } from '../unknown-name.ts'
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
  const request = { table: table.name, role, rights }
  if (kind === 'revoke') return await revokeOnTable(transaction, catalog, request)
  const rule = ruleOf(statement, table)
  return await grantOnTable(transaction, catalog, { ...request, ...(rule && { rule }) })
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

/** The role with what `ALTER ROLE … LIMIT` changes of it. Throws PlanError `invalid_request` and `out_of_range`. */
function withLimits(role: AccessRole, changed: readonly ChangedLimit[]): AccessRole {
  const changes = new Map<RoleLimit, number | undefined>()
  for (const each of changed) {
    const limit = limitOf(each, changes)
    changes.set(limit, figureOf(limit, each))
  }
  const { limits: before = {}, ...rest } = role
  const limits = changedLimits(before, changes)
  return Object.keys(limits).length === 0 ? rest : { ...rest, limits }
}

function limitOf(
  { limit: { text, position } }: ChangedLimit,
  before: ReadonlyMap<RoleLimit, unknown>,
): RoleLimit {
  const limit = ROLE_LIMITS.find((known) => known === text.toLowerCase())
  if (limit === undefined) {
    const { hint = `The limits of a role are ${ROLE_LIMITS.join(', ')}.`, fields } = suggestion(
      text,
      ROLE_LIMITS,
      { limit: text },
    )
    const message = `A role has no limit ${text}.`
    throw new PlanError('invalid_request', message, { position, hint, fields })
  }
  if (!before.has(limit)) return limit
  throw new PlanError('invalid_request', `The limit ${limit} is given twice.`, { position })
}

/** Undefined takes the limit off. */
function figureOf(
  limit: RoleLimit,
  { limit: { position }, figure, isDuration }: ChangedLimit,
): number | undefined {
  if (figure === 'none') return undefined
  const isOfTime = limit === 'statement'
  if (isDuration !== isOfTime) {
    throw new PlanError('invalid_request', `The limit ${limit} is ${kindOf(limit)}.`, {
      position,
      hint: `Write LIMIT ${limit} ${isOfTime ? '2 SECONDS' : '20'}.`,
    })
  }
  const most = roleLimitMax(limit)
  if (figure >= 1n && figure <= BigInt(most)) return Number(figure)
  const range = isOfTime ? `1 MILLISECOND to ${durationText(most)}` : `1 to ${most}`
  throw new PlanError('out_of_range', `The limit ${limit} is ${range}.`, {
    position,
    hint: `LIMIT ${limit} NONE takes it off.`,
  })
}

function kindOf(limit: RoleLimit): string {
  return limit === 'statement' ? 'a duration' : 'a number, without a unit'
}
