// SPDX-License-Identifier: Apache-2.0
import type {
  CheckStatement,
  DataStatement,
  Expression,
  GetStatement,
  NotifyStatement,
  ScanStatement,
} from '../../parser/ast.ts'
import type { Catalog, TableDefinition, TableRight } from '../../storage/tables/tables.ts'
import { columnsOf } from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { compileAs } from '../expressions/type-check.ts'
import { covers } from '../keys/candidate-key.ts'
import { PlanError } from '../plan-error.ts'
import { requireTableFor, requireTableRight } from '../required-rights.ts'
import { rowOf } from '../row-parts.ts'
import { requireObserverOf, requireTable } from '../unknown-name.ts'
import { planLookups } from './lookups/plan-lookups.ts'
import { type StatementTables, tablesOf } from './lookups/statement-tables.ts'
import type {
  Access,
  CheckPlan,
  DataPlan,
  InsertPlan,
  NotifyPlan,
  PointGetPlan,
  SetPlan,
} from './plan.ts'
import { namesOneRow, planFullKey, planGetKey } from './plan-key.ts'
import { planScan } from './plan-scan.ts'
import { planProjection } from './projection.ts'
import { type ParseRule, planRule, ruleConjuncts } from './row-rule.ts'
import { columnsOfFound } from './writes/plan-conflict.ts'
import { planSetRows } from './writes/plan-set-rows.ts'
import { planDelete, planInsert, planSet } from './writes/plan-write.ts'

/** The plan of one statement on rows. Throws PlanError. */
export function planData(
  statement: DataStatement,
  catalog: Catalog,
  parseRule: ParseRule,
): DataPlan {
  const table = requireTable(catalog, statement.table)
  const tables = isRead(statement) ? tablesOf(statement, table, catalog, parseRule) : NO_TABLES
  const plan = planOnTable(statement, tables, table, parseRule, [])
  const rights = rightsOf(plan)
  for (const right of rights) requireTableRight(catalog, table, right, statement.table.position)
  const rule = ruleConjuncts(catalog, table, rights, parseRule)
  if (rule.length === 0) return plan
  const ruleOfWrite = ruleConjuncts(catalog, table, ['write'], parseRule)
  return planOnTable(statement, tables, table, parseRule, rule, ruleOfWrite)
}

const NO_TABLES: StatementTables = { parts: [], lookups: [] }

function isRead(statement: DataStatement): statement is GetStatement | ScanStatement {
  return statement.kind === 'get' || statement.kind === 'scan'
}

/** The plan for rows that meet a rule; what a SET leaves has to meet that of WRITE. */
function planOnTable(
  statement: DataStatement,
  tables: StatementTables,
  table: TableDefinition,
  parseRule: ParseRule,
  rule: readonly Expression[],
  ruleOfWrite: readonly Expression[] = [],
): DataPlan {
  switch (statement.kind) {
    case 'get':
      return planGet(statement, tables, table, rule)
    case 'scan':
      return planScan(statement, tables, table, rule)
    case 'set':
      return namesOneRow(table, statement.where)
        ? planSet(statement, table, parseRule, rule, ruleOfWrite)
        : planSetRows(statement, table, parseRule, rule, ruleOfWrite)
    case 'insert':
      return planInsert(statement, table, parseRule, rule, ruleOfWrite)
    case 'delete':
      return planDelete(statement, table, rule)
  }
}

/** What a statement needs to be allowed: what tells of columns that the client did not write is a READ as well. */
function rightsOf(plan: DataPlan): readonly TableRight[] {
  switch (plan.kind) {
    case 'pointGet':
      return plan.forUpdate ? ['read', 'write'] : ['read']
    case 'rangeScan':
    case 'aggregate':
      return ['read']
    case 'insert':
      return plan.returning === undefined && !asksOfFound(plan) ? ['write'] : ['write', 'read']
    case 'set':
      return plan.returning === undefined && !asksOfRow(plan) ? ['write'] : ['write', 'read']
    case 'setRows':
      return plan.returning !== undefined || asksOfRow(plan) || !isByKey(plan)
        ? ['write', 'read']
        : ['write']
    case 'delete':
      return plan.returning === undefined && isByKey(plan) ? ['write'] : ['write', 'read']
  }
}

/** Whether it computes from the row, or has a condition on it. */
function asksOfRow({
  assignments,
  precondition,
}: Pick<SetPlan, 'assignments' | 'precondition'>): boolean {
  return (
    precondition?.kind === 'condition' || assignments.some(({ value }) => value.columns.size > 0)
  )
}

/** Whether what becomes of a duplicate depends on the row that is there. */
function asksOfFound({ table, onConflict }: InsertPlan): boolean {
  if (onConflict?.kind !== 'update') return false
  const { condition, assignments } = onConflict
  return (
    condition !== undefined ||
    assignments.some(({ value }) => columnsOfFound(table, value).size > 0)
  )
}

/** Whether nothing but the primary key decides which rows change. */
function isByKey({ path, keyFilter, rowFilter }: Access): boolean {
  return path.bounds.key.index === undefined && keyFilter === undefined && rowFilter === undefined
}

/** Throws PlanError. */
export function planCheck(
  statement: CheckStatement,
  catalog: Catalog,
  parseRule: ParseRule,
): CheckPlan {
  const table = requireTableFor(catalog, statement.table, 'write', 'read')
  const rule = ruleConjuncts(catalog, table, ['write', 'read'], parseRule)
  const compiler = createExpressionCompiler(rowOf(table))
  const condition = compileAs(compiler, statement.condition, 'BOOLEAN')
  const keys = planFullKey(compiler, table, { name: 'CHECK', where: statement.where })
  const { position } = statement
  const rowRule = planRule(compiler, table, rule)
  const source = statement.condition
  const parts = { table, position, slots: compiler.slots.all, keys, condition, source }
  return { kind: 'check', ...parts, ...(rowRule && { rowRule }) }
}

/** Throws PlanError. */
export function planNotify(
  statement: NotifyStatement,
  catalog: Catalog,
  parseRule: ParseRule,
): NotifyPlan {
  const table = requireTableFor(catalog, statement.table, 'write')
  const observer = requireObserverOf(table, statement.observer)
  if (!observer.isWeak) throw notWeak(table, statement)
  const compiler = createExpressionCompiler(rowOf(table))
  const keys = planFullKey(compiler, table, { name: 'NOTIFY', where: statement.where })
  const { position } = statement
  const rowRule = planRule(compiler, table, ruleConjuncts(catalog, table, ['write'], parseRule))
  if (rowRule?.isByKey === false) throw notByKey(table, statement)
  const parts = { table, position, slots: compiler.slots.all, keys, observer }
  return { kind: 'notify', ...parts, ...(rowRule && { rowRule }) }
}

/** NOTIFY looks at no row, so it would tell of those that the rule hides. */
function notByKey({ name }: TableDefinition, { position }: NotifyStatement): PlanError {
  const message = `NOTIFY needs WRITE on ${name} without a rule, or with one on its key.`
  const fields = { right: 'write', table: name }
  return new PlanError('not_permitted', message, { position, fields })
}

/** Such an observer runs once for each change, and a hint is none. */
function notWeak({ name }: TableDefinition, { observer }: NotifyStatement): PlanError {
  const message = `The observer ${observer.text} is not weak, and runs for changes only.`
  return new PlanError('invalid_request', message, {
    position: observer.position,
    hint: 'SET a column that it observes, or CREATE WEAK OBSERVER for one that is told by NOTIFY.',
    fields: { table: name, observer: observer.text },
  })
}

function planGet(
  statement: GetStatement,
  tables: StatementTables,
  table: TableDefinition,
  rule: readonly Expression[],
): PointGetPlan {
  const { position, forUpdate } = statement
  if (forUpdate) requireOneTable(statement)
  const compiler = createExpressionCompiler(tables.parts)
  const projection = planProjection(compiler, statement.projection)
  const { lookups, reads: requested } = planLookups(compiler, tables, [], projection.reads)
  const { keys, rejected } = planGetKey(compiler, table, statement)
  const rowRule = planRule(compiler, table, rule)
  const reads = [...columnsOf([{ columns: requested }, ...(rowRule ? [rowRule] : [])])]
  const covering = keys.key.index !== undefined && covers(keys.key, reads)
  const parts = {
    table,
    position,
    slots: compiler.slots.all,
    keys,
    rejected,
    covering,
    projection,
    reads,
  }
  const more = { ...(rowRule && { rowRule }), ...(lookups && { lookups }) }
  return { kind: 'pointGet', ...parts, forUpdate, ...more }
}

/** A row that was looked up is not guarded: which one it is may change with the row before it. */
function requireOneTable({ lookups, position }: GetStatement): void {
  if (lookups === undefined) return
  throw new PlanError('invalid_request', 'FOR UPDATE guards the rows of one table.', {
    position,
    hint: 'Guard the rows of each table by a GET of its own, without LOOKUP.',
  })
}
