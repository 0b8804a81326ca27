// SPDX-License-Identifier: Apache-2.0
import type { ConflictClause, Expression, KeyPartName, UpdateAction } from '../../../parser/ast.ts'
import { keyPositions, type TableDefinition } from '../../../storage/tables/tables.ts'
import {
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
} from '../../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../../expressions/expression.ts'
import { compileAs } from '../../expressions/type-check.ts'
import {
  type CandidateKey,
  keyText,
  primaryKeyOf,
  uniqueBuildingHint,
  uniqueKeyOf,
  uniqueKeys,
} from '../../keys/candidate-key.ts'
import { requirePath, termAt, termText } from '../../keys/key-term.ts'
import { PlanError } from '../../plan-error.ts'
import { type RowPart, rowOf } from '../../row-parts.ts'
import { requireColumn } from '../../unknown-name.ts'
import type { KeyConflict, PlannedConflict, RowProjection } from '../plan.ts'
import { planChecks } from '../row-check.ts'
import { type ParseRule, type PlannedRule, planRule } from '../row-rule.ts'
import { columnsWritten, distinctColumns, planAssignments } from './written-columns.ts'

/** What of the INSERT the rows that are there are read for, besides the clause. */
type Options = {
  readonly slots: ExpressionCompiler['slots']
  readonly parseRule: ParseRule
  readonly rowRule: PlannedRule | undefined
  readonly ruleOfWrite: readonly Expression[]
  readonly returning: RowProjection | undefined
}

/** Throws PlanError for columns of no key, and those of assignments and conditions. */
export function planConflict(
  clause: ConflictClause,
  table: TableDefinition,
  options: Options,
): PlannedConflict {
  const { action, columns } = clause
  const key = columns === undefined ? undefined : keyNamed(table, columns)
  if (action.kind === 'update')
    return planUpdate(action, key ?? primaryKeyOf(table), table, options)
  return key === undefined ? { kind: 'skipAll' } : { kind: 'skip', key, reads: [] }
}

function planUpdate(
  action: UpdateAction,
  key: CandidateKey,
  table: TableDefinition,
  { slots, parseRule, rowRule, ruleOfWrite, returning }: Options,
): KeyConflict {
  const compiler = createExpressionCompiler([...rowOf(table), excludedOf(table)], slots)
  const assignments = planAssignments(compiler, table, action.assignments)
  const source = action.condition
  const condition = source && { condition: compileAs(compiler, source, 'BOOLEAN'), source }
  const ruleAfter = planRule(compiler, table, ruleOfWrite)
  const written = assignments.map(({ column }) => column)
  const reads = columnsOf([
    { columns: new Set([...keyPositions(table), ...columnsWritten(table, assignments)]) },
    { columns: returning?.reads ?? new Set() },
    ...assignments.map(({ value }) => ({ columns: columnsOfFound(table, value) })),
    ...(condition ? [{ columns: columnsOfFound(table, condition.condition) }] : []),
    // What it has to meet afterwards is part of this.
    ...(rowRule ? [rowRule] : []),
  ])
  return {
    kind: 'update',
    key,
    reads: [...reads].sort((a, b) => a - b),
    assignments,
    checks: planChecks(compiler, table, parseRule, written),
    ...(condition && { condition }),
    ...(ruleAfter && { ruleAfter }),
  }
}

/** The row that would have been inserted, after the one that is there. */
function excludedOf(table: TableDefinition): RowPart {
  return { name: 'excluded', table, offset: table.columns.length, isQualifiedOnly: true }
}

/** Of the columns that an expression of DO UPDATE names, those of the row that is there. */
export function columnsOfFound(
  { columns }: TableDefinition,
  expression: CompiledExpression,
): ReadonlySet<number> {
  return new Set([...expression.columns].filter((column) => column < columns.length))
}

/** The primary key or the unique index of exactly these parts, in whatever order. */
function keyNamed(table: TableDefinition, names: readonly KeyPartName[]): CandidateKey {
  const parts = names.map((name) => ({ ...name, path: requirePath(name) }))
  const columns = distinctColumns(
    table,
    parts.flatMap(({ column, path }) => (path === undefined ? [column] : [])),
  )
  const paths = parts.flatMap(({ column, path }) => {
    if (path === undefined) return []
    return [termAt(requireColumn(table, column.text, column.position), path)]
  })
  const terms = [...columns, ...paths]
  const found = uniqueKeyOf(table, new Set(terms))
  if (found !== undefined) return found
  const list = terms.map((term) => termText(table, term)).join(', ')
  const keys = uniqueKeys(table).map(keyText)
  throw new PlanError('invalid_request', `No key of ${table.name} is unique by (${list}).`, {
    position: names[0]?.column.position,
    hint: `ON CONFLICT names all columns of ${keys.join(' or of ')}.${uniqueBuildingHint(table)}`,
    fields: { table: table.name, keys },
  })
}
