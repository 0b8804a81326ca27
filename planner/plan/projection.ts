// SPDX-License-Identifier: Apache-2.0
import type { Projection } from '../../parser/ast.ts'
import type { SqlType, TableDefinition } from '../../storage/storage.ts'
import { columnsOf, type ExpressionCompiler } from '../expressions/compiled-expression.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { PlanError } from '../plan-error.ts'
import type { RowProjection } from './plan.ts'

/**
 * What a statement answers of each row, or of each group of rows. Every column of a result has a name
 * of its own, since a row in JSON is an object; PlanError invalid_request says which one is there
 * twice.
 */
export function planProjection(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  projection: Projection,
): RowProjection {
  if (projection.kind === 'allColumns') {
    const columns = table.columns.map(({ name, type }) => ({ name, type }))
    const reads = new Set(table.columns.keys())
    const project: RowProjection['project'] = ({ row, work }) => {
      work.spend(columns.length)
      return [...row]
    }
    return { columns, reads, project }
  }
  const names = new Set<string>()
  const items = projection.items.map(({ expression, label }) => {
    if (names.has(label)) {
      throw new PlanError('invalid_request', `Two columns of the result are named ${label}.`, {
        position: expression.position,
        hint: 'Give one of them another name with AS.',
        fields: { column: label },
      })
    }
    names.add(label)
    const value = compiler.compile(expression)
    // NULL alone has no type; as a column it has one, so that clients know all of them.
    const type: SqlType = value.type === 'NULL' ? 'TEXT' : value.type
    return { name: label, type, value }
  })
  const units = NODE_UNITS * items.length
  const evaluations = items.map(({ value }) => value.evaluate)
  return {
    columns: items.map(({ name, type }) => ({ name, type })),
    reads: columnsOf(items.map(({ value }) => value)),
    project: (scope) => {
      scope.work.spend(units)
      return evaluations.map((evaluate) => evaluate(scope))
    },
  }
}
