// SPDX-License-Identifier: Apache-2.0
import type { Expression, Precondition, SetStatement } from '../../../parser/ast.ts'
import { keyColumns, keyPositions, type TableDefinition } from '../../../storage/tables/tables.ts'
import { columnsOf } from '../../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../../expressions/expression.ts'
import {
  conjunctText,
  expressionText,
  intoText,
  nameText,
  projectionText,
} from '../../expressions/expression-text.ts'
import { conjunctsOf } from '../../keys/key-condition.ts'
import { PlanError } from '../../plan-error.ts'
import { rowOf } from '../../row-parts.ts'
import type { SetRowsPlan } from '../plan.ts'
import { planAccess } from '../plan-access.ts'
import { SUGGESTION_CHARACTERS_MAX } from '../plan-key.ts'
import { planChecks } from '../row-check.ts'
import { type ParseRule, planRule } from '../row-rule.ts'
import { columnsWritten, planAssignments, readsOf, returningOf } from './written-columns.ts'

/** The SET of rows that a walk finds, as those of a DELETE. */
export function planSetRows(
  statement: SetStatement,
  table: TableDefinition,
  parseRule: ParseRule,
  rule: readonly Expression[],
  ruleOfWrite: readonly Expression[],
): SetRowsPlan {
  requireNoPrecondition(statement, table)
  const compiler = createExpressionCompiler(rowOf(table))
  const assignments = planAssignments(compiler, table, statement.assignments)
  const returned = returningOf(compiler, statement.returning)
  const written = assignments.map(({ column }) => column)
  const checks = planChecks(compiler, table, parseRule, written)
  const ruleAfter = planRule(compiler, table, ruleOfWrite)
  const reads = columnsOf([
    { columns: new Set(columnsWritten(table, assignments)) },
    { columns: new Set(keyPositions(table)) },
    ...assignments.map(({ value }) => value),
    ...readsOf(returned.returning),
    ...(ruleAfter === undefined ? [] : [ruleAfter]),
  ])
  const access = planAccess(compiler, table, statement, { reads }, rule)
  const { position } = statement
  const parts = { table, position, slots: compiler.slots.all, assignments, checks, ...access }
  return { kind: 'setRows', ...parts, ...(ruleAfter && { ruleAfter }), ...returned }
}

/** What follows IF is asked of one row, which may be missing; here it is a condition like any other. */
function requireNoPrecondition(statement: SetStatement, table: TableDefinition): void {
  const { precondition } = statement
  if (precondition === undefined) return
  const key = keyColumns(table).map(({ name }) => nameText(name))
  const message = `IF is for a SET whose WHERE names each column of the primary key (${key.join(', ')}) by =, and nothing else.`
  const { hint, suggestion } = insteadOfIf(statement, precondition)
  throw new PlanError('invalid_request', message, {
    position: precondition.position,
    hint,
    fields: { table: table.name, ...(suggestion === undefined ? {} : { suggestion }) },
  })
}

function insteadOfIf(
  statement: SetStatement,
  precondition: Precondition,
): { readonly hint: string; readonly suggestion?: string } {
  switch (precondition.kind) {
    case 'exists':
      return withSuggestion('Leave it out: only rows that are there are changed', statement, [])
    case 'notExists':
      return { hint: 'INSERT … ON CONFLICT DO NOTHING makes a row where there is none.' }
    case 'condition':
      return withSuggestion('Write it into the WHERE', statement, [precondition.condition])
  }
}

function withSuggestion(
  advice: string,
  { assignments, table, hint, where, limit, returning, into }: SetStatement,
  conditions: readonly Expression[],
): { readonly hint: string; readonly suggestion?: string } {
  const sets = assignments.map(
    ({ column, value }) => `${nameText(column.text)} = ${expressionText(value)}`,
  )
  const parts = [where, ...conditions].flatMap((each) => conjunctsOf(each)).map(conjunctText)
  const key = hint?.kind === 'index' ? `INDEX ${nameText(hint.index.text)}` : 'PRIMARY KEY'
  const suggestion = [
    `SET ${sets.join(', ')} ON ${nameText(table.text)}`,
    hint === undefined ? '' : ` USE ${key}`,
    ` WHERE ${parts.join(' AND ')}`,
    limit === undefined ? '' : ` LIMIT ${expressionText(limit)}`,
    returning === undefined ? '' : ` RETURNING ${projectionText(returning)}`,
    intoText(into),
  ].join('')
  if (suggestion.length > SUGGESTION_CHARACTERS_MAX) return { hint: `${advice}.` }
  return { hint: `${advice}: ${suggestion}`, suggestion }
}
