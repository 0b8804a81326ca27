// SPDX-License-Identifier: Apache-2.0
import type {
  AlterObserverStatement,
  AlterTableStatement,
  DefinitionStatement,
  Name,
  Position,
} from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import {
  addCheck,
  addColumn,
  alterColumn,
  type Catalog,
  type ColumnDefinition,
  createIndex,
  createObserver,
  createTable,
  dropCheck,
  dropColumn,
  dropIndex,
  dropObserver,
  dropTable,
  pauseObserver,
  renameColumn,
  renameTable,
  replayObserver,
  restartIdentity,
  resumeObserver,
  scanRows,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { nameText } from '../expressions/expression-text.ts'
import type { Parameters } from '../expressions/parameters.ts'
import { PlanError } from '../plan-error.ts'
import { readsAllRows, requireServerRight } from '../required-rights.ts'
import { requireColumn, requireIndex, requireObserver, requireTable } from '../unknown-name.ts'
import { definitionResult, located } from './definition-result.ts'
import { familyHint } from './family-hint.ts'
import {
  columnDefault,
  newColumnOf,
  newIndexOf,
  newObserverOf,
  newTableOf,
  wholeNumberOf,
} from './new-definitions.ts'
import { defineSchedule } from './schedule-definition.ts'
import { evaluateStamp } from './stamp.ts'
import { newCheckOf, notNullCheckOf } from './table-check.ts'

/** What a CREATE, an ALTER or a DROP runs in. */
type DefinitionContext = {
  readonly transaction: Transaction
  /** The catalog of the transaction's snapshot. */
  readonly catalog: Catalog
  readonly parameters: Parameters
}

/**
 * Runs a CREATE, an ALTER or a DROP as one statement of the transaction. `rowsAffected` is 1 when the
 * catalog changed, and 0 when IF [NOT] EXISTS found nothing to do. An index is built after the
 * commit: until it is ready no statement reads it; the rows that an observer is to be told of are
 * notified after it. Throws PlanError and StorageError.
 */
export async function executeDefinition(
  statement: DefinitionStatement,
  context: DefinitionContext,
): Promise<StatementResult> {
  requireServerRight(context.catalog, 'define', statement.position)
  const changed = await context.transaction.statement(async () => {
    try {
      return await define(statement, context)
    } catch (error) {
      throw located(error, CODES, (fields) => placeOf(statement, fields))
    }
  })
  const hint = statement.kind === 'createTable' ? familyHint(statement) : undefined
  return definitionResult(changed, hint)
}

/** Whether the catalog changed. */
async function define(
  statement: DefinitionStatement,
  { catalog, transaction, parameters }: DefinitionContext,
): Promise<boolean> {
  switch (statement.kind) {
    case 'createTable':
      return (await createTable(transaction, catalog, newTableOf(statement), statement)).created
    case 'dropTable': {
      const { table, ifExists } = statement
      if (!ifExists) requireTable(catalog, table)
      return (await dropTable(transaction, catalog, table.text, { ifExists })) !== null
    }
    case 'addColumn':
    case 'dropColumn':
    case 'addCheck':
    case 'dropConstraint':
    case 'alterColumn':
    case 'setNotNull':
    case 'restartIdentity':
    case 'renameColumn':
    case 'renameTable':
      return await alterTable(statement, { catalog, transaction })
    case 'createIndex': {
      const { unique, position } = statement
      const table = requireTable(catalog, statement.table)
      const index = newIndexOf(statement, table)
      if (unique) await requireAllRows(catalog, transaction, { table, position })
      return (await createIndex(transaction, catalog, index, statement)).created
    }
    case 'dropIndex': {
      const { index, ifExists } = statement
      if (!ifExists) requireIndex(catalog, index)
      return (await dropIndex(transaction, catalog, index.text, { ifExists })) !== null
    }
    case 'createObserver': {
      const observer = newObserverOf(statement, requireTable(catalog, statement.table))
      return (await createObserver(transaction, catalog, observer, statement)).created
    }
    case 'dropObserver': {
      const { observer, ifExists } = statement
      if (!ifExists) requireObserver(catalog, observer)
      return (await dropObserver(transaction, catalog, observer.text, { ifExists })) !== null
    }
    case 'createSchedule':
    case 'dropSchedule':
    case 'pauseSchedule':
    case 'resumeSchedule':
      return await defineSchedule(statement, { catalog, transaction })
    default:
      return await alterObserver(statement, { catalog, transaction, parameters })
  }
}

/** Whether the catalog changed. */
async function alterObserver(
  statement: AlterObserverStatement,
  { catalog, transaction, parameters }: DefinitionContext,
): Promise<boolean> {
  const { text } = statement.observer
  requireObserver(catalog, statement.observer)
  if (statement.kind === 'pauseObserver') await pauseObserver(transaction, catalog, text)
  else if (statement.kind === 'resumeObserver') await resumeObserver(transaction, catalog, text)
  else {
    const from = evaluateStamp('REPLAY FROM', statement.from, parameters)
    await replayObserver(transaction, catalog, text, from)
  }
  return true
}

/** Whether the catalog changed. */
async function alterTable(
  statement: AlterTableStatement,
  { catalog, transaction }: Pick<DefinitionContext, 'catalog' | 'transaction'>,
): Promise<boolean> {
  const table = requireTable(catalog, statement.table)
  switch (statement.kind) {
    case 'addColumn':
      await addColumn(transaction, catalog, table.name, newColumnOf(statement.column))
      return true
    case 'dropColumn': {
      const { text, position } = statement.column
      requireColumn(table, text, position)
      await dropColumn(transaction, catalog, table.name, text)
      return true
    }
    case 'addCheck': {
      const check = newCheckOf(statement.check, table)
      await requireAllRows(catalog, transaction, { table, position: statement.position })
      return await addCheck(transaction, catalog, table.name, check)
    }
    case 'dropConstraint':
      await dropCheck(transaction, catalog, table.name, statement.constraint.text)
      return true
    case 'setNotNull': {
      const check = notNullCheckOf(statement, table)
      if (check === undefined) return false
      await requireAllRows(catalog, transaction, { table, position: statement.position })
      return await addCheck(transaction, catalog, table.name, check)
    }
    case 'alterColumn': {
      const { column, change: requested } = statement
      const definition = table.columns[
        requireColumn(table, column.text, column.position)
      ] as ColumnDefinition
      const change =
        requested.kind === 'setDefault'
          ? { kind: requested.kind, default: columnDefault(requested.default, definition) }
          : { kind: requested.kind }
      await alterColumn(transaction, catalog, table.name, { name: column.text, change })
      return true
    }
    case 'restartIdentity': {
      const { column, next } = statement
      requireColumn(table, column.text, column.position)
      const restart = { name: column.text, next: wholeNumberOf(next) }
      await restartIdentity(transaction, catalog, table.name, restart)
      return true
    }
    case 'renameColumn': {
      const { column, to } = statement
      requireColumn(table, column.text, column.position)
      const names = { name: column.text, to: to.text }
      return await renameColumn(transaction, catalog, table.name, names)
    }
    case 'renameTable':
      return await renameTable(transaction, catalog, table.name, statement.to.text)
  }
}

const CODES = {
  invalid_definition: 'invalid_request',
  already_exists: 'already_exists',
  out_of_range: 'out_of_range',
  type_mismatch: 'type_mismatch',
} as const

function placeOf(
  statement: DefinitionStatement,
  { column, family }: Readonly<Record<string, unknown>>,
): Position {
  // The last of two of one name is the one too many.
  const named = namesIn(statement, family).findLast(({ text }) => text === column)
  if (named !== undefined) return named.position
  if ('index' in statement) return statement.index.position
  if ('schedule' in statement) return statement.schedule.position
  return ('observer' in statement ? statement.observer : statement.table).position
}

/** The names among which the refused one stands. */
function namesIn(statement: DefinitionStatement, family: unknown): readonly Name[] {
  switch (statement.kind) {
    case 'createTable': {
      if (family === undefined) return statement.columns.map(({ name }) => name)
      return statement.families.flatMap(({ columns }) => columns)
    }
    case 'createIndex':
      return [...statement.columns.map(({ column }) => column), ...statement.storing]
    case 'createObserver':
      return statement.columns
    case 'addColumn':
      return [statement.column.name]
    case 'dropColumn':
    case 'alterColumn':
    case 'setNotNull':
    case 'restartIdentity':
      return [statement.column]
    case 'renameColumn':
      return [statement.column, statement.to]
    default:
      return []
  }
}

/**
 * For definitions whose outcome tells of the values of rows: whoever chooses them well learns any value. A table
 * without rows is free. Throws PlanError `not_permitted`.
 */
async function requireAllRows(
  catalog: Pick<Catalog, 'rights'>,
  transaction: Transaction,
  { table, position }: { readonly table: TableDefinition; readonly position: Position },
): Promise<void> {
  if (readsAllRows(catalog, table)) return
  for await (const _ of scanRows(transaction, table, { limit: 1, columns: [] })) {
    const detail = `The role ${catalog.rights.role} lacks READ on all rows of ${table.name}, which this is about.`
    throw new PlanError('not_permitted', detail, {
      position,
      hint: `GRANT READ ON ${nameText(table.name)} TO ${nameText(catalog.rights.role)}, without WHERE; or let an administrator do it.`,
      fields: { right: 'read', table: table.name },
    })
  }
}
