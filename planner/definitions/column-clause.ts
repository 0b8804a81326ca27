// SPDX-License-Identifier: Apache-2.0
import type { ColumnClause, Expression } from '../../parser/ast.ts'
import type { ColumnDefault, NewColumn, SqlType } from '../../storage/storage.ts'
import { scopeOfNothing } from '../execute/rows/execution-context.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { ParameterSlots } from '../expressions/parameters.ts'
import { compileAs } from '../expressions/type-check.ts'
import { PlanError } from '../plan-error.ts'

/** The column that a clause of CREATE TABLE or ALTER TABLE describes. Throws PlanError. */
export function newColumnOf(clause: ColumnClause): NewColumn {
  const { name, notNull } = clause
  // The parser lets no other name through.
  const type = clause.type.text as SqlType
  const column = { name: name.text, type, notNull }
  return clause.default === undefined
    ? column
    : { ...column, default: columnDefault(clause.default, type) }
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
  return { kind: 'literal', value: value.evaluate(scopeOfNothing()) }
}
