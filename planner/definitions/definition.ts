// SPDX-License-Identifier: Apache-2.0
import type {
  CreateIndexStatement,
  CreateTableStatement,
  DefinitionStatement,
  DropIndexStatement,
  KeyClause,
  Name,
} from '../../parser/ast.ts'
import {
  addColumn,
  type Catalog,
  createIndex,
  createTable,
  dropColumn,
  dropIndex,
  dropTable,
  type NewIndex,
  type NewKeyPart,
  type NewTable,
  type TableDefinition,
  type Transaction,
} from '../../storage/storage.ts'
import type { StatementResult } from '../execute/rows/execution-context.ts'
import { PlanError } from '../plan-error.ts'
import { requireColumn, requireTable, suggestion } from '../unknown-name.ts'
import { newColumnOf } from './column-clause.ts'
import type { DefinitionContext } from './definition-context.ts'
import { locatedIn } from './definition-error.ts'
import { defineObserver } from './observer-definition.ts'

/**
 * Runs a CREATE, an ALTER or a DROP as one statement of the transaction. `rowsAffected` is 1 when the
 * catalog changed, and 0 when IF [NOT] EXISTS found nothing to do. An index is built behind the
 * commit: until it is ready no statement reads it; the rows that an observer is to be told of are
 * notified behind it. Throws PlanError and StorageError.
 */
export async function executeDefinition(
  statement: DefinitionStatement,
  context: DefinitionContext,
): Promise<StatementResult> {
  const changed = await context.transaction.statement(async () => {
    try {
      return await define(statement, context)
    } catch (error) {
      throw locatedIn(statement, error) ?? error
    }
  })
  const text = changed ? 'OK' : 'OK, nothing was to be done'
  return { columns: [], rows: [], rowsAffected: changed ? 1 : 0, text }
}

/** Whether the catalog changed. */
async function define(
  statement: DefinitionStatement,
  context: DefinitionContext,
): Promise<boolean> {
  const { catalog, transaction } = context
  switch (statement.kind) {
    case 'createTable': {
      const { ifNotExists } = statement
      const table = newTableOf(statement)
      return (await createTable(transaction, catalog, table, { ifNotExists })).created
    }
    case 'dropTable': {
      const { table, ifExists } = statement
      if (!ifExists) requireTable(catalog, table)
      return (await dropTable(transaction, catalog, table.text, { ifExists })) !== null
    }
    case 'addColumn': {
      const { name } = requireTable(catalog, statement.table)
      await addColumn(transaction, catalog, name, newColumnOf(statement.column))
      return true
    }
    case 'dropColumn': {
      const table = requireTable(catalog, statement.table)
      const { text, position } = statement.column
      requireColumn(table, text, position)
      await dropColumn(transaction, catalog, table.name, text)
      return true
    }
    case 'createIndex': {
      const { ifNotExists } = statement
      const index = newIndexOf(statement, requireTable(catalog, statement.table))
      return (await createIndex(transaction, catalog, index, { ifNotExists })).created
    }
    case 'dropIndex':
      return await runDropIndex(statement, catalog, transaction)
    default:
      return await defineObserver(statement, context)
  }
}

async function runDropIndex(
  { index: { text, position }, ifExists }: DropIndexStatement,
  catalog: Catalog,
  transaction: Transaction,
): Promise<boolean> {
  if (!ifExists && catalog.index(text) === undefined) {
    const known = catalog.indexes().map(({ index }) => index.name)
    const details = suggestion(text, known, { index: text })
    throw new PlanError('unknown_index', `There is no index ${text}.`, { position, ...details })
  }
  return (await dropIndex(transaction, catalog, text, { ifExists })) !== null
}

function newTableOf({ table, columns, primaryKey, families }: CreateTableStatement): NewTable {
  const known = columns.map(({ name }) => name.text)
  const named = (what: string, column: Name): string => {
    if (known.includes(column.text)) return column.text
    throw new PlanError('unknown_column', `${what} names ${column.text}, which is no column.`, {
      position: column.position,
      ...suggestion(column.text, known, { table: table.text, column: column.text }),
    })
  }
  return {
    name: table.text,
    columns: columns.map(newColumnOf),
    primaryKey: primaryKey.map(({ column, descending }) => ({
      column: named('The primary key', column),
      descending,
    })),
    families: families.map(({ name, columns: ofFamily }) => ({
      name: name.text,
      columns: ofFamily.map((column) => named(`The family ${name.text}`, column)),
    })),
  }
}

function newIndexOf(statement: CreateIndexStatement, table: TableDefinition): NewIndex {
  const named = ({ text, position }: Name): string => {
    requireColumn(table, text, position)
    return text
  }
  const partOf = ({ column, descending }: KeyClause): NewKeyPart => {
    return { column: named(column), descending }
  }
  const { index, unique, columns, storing } = statement
  return {
    name: index.text,
    table: table.name,
    unique,
    parts: columns.map(partOf),
    storing: storing.map(named),
  }
}
