// SPDX-License-Identifier: Apache-2.0
import type {
  ColumnClause,
  CreateTableStatement,
  DefinitionStatement,
  DropTableStatement,
  Expression,
  Name,
  Position,
} from '../parser/ast.ts'
import {
  type Catalog,
  type ColumnDefault,
  createTable,
  dropTable,
  type NewColumn,
  type NewTable,
  nearestNames,
  SQL_TYPES,
  type SqlType,
  StorageError,
  type Transaction,
} from '../storage/storage.ts'
import type { StatementResult } from './execution-context.ts'
import { createExpressionCompiler } from './expression.ts'
import { ParameterSlots } from './parameters.ts'
import { PlanError } from './plan-error.ts'
import { compileAs } from './type-check.ts'
import { requireTable, suggestion } from './unknown-name.ts'

/**
 * Runs CREATE TABLE or DROP TABLE as one statement of the transaction. `rowsAffected` is 1 when the
 * catalog changed, and 0 when IF [NOT] EXISTS found nothing to do. Throws PlanError and StorageError.
 */
export async function executeDefinition(
  statement: DefinitionStatement,
  catalog: Catalog,
  transaction: Transaction,
): Promise<StatementResult> {
  const changed = await transaction.statement(() =>
    statement.kind === 'createTable'
      ? runCreateTable(statement, catalog, transaction)
      : runDropTable(statement, catalog, transaction),
  )
  return { columns: [], rows: [], rowsAffected: changed ? 1 : 0 }
}

async function runCreateTable(
  statement: CreateTableStatement,
  catalog: Catalog,
  transaction: Transaction,
): Promise<boolean> {
  const { ifNotExists } = statement
  const table = newTableOf(statement)
  try {
    const { created } = await createTable(transaction, catalog, table, { ifNotExists })
    return created
  } catch (error) {
    throw located(error, statement) ?? error
  }
}

async function runDropTable(
  { table: name, ifExists }: DropTableStatement,
  catalog: Catalog,
  transaction: Transaction,
): Promise<boolean> {
  if (!ifExists) requireTable(catalog, name)
  return (await dropTable(transaction, catalog, name.text, { ifExists })) !== null
}

function newTableOf(statement: CreateTableStatement): NewTable {
  return {
    name: statement.table.text,
    columns: statement.columns.map(newColumnOf),
    primaryKey: statement.primaryKey.map(({ column, descending }) => {
      requireKeyColumn(statement, column)
      return { column: column.text, descending }
    }),
  }
}

function newColumnOf(clause: ColumnClause): NewColumn {
  const { name, notNull } = clause
  const type = typeOf(clause)
  const column = { name: name.text, type, notNull }
  return clause.default === undefined
    ? column
    : { ...column, default: columnDefault(clause.default, type) }
}

function typeOf({ type }: ColumnClause): SqlType {
  const known = SQL_TYPES.find((name) => name === type.text)
  if (known !== undefined) return known
  const nearest = nearestNames(type.text, SQL_TYPES)
  throw new PlanError('invalid_request', `There is no type ${type.text}.`, {
    position: type.position,
    hint: nearest[0] ? `Did you mean ${nearest[0]}?` : `The types are ${SQL_TYPES.join(', ')}.`,
    fields: { type: type.text },
  })
}

/** now() and uuid() are called anew for each row; a literal is a value of the column's type. */
function columnDefault(expression: Expression, type: SqlType): ColumnDefault {
  const value = compileAs(createExpressionCompiler(new ParameterSlots()), expression, type)
  if (expression.kind === 'call') {
    if (expression.function === 'now') return { kind: 'now' }
    if (expression.function === 'uuid') return { kind: 'uuid' }
    throw new PlanError('invalid_request', 'A default is a literal, now() or uuid().', {
      position: expression.position,
    })
  }
  const nothing = { row: [], parameters: [], functions: { now: 0n, uuid: () => '' } }
  return { kind: 'literal', value: value.evaluate(nothing) }
}

function requireKeyColumn({ columns, table }: CreateTableStatement, column: Name): void {
  if (columns.some(({ name }) => name.text === column.text)) return
  const known = columns.map(({ name }) => name.text)
  throw new PlanError(
    'unknown_column',
    `The primary key names ${column.text}, which is no column.`,
    {
      position: column.position,
      ...suggestion(column.text, known, { table: table.text, column: column.text }),
    },
  )
}

/** Storage names the column that it refuses; here its place in the text is known as well. */
function located(error: unknown, statement: CreateTableStatement): PlanError | undefined {
  if (!(error instanceof StorageError)) return undefined
  const code = CODES[error.code as keyof typeof CODES]
  if (code === undefined) return undefined
  const position = placeOf(error.fields.column, statement)
  return new PlanError(code, error.message, { position, fields: error.fields })
}

const CODES = {
  invalid_definition: 'invalid_request',
  already_exists: 'already_exists',
  out_of_range: 'out_of_range',
  type_mismatch: 'type_mismatch',
} as const

function placeOf(column: unknown, { columns, table }: CreateTableStatement): Position {
  // The last of two columns of one name is the one too many.
  const clause = columns.findLast(({ name }) => name.text === column)
  return (clause?.name ?? table).position
}
