// SPDX-License-Identifier: Apache-2.0
import type {
  DataStatement,
  DeleteStatement,
  GetStatement,
  InsertStatement,
  Name,
  ScanStatement,
  SetStatement,
} from '../parser/ast.ts'
import type { Catalog, ColumnDefinition, TableDefinition } from '../storage/storage.ts'
import { createExpressionCompiler } from './expression.ts'
import { ParameterSlots } from './parameters.ts'
import type {
  DataPlan,
  DeletePlan,
  InsertPlan,
  PlannedAssignment,
  PointGetPlan,
  RangeScanPlan,
  SetPlan,
} from './plan.ts'
import { planAccess } from './plan-access.ts'
import { PlanError } from './plan-error.ts'
import { planFullKey } from './plan-key.ts'
import { planProjection } from './projection.ts'
import { compileAs } from './type-check.ts'
import { requireColumn, requireTable } from './unknown-name.ts'

/** The plan of one statement on rows. Throws PlanError. */
export function planData(statement: DataStatement, catalog: Catalog): DataPlan {
  const table = requireTable(catalog, statement.table)
  switch (statement.kind) {
    case 'get':
      return planGet(statement, table)
    case 'scan':
      return planScan(statement, table)
    case 'set':
      return planSet(statement, table)
    case 'insert':
      return planInsert(statement, table)
    case 'delete':
      return planDelete(statement, table)
  }
}

function planGet(statement: GetStatement, table: TableDefinition): PointGetPlan {
  const { position, forUpdate } = statement
  const slots = new ParameterSlots()
  const compiler = createExpressionCompiler(slots, table)
  const projection = planProjection(compiler, table, statement.projection)
  const keys = planFullKey(compiler, table, { name: 'GET', where: statement.where })
  return { kind: 'pointGet', table, position, slots: slots.all, keys, projection, forUpdate }
}

function planScan(statement: ScanStatement, table: TableDefinition): RangeScanPlan {
  const slots = new ParameterSlots()
  const compiler = createExpressionCompiler(slots, table)
  const projection = planProjection(compiler, table, statement.projection)
  const access = planAccess(compiler, table, statement)
  const { position } = statement
  return { kind: 'rangeScan', table, position, slots: slots.all, projection, ...access }
}

function planDelete(statement: DeleteStatement, table: TableDefinition): DeletePlan {
  const slots = new ParameterSlots()
  const compiler = createExpressionCompiler(slots, table)
  const access = planAccess(compiler, table, statement)
  return { kind: 'delete', table, position: statement.position, slots: slots.all, ...access }
}

function planSet(statement: SetStatement, table: TableDefinition): SetPlan {
  const slots = new ParameterSlots()
  const compiler = createExpressionCompiler(slots, table)
  const keyColumns = new Set(table.primaryKey.map((part) => part.columnId))
  const columns = distinctColumns(
    table,
    statement.assignments.map((assignment) => assignment.column),
  )
  const assignments = statement.assignments.map(({ column: name, value }, index) => {
    const column = columns[index] as number
    const definition = table.columns[column] as ColumnDefinition
    if (keyColumns.has(definition.id)) {
      throw new PlanError(
        'invalid_request',
        `${name.text} is in the primary key and cannot be set.`,
        {
          position: name.position,
          hint: 'A row with another key is another row: DELETE the one and INSERT the other.',
          fields: { table: table.name, column: name.text },
        },
      )
    }
    const compiled = compileAs(compiler, value, definition.type)
    return { column, value: compiled, source: value } satisfies PlannedAssignment
  })
  const keys = planFullKey(compiler, table, { name: 'SET', where: statement.where })
  return { kind: 'set', table, position: statement.position, slots: slots.all, keys, assignments }
}

function planInsert(statement: InsertStatement, table: TableDefinition): InsertPlan {
  const slots = new ParameterSlots()
  // Without a table, because VALUES cannot name columns: there is no row yet.
  const compiler = createExpressionCompiler(slots)
  const columns = distinctColumns(table, statement.columns)
  requireValues(statement, table, columns)
  const rows = statement.rows.map((expressions) => {
    const values = new Array<InsertPlan['rows'][number]['values'][number]>(table.columns.length)
    values.fill(undefined)
    expressions.forEach((expression, index) => {
      const column = columns[index] as number
      const { type } = table.columns[column] as ColumnDefinition
      values[column] = compileAs(compiler, expression, type)
    })
    return { values, position: expressions[0]?.position ?? statement.position }
  })
  return { kind: 'insert', table, position: statement.position, slots: slots.all, rows }
}

/** The places of the columns named. Throws PlanError when one is unknown or named twice. */
function distinctColumns(table: TableDefinition, names: readonly Name[]): readonly number[] {
  const columns = names.map((name) => requireColumn(table, name.text, name.position))
  names.forEach((name, index) => {
    if (columns.indexOf(columns[index] as number) === index) return
    throw new PlanError('invalid_request', `The column ${name.text} is named twice.`, {
      position: name.position,
      fields: { table: table.name, column: name.text },
    })
  })
  return columns
}

/** A column that needs a value and has no default must be among those of an INSERT. */
function requireValues(
  statement: InsertStatement,
  table: TableDefinition,
  given: readonly number[],
): void {
  const named = new Set(given)
  table.columns.forEach((column, index) => {
    if (named.has(index) || !column.notNull || column.default !== undefined) return
    throw new PlanError(
      'not_null_violation',
      `The column ${column.name} is NOT NULL and has no default, so an INSERT must name it.`,
      { position: statement.table.position, fields: { table: table.name, column: column.name } },
    )
  })
}
