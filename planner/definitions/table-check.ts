// SPDX-License-Identifier: Apache-2.0
import type { AddCheckStatement, CheckClause, Expression, ScanStatement } from '../../parser/ast.ts'
import {
  type Catalog,
  columnPosition,
  type NewCheck,
  type SqlValue,
  type TableDefinition,
  unfinishedCheck,
} from '../../storage/storage.ts'
import { keyToJson } from '../execute/writes/new-row.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { compileAs } from '../expressions/type-check.ts'
import { PlanError } from '../plan-error.ts'
import { rowOf } from '../row-parts.ts'
import { requireTable } from '../unknown-name.ts'
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

/** A check that what is written meets already, and how to find a row of before that does not. */
export type CheckBeingAdded = {
  readonly table: string
  readonly name: string
  /** Returns the key of one such row, or nothing. */
  readonly failing: ScanStatement
  /** PlanError check_failed about it. */
  readonly failed: (key: readonly SqlValue[]) => PlanError
}

/** What the statement has begun to add. Throws PlanError when it is gone. */
export function checkBeingAdded(
  catalog: Catalog,
  { table: name, check: { name: given, condition }, position }: AddCheckStatement,
): CheckBeingAdded {
  const table = requireTable(catalog, name)
  const text = expressionText(condition)
  const check = unfinishedCheck(table, { text, ...(given && { name: given.text }) })
  if (check === undefined) {
    const message = `The constraint has been dropped from ${table.name} while it was added.`
    throw new PlanError('invalid_request', message, { position, fields: { table: table.name } })
  }
  return {
    table: table.name,
    name: check.name,
    failing: scanOfFailing(table, condition),
    failed: (values) => {
      const isShown = mayTell(catalog, table)
      const key = keyToJson(table, values)
      const row = isShown ? `The row ${JSON.stringify(key)}` : 'A row'
      const message = `${row} of ${table.name} fails the constraint ${check.name}, which is not added: ${text}`
      const fields = { table: table.name, constraint: check.name, ...(isShown && { key }) }
      return new PlanError('check_failed', message, { position: condition.position, fields })
    },
  }
}

/** Whether whoever asks may see any row. */
function mayTell({ rights }: Catalog, table: TableDefinition): boolean {
  return rights.mayOn(table, 'read') && rights.rulesOn(table, 'read') === undefined
}

/** A condition that is NULL of a row is NULL when it is turned round, so that no such row is found. */
function scanOfFailing(table: TableDefinition, condition: Expression): ScanStatement {
  const { position } = condition
  const items = table.primaryKey.map(({ columnId }) => {
    const label = table.columns[columnPosition(table, columnId)]?.name ?? ''
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
