// SPDX-License-Identifier: Apache-2.0
import type {
  DeleteStatement,
  Expression,
  InsertStatement,
  Precondition,
  SetStatement,
} from '../../../parser/ast.ts'
import {
  type ColumnDefinition,
  columnsForDelete,
  keyPositions,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { columnsOf, type ExpressionCompiler } from '../../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../../expressions/expression.ts'
import { compileAs, compileForColumn } from '../../expressions/type-check.ts'
import { keyForColumns } from '../../keys/sized-key.ts'
import { PlanError } from '../../plan-error.ts'
import { rowOf } from '../../row-parts.ts'
import type {
  DeletePlan,
  InsertPlan,
  PlannedAssignment,
  PlannedPrecondition,
  SetPlan,
} from '../plan.ts'
import { planAccess } from '../plan-access.ts'
import { planFullKey } from '../plan-key.ts'
import { planChecks } from '../row-check.ts'
import { type ParseRule, planRule } from '../row-rule.ts'
import { planConflict } from './plan-conflict.ts'
import {
  columnsWritten,
  distinctColumns,
  isKeyGenerated,
  numberedAmong,
  planAssignments,
  readsOf,
  requireNoneGenerated,
  returningOf,
} from './written-columns.ts'

export function planDelete(
  statement: DeleteStatement,
  table: TableDefinition,
  rule: readonly Expression[],
): DeletePlan {
  const compiler = createExpressionCompiler(rowOf(table))
  const returned = returningOf(compiler, statement.returning)
  const deleted = { columns: new Set(columnsForDelete(table)) }
  const reads = columnsOf([deleted, ...readsOf(returned.returning)])
  const access = planAccess(compiler, table, statement, { reads }, rule)
  const { position } = statement
  return { kind: 'delete', table, position, slots: compiler.slots.all, ...access, ...returned }
}

export function planSet(
  statement: SetStatement,
  table: TableDefinition,
  parseRule: ParseRule,
  rule: readonly Expression[],
  ruleOfWrite: readonly Expression[],
): SetPlan {
  requireNoWalk(statement)
  const compiler = createExpressionCompiler(rowOf(table))
  const assignments = planAssignments(compiler, table, statement.assignments)
  const precondition = preconditionOf(compiler, statement.precondition)
  const returned = returningOf(compiler, statement.returning)
  const where = { name: 'SET', where: statement.where } as const
  const keys = keyForColumns(table, planFullKey(compiler, table, where))
  const rowRule = planRule(compiler, table, rule)
  const written = assignments.map(({ column }) => column)
  const checks = planChecks(compiler, table, parseRule, written)
  const ruleAfter = planRule(compiler, table, ruleOfWrite)
  const reads = columnsOf([
    { columns: new Set(columnsWritten(table, assignments)) },
    ...assignments.map(({ value }) => value),
    ...(precondition?.kind === 'condition' ? [precondition.condition] : []),
    ...readsOf(returned.returning),
    ...(rowRule === undefined ? [] : [rowRule]),
    ...(ruleAfter === undefined ? [] : [ruleAfter]),
  ])
  const defaults = columnsOfDefaults(table, assignments)
  const isOfGeneratedKey = isKeyGenerated(table)
  return {
    kind: 'set',
    table,
    position: statement.position,
    slots: compiler.slots.all,
    keys,
    assignments,
    reads: [...reads].sort((a, b) => a - b),
    isBlind:
      precondition === undefined &&
      defaults.length === 0 &&
      !isOfGeneratedKey &&
      rowRule?.isByKey !== false &&
      needsNoRow(table, assignments),
    defaults,
    ...numberedAmong(table, defaults),
    isOfGeneratedKey,
    checks,
    ...(precondition === undefined ? {} : { precondition }),
    ...(rowRule && { rowRule }),
    ...(ruleAfter && { ruleAfter }),
    ...returned,
  }
}

/** One row by its key is not sought, and is made where it is missing. Throws PlanError. */
function requireNoWalk({ hint, limit, table }: SetStatement): void {
  const clause = hint ?? limit
  if (clause === undefined) return
  const word = clause === hint ? 'USE' : 'LIMIT'
  const message = `A SET of one row, named by its primary key, takes no ${word}.`
  throw new PlanError('invalid_request', message, {
    position: clause.position,
    hint: `Leave it out. A WHERE with more than the key, such as AND TRUE, changes a row only if it is there.`,
    fields: { table: table.text },
  })
}

export function planInsert(
  statement: InsertStatement,
  table: TableDefinition,
  parseRule: ParseRule,
  rule: readonly Expression[],
  ruleOfWrite: readonly Expression[],
): InsertPlan {
  // Without a table, because VALUES cannot name columns: there is no row yet.
  const compiler = createExpressionCompiler()
  const columns = distinctColumns(table, statement.columns)
  if (statement.overridesGenerated !== true) requireNoneGenerated(table, statement.columns)
  requireValues(statement, table, columns)
  const rows = statement.rows.map((expressions) => {
    const values = expressions.map((expression, index) => {
      const column = table.columns[columns[index] as number] as ColumnDefinition
      return compileForColumn(compiler, expression, column)
    })
    return { values, position: expressions[0]?.position ?? statement.position }
  })
  const given = new Array<number | undefined>(table.columns.length).fill(undefined)
  for (const [index, column] of columns.entries()) given[column] = index
  const missing = given.flatMap((place, column) => (place === undefined ? [column] : []))
  const ofRow = createExpressionCompiler(rowOf(table), compiler.slots)
  const returned = returningOf(ofRow, statement.returning)
  const rowRule = planRule(ofRow, table, rule)
  const { position, onConflict: clause } = statement
  const { slots } = compiler
  const options = { slots, parseRule, rowRule, ruleOfWrite, returning: returned.returning }
  const onConflict = clause && planConflict(clause, table, options)
  const parts = {
    table,
    position,
    slots: slots.all,
    given,
    ...numberedAmong(table, missing),
    rows,
    checks: planChecks(ofRow, table, parseRule),
    ...(onConflict && { onConflict }),
  }
  return { kind: 'insert', ...parts, ...(rowRule && { rowRule }), ...returned }
}

/** The columns that are neither assigned nor in the key. */
function columnsOfDefaults(
  table: TableDefinition,
  assignments: readonly PlannedAssignment[],
): number[] {
  const given = new Set([...assignments.map(({ column }) => column), ...keyPositions(table)])
  return table.columns.flatMap((_, position) => (given.has(position) ? [] : [position]))
}

/** Whether neither the assignments nor an index need what the row was. */
function needsNoRow(table: TableDefinition, assignments: readonly PlannedAssignment[]): boolean {
  return table.indexes.length === 0 && assignments.every(({ value }) => value.columns.size === 0)
}

function preconditionOf(
  compiler: ExpressionCompiler,
  precondition: Precondition | undefined,
): PlannedPrecondition | undefined {
  if (precondition?.kind !== 'condition') return precondition && { kind: precondition.kind }
  const source = precondition.condition
  return { kind: 'condition', condition: compileAs(compiler, source, 'BOOLEAN'), source }
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
