// SPDX-License-Identifier: Apache-2.0
import type {
  AddCheckStatement,
  CheckClause,
  Expression,
  Position,
  ScanStatement,
  SetNotNullStatement,
} from '../../parser/ast.ts'
import {
  type Catalog,
  type CheckConstraint,
  fittingName,
  keyColumns,
  type NewCheck,
  type TableDefinition,
  unfinishedCheck,
} from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { keyToJson } from '../execute/writes/new-row.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { expressionText, nameText } from '../expressions/expression-text.ts'
import { compileAs } from '../expressions/type-check.ts'
import { PlanError } from '../plan-error.ts'
import { readsAllRows } from '../required-rights.ts'
import { rowOf } from '../row-parts.ts'
import { requireColumn, requireTable } from '../unknown-name.ts'
import { requireKeepable } from './row-rule.ts'

/** The CHECK of a table as it is kept. Throws PlanError for what is wrong in it, and what a row alone cannot tell. */
export function newCheckOf({ name, condition }: CheckClause, table: TableDefinition): NewCheck {
  requireKeepable(condition, 'A CHECK of a table')
  const { columns } = compileAs(createExpressionCompiler(rowOf(table)), condition, 'BOOLEAN')
  return {
    ...(name && { name: name.text }),
    text: expressionText(condition),
    columns: [...columns].map((position) => table.columns[position]?.name as string),
  }
}

/**
 * The check that holds for what is written while SET NOT NULL looks at the rows of before. Undefined where the column
 * is NOT NULL already. Throws PlanError for no such column.
 */
export function notNullCheckOf(
  { column: { text: name, position } }: SetNotNullStatement,
  table: TableDefinition,
): (NewCheck & { readonly name: string }) | undefined {
  if (table.columns[requireColumn(table, name, position)]?.notNull === true) return undefined
  const text = expressionText(isNotNull(name, position))
  const suffix = `_${name}_not_null`
  // One that was left keeps its name when its table gets another one.
  const left = table.checks.find(
    (check) =>
      check.state === 'adding' && check.text === text && check.name.endsWith(fittingName(suffix)),
  )
  return { name: left?.name ?? fittingName(`${table.name}${suffix}`), text, columns: [name] }
}

function isNotNull(name: string, position: Position): Expression {
  const operand = { kind: 'column', name, position } as const
  return { kind: 'isNull', operand, negated: true, position }
}

/** A check that what is written meets already, and how to find a row of before that does not. */
export type CheckBeingAdded = {
  readonly table: string
  readonly name: string
  /** Whether the column becomes NOT NULL in its place. */
  readonly isNotNull: boolean
  /** Returns the key of one such row, or nothing. */
  readonly failing: ScanStatement
  /** PlanError about it: check_failed, or not_null_violation. */
  readonly failed: (key: readonly SqlValue[]) => PlanError
}

/** What a statement adds that is true of the rows of before, too. */
export type AddingStatement = AddCheckStatement | SetNotNullStatement

/** What the statement has begun to add; undefined where nothing is left to do. Throws PlanError when it is gone. */
export function checkBeingAdded(
  catalog: Catalog,
  statement: AddingStatement,
): CheckBeingAdded | undefined {
  const table = requireTable(catalog, statement.table)
  if (statement.kind === 'setNotNull') {
    const wanted = notNullCheckOf(statement, table)
    if (wanted === undefined) return undefined
    const { text: column, position } = statement.column
    const { name } = requireUnfinished(table, wanted, statement)
    const condition = isNotNull(column, position)
    const failed = (values: readonly SqlValue[]) => {
      const { row, shown } = rowTold(catalog, table, values)
      const message = `${row} of ${table.name} is NULL in the column ${column}, which is not made NOT NULL.`
      const fields = { table: table.name, column, ...shown }
      const hint = `Give it a value first: SET ${nameText(column)} = … ON ${nameText(table.name)} USE PRIMARY KEY WHERE ${nameText(column)} IS NULL`
      return new PlanError('not_null_violation', message, { position, hint, fields })
    }
    const failing = scanOfFailing(table, condition)
    return { table: table.name, name, isNotNull: true, failing, failed }
  }
  const { name: given, condition } = statement.check
  const text = expressionText(condition)
  const { name } = requireUnfinished(table, { text, ...(given && { name: given.text }) }, statement)
  const failed = (values: readonly SqlValue[]) => {
    const { row, shown } = rowTold(catalog, table, values)
    const message = `${row} of ${table.name} fails the constraint ${name}, which is not added: ${text}`
    const fields = { table: table.name, constraint: name, ...shown }
    return new PlanError('check_failed', message, { position: condition.position, fields })
  }
  const failing = scanOfFailing(table, condition)
  return { table: table.name, name, isNotNull: false, failing, failed }
}

function requireUnfinished(
  table: TableDefinition,
  wanted: Pick<NewCheck, 'name' | 'text'>,
  { position }: AddingStatement,
): CheckConstraint {
  const check = unfinishedCheck(table, wanted)
  if (check !== undefined) return check
  const message = `The constraint has been dropped from ${table.name} while it was added.`
  throw new PlanError('invalid_request', message, { position, fields: { table: table.name } })
}

/** The row with this key as whoever asks may know it: in words, and as a field. */
function rowTold(catalog: Catalog, table: TableDefinition, values: readonly SqlValue[]) {
  if (!readsAllRows(catalog, table)) return { row: 'A row', shown: {} }
  const key = keyToJson(table, values)
  return { row: `The row ${JSON.stringify(key)}`, shown: { key } }
}

/** A condition that is NULL of a row is NULL when it is turned round, so that no such row is found. */
function scanOfFailing(table: TableDefinition, condition: Expression): ScanStatement {
  const { position } = condition
  const items = keyColumns(table).map(({ name: label }) => {
    const expression = { kind: 'column', name: label, position } as const
    return { kind: 'expression', label, expression } as const
  })
  return {
    kind: 'scan',
    projection: { kind: 'expressions', items },
    table: { text: table.name, position },
    hint: { kind: 'primaryKey', position },
    where: { kind: 'unary', operator: 'NOT', operand: condition, position },
    groupBy: [],
    orderBy: [],
    limit: { kind: 'literal', type: 'integer', value: 1n, position },
    position,
  }
}
