// SPDX-License-Identifier: Apache-2.0
import { limitExceeded, StorageError } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { compareText } from '../../values/sql-value.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { requireFreeName, requireName } from '../definition-name.ts'
import { ADMIN_ROLE, isOfAdmin, SERVER_RIGHTS, type ServerRight } from '../rights.ts'
import { TABLE_RIGHTS, type TableRight } from '../table-definition.ts'
import { readRelays } from './access-relays.ts'
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'
import { readAccessTokens } from './access-tokens.ts'
import { isRoleLimits, type RoleLimits } from './role-limits.ts'
import { dropRoleWritten } from './role-written.ts'

/** A role as it is kept. Its rights on single tables stand in the definitions of those. */
export type AccessRole = {
  readonly name: string
  /** Whether a JWT may claim it. */
  readonly isForJwt: boolean
  readonly server: readonly ServerRight[]
  /** On all tables, those to come as well. */
  readonly allTables: readonly TableRight[]
  /** Absent where it never had any. */
  readonly limits?: RoleLimits
}

const ROWS = new AccessRows('role', isRole)

/** Whether a role that has these may do something with the server as a whole. */
export function mayOnServer(held: readonly ServerRight[], right: ServerRight): boolean {
  return held.includes(right) || (isOfAdmin(right) && held.includes('admin'))
}

/** Whether an administrator who sees as a role keeps it of what the role may: what only shows something. */
export function isOfImpersonation(right: ServerRight | TableRight): boolean {
  return right === 'read' || right === 'inspect'
}

/** All roles but `admin`, which has no row, by name. */
export async function readAccessRoles(
  transaction: Pick<AccessReads, 'scanBatches'>,
): Promise<AccessRole[]> {
  const roles = await ROWS.read(transaction)
  return roles.sort((a, b) => compareText(a.name, b.name))
}

/** Throws StorageError `already_exists`, `invalid_definition`, `limit_exceeded`. */
export async function createAccessRole(
  transaction: AccessWrites,
  { name, isForJwt }: Pick<AccessRole, 'name' | 'isForJwt'>,
): Promise<void> {
  transaction.requireRoom()
  const roles = await readAccessRoles(transaction)
  requireName(name, { role: name })
  requireFreeName('a role', name, [{ name: ADMIN_ROLE }, ...roles], { role: name })
  if (roles.length >= STORAGE_LIMITS.accessRolesMax) {
    throw limitExceeded('accessRolesMax', roles.length + 1, 'There are too many roles.')
  }
  ROWS.write(transaction, name, { name, isForJwt, server: [], allTables: [] })
}

/** Returns whether the role has changed. Throws as `requireChangeableRole`. */
export async function changeAccessRole(
  transaction: AccessWrites,
  name: string,
  change: (role: AccessRole) => AccessRole,
): Promise<boolean> {
  transaction.requireRoom()
  const before = await requireChangeableRole(transaction, name)
  const after = change(before)
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  if (!isSame) ROWS.write(transaction, name, after)
  return !isSame
}

/**
 * Takes rights on all tables away; a transaction that has written any of them and is open ends with `schema_changed`.
 * `catalog` is the one of this transaction. Returns and throws as `changeAccessRole`.
 */
export async function revokeOnAllTables(
  transaction: AccessWrites & Pick<Transaction, 'changeSchema'>,
  catalog: Catalog,
  { role, rights }: { readonly role: string; readonly rights: readonly TableRight[] },
): Promise<boolean> {
  const changed = await changeAccessRole(transaction, role, (before) => ({
    ...before,
    allTables: before.allTables.filter((right) => !rights.includes(right)),
  }))
  if (changed) for (const { id } of catalog.tables()) transaction.changeSchema(id)
  return changed
}

/**
 * `catalog` is the one of this transaction. Throws StorageError `unknown_role`, and `role_in_use` while a token has it
 * or a table names it, or a relay has it.
 */
export async function dropAccessRole(
  transaction: AccessWrites,
  catalog: Catalog,
  name: string,
): Promise<void> {
  await requireChangeableRole(transaction, name)
  const tokens = (await readAccessTokens(transaction)).filter(({ role }) => role === name)
  const tables = catalog.tables().filter(({ grants }) => grants.some(({ role }) => role === name))
  const relays = (await readRelays(transaction)).filter(({ relay }) => relay.role === name)
  if (tokens.length + tables.length + relays.length > 0) {
    throw inUse(name, { tokens, tables, relays: relays.map(({ relay }) => relay) })
  }
  ROWS.delete(transaction, name)
  dropRoleWritten(transaction, name)
}

/** Throws StorageError `unknown_role` for a role that there is not; `admin` is always there. */
export async function requireAccessRole(
  transaction: Pick<AccessReads, 'scanBatches'>,
  name: string,
): Promise<void> {
  if (name !== ADMIN_ROLE) named(await readAccessRoles(transaction), name)
}

/**
 * The role of this name. Throws StorageError `unknown_role`, and `invalid_definition` for `admin`, whose rights stay as
 * they are.
 */
export async function requireChangeableRole(
  transaction: Pick<AccessReads, 'scanBatches'>,
  name: string,
): Promise<AccessRole> {
  if (name !== ADMIN_ROLE) return named(await readAccessRoles(transaction), name)
  const message = `The role ${ADMIN_ROLE} stays as it is: it may do everything but FOLLOW.`
  throw new StorageError('invalid_definition', message, { role: name })
}

function named(roles: readonly AccessRole[], name: string): AccessRole {
  const role = roles.find((each) => each.name === name)
  if (role !== undefined) return role
  throw new StorageError('unknown_role', `There is no role ${name}.`, { role: name })
}

/** Longer lists are nothing to read in an error. */
const NAMED_MAX = 10

type Named = ReadonlyArray<{ readonly name: string }>

function inUse(
  role: string,
  by: { readonly tokens: Named; readonly tables: Named; readonly relays: Named },
): StorageError {
  const message = `The role ${role} is in use: drop the tokens and relays that have it, and revoke what it may do with tables.`
  const namesOf = (all: Named) => all.slice(0, NAMED_MAX).map(({ name }) => name)
  return new StorageError('role_in_use', message, {
    role,
    tokens: namesOf(by.tokens),
    tables: namesOf(by.tables),
    relays: namesOf(by.relays),
  })
}

function isRole(json: unknown): json is AccessRole {
  const { name, isForJwt, server, allTables, limits = {} } = (json ?? {}) as Partial<AccessRole>
  const isAmong = (all: readonly string[], some: unknown) =>
    Array.isArray(some) && some.every((each) => all.includes(each))
  return (
    typeof name === 'string' &&
    typeof isForJwt === 'boolean' &&
    isAmong(SERVER_RIGHTS, server) &&
    isAmong(TABLE_RIGHTS, allTables) &&
    isRoleLimits(limits)
  )
}
