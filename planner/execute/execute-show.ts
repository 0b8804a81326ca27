// SPDX-License-Identifier: Apache-2.0

import {
  dayOf,
  readAccessBlocks,
  readAccessRoles,
  readAccessTokens,
  readRoleWritten,
  requireAccessRole,
} from '../../storage/tables/access/access.ts'
import {
  ADMIN_ROLE,
  type Catalog,
  identityOf,
  readIdentity,
  readScheduleProgress,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { type SqlValue, typeText } from '../../storage/values/values.ts'
import { keyOfIndex, keyText, partText, primaryKeyOf } from '../keys/candidate-key.ts'
import { limitsText } from '../limits-text.ts'
import { checkText } from '../plan/row-check.ts'
import { mayBeToldOfRows } from '../required-rights.ts'
import {
  columnText,
  createIndexText,
  createObserverTexts,
  createScheduleTexts,
  createTableText,
  defaultText,
  scheduleText,
} from './definition-text.ts'
import type {
  ExecutionContext,
  StatementResult,
  StatementTransaction,
} from './rows/execution-context.ts'
import { shownTable } from './shown-table.ts'
import { toldBuild } from './told-build.ts'

type ShowContext = Pick<ExecutionContext, 'catalog' | 'transaction' | 'functions'>

/** SHOW TABLES: one row for each table, by name. */
export function showTables(catalog: Catalog): StatementResult {
  const rows = catalog
    .tables()
    .map((table): SqlValue[] => [
      table.name,
      BigInt(table.columns.length),
      keyText(primaryKeyOf(table)),
    ])
  return shownTable('table TEXT, columns INTEGER, key TEXT', rows)
}

/** SHOW INDEXES: one row for each index, in the order of their creation. */
export async function showIndexes(
  table: TableDefinition,
  context: ShowContext,
): Promise<StatementResult> {
  const rows: SqlValue[][] = []
  for (const index of table.indexes) {
    const { rowsDone, failure } = await toldBuild({ table, index }, context)
    const storing = index.storing.map((id) => columnText(table, id))
    rows.push([
      index.name,
      index.unique,
      keyOfIndex(table, index).parts.map(partText).join(', '),
      storing.length === 0 ? null : storing.join(', '),
      index.state,
      rowsDone === undefined ? null : BigInt(rowsDone),
      failure ?? null,
    ])
  }
  return shownTable(
    'name TEXT, unique BOOLEAN, columns TEXT, storing TEXT, state TEXT, progress INTEGER, failure TEXT',
    rows,
  )
}

/** SHOW OBSERVERS: one row for each observer of the store, by table and in the order of their creation. */
export function showObservers(catalog: Catalog): StatementResult {
  const rows = catalog
    .observers()
    .map(({ table, observer }): SqlValue[] => [
      observer.name,
      table.name,
      observer.isWeak,
      observer.columns.map((id) => columnText(table, id)).join(', '),
      observer.due === undefined ? null : columnText(table, observer.due),
      observer.state,
      observer.isBackfilled,
    ])
  return shownTable(
    'name TEXT, table TEXT, weak BOOLEAN, columns TEXT, due TEXT, state TEXT, backfilled BOOLEAN',
    rows,
  )
}

/** SHOW SCHEDULES: one row for each schedule of the store, by table and in the order of their creation. */
export async function showSchedules({
  catalog,
  transaction,
}: ShowContext): Promise<StatementResult> {
  const rows: SqlValue[][] = []
  for (const { table, observer, schedule } of catalog.schedules()) {
    const progress = await readScheduleProgress(transaction, schedule)
    const { name, zone, missed, state } = schedule
    const isWaiting = state === 'active' && progress !== undefined
    rows.push([
      name,
      observer.name,
      table.name,
      scheduleText(schedule),
      zone,
      missed,
      state,
      isWaiting ? BigInt(progress.next) : null,
      progress?.last === undefined ? null : BigInt(progress.last),
    ])
  }
  return shownTable(
    'name TEXT, observer TEXT, table TEXT, times TEXT, zone TEXT, missed TEXT, state TEXT, next TIMESTAMP, last TIMESTAMP',
    rows,
  )
}

/** DESCRIBE: one row for each column, in the order of the table. */
export function describeTable(table: TableDefinition): StatementResult {
  const rows = table.columns.map((column): SqlValue[] => {
    const index = table.primaryKey.findIndex((part) => part.columnId === column.id)
    const descending = table.primaryKey[index]?.descending ?? null
    return [
      column.name,
      typeText(column.type, column.size),
      column.notNull,
      defaultText(column),
      index < 0 ? null : BigInt(index + 1),
      descending,
      table.families.find(({ id }) => id === column.family)?.name ?? null,
      checksText(table, column.id),
    ]
  })
  return shownTable(
    'column TEXT, type TEXT, notNull BOOLEAN, default TEXT, keyPosition INTEGER, descending BOOLEAN, family TEXT, checks TEXT',
    rows,
  )
}

/** The checks that name the column; NULL when there are none. */
function checksText({ checks }: TableDefinition, columnId: number): string | null {
  const own = checks.filter(({ columns }) => columns.includes(columnId))
  return own.length === 0 ? null : own.map(checkText).join('; ')
}

/**
 * SHOW CREATE TABLE: the statements that make the table, its indexes, its observers and their schedules, in their
 * order, one in each row. An index that has failed is left out, since it would fail again. The identity of a table that
 * is made so goes on with the numbers that nobody has taken of this one, unless those who took them are hidden from
 * whoever asks.
 */
export async function showCreateTable(
  table: TableDefinition,
  { catalog, transaction }: ShowContext,
): Promise<StatementResult> {
  const isTold = identityOf(table) !== undefined && mayBeToldOfRows(catalog, table)
  const identity = isTold ? await readIdentity(transaction, table) : undefined
  const indexes = table.indexes.filter(({ state }) => state !== 'failed')
  const statements = [
    createTableText(table, identity?.next),
    ...indexes.map((index) => createIndexText(table, index)),
    ...table.observers.flatMap((observer) => createObserverTexts(table, observer)),
    ...table.schedules.flatMap((schedule) => createScheduleTexts(table, schedule)),
  ]
  const rows = statements.map((statement) => [statement])
  return shownTable('statement TEXT', rows)
}

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
type GrantsFilter = { readonly role?: { readonly text: string } }

/**
 * SHOW GRANTS: one row for each right, those on the whole server first, then those on all tables, then by table. Who
 * may not see those of others sees its own. Throws StorageError `unknown_role`.
 */
export async function showGrants(
  { role: request }: GrantsFilter,
  { transaction, catalog }: ShowContext,
): Promise<StatementResult> {
  const { rights } = catalog
  if (request !== undefined) await requireAccessRole(transaction, request.text)
  const only = request?.text ?? (rights.may('admin') ? undefined : rights.role)
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
