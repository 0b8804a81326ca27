// SPDX-License-Identifier: Apache-2.0
import type { Expression, LabelledExpression, Position, Projection } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlType } from '../../storage/values/values.ts'
import { columnsOf, type ExpressionCompiler } from '../expressions/compiled-expression.ts'
import { NODE_UNITS } from '../expressions/work-meter.ts'
import { PlanError } from '../plan-error.ts'
import { type RowPart, requirePart } from '../row-parts.ts'
import type { RowProjection } from './plan.ts'

/** What a projection is made of, with each `*` written out. Throws PlanError for that of a table that is not there. */
export function projectedExpressions(
  parts: readonly RowPart[],
  projection: Projection,
): ReadonlyArray<Pick<LabelledExpression, 'expression' | 'label'>> {
  if (projection.kind === 'allColumns') return columnsOfParts(parts, projection.position)
  return projection.items.flatMap((item) => {
    if (item.kind === 'expression') return [item]
    return columnsOfParts([requirePart(parts, item.qualifier)], item.qualifier.position)
  })
}

function columnsOfParts(
  parts: readonly RowPart[],
  position: Position,
): ReadonlyArray<Pick<LabelledExpression, 'expression' | 'label'>> {
  return parts.flatMap((part) =>
    part.table.columns.map(({ name }) => ({
      expression: { kind: 'column', qualifier: part.name, name, position },
      label: name,
    })),
  )
}

/**
 * What a statement answers of each row, or of each group of rows. Every column of a result has a name
 * of its own, since a row in JSON is an object; PlanError invalid_request says which one is there
 * twice.
 */
export function planProjection(
  compiler: ExpressionCompiler,
  projection: Projection,
): RowProjection {
  const { parts } = compiler
  const [only, ...others] = parts
  if (projection.kind === 'allColumns' && only !== undefined && others.length === 0) {
    const { columns: ofTable } = only.table
    const reads = new Set(ofTable.keys())
    const columns = sharedColumns(
      only.table,
      ofTable.map(({ name, type }) => ({ name, type })),
      [...reads],
    )
    const project: RowProjection['project'] = ({ row, work }) => {
      work.spend(columns.length)
      return [...row]
    }
    return { columns, reads, units: columns.length, places: [...reads], project }
  }
  const names = new Set<string>()
  const expressions = projectedExpressions(parts, projection)
  const items = expressions.map(({ expression, label }) => {
    if (names.has(label)) throw namedTwice(expression, label)
    names.add(label)
    const value = compiler.compile(expression)
    // NULL alone has no type; as a column it has one, so that clients know all of them.
    const type: SqlType = value.type === 'NULL' ? 'TEXT' : value.type
    return { name: label, type, value }
  })
  const units = NODE_UNITS * items.length
  const isPlain =
    others.length === 0 && expressions.every(({ expression }) => expression.kind === 'column')
  const evaluations = items.map(({ value }) => value.evaluate)
  const columns = items.map(({ name, type }) => ({ name, type }))
  const places = isPlain ? items.flatMap(({ value }) => [...value.columns]) : undefined
  return {
    columns: places && only ? sharedColumns(only.table, columns, places) : columns,
    reads: columnsOf(items.map(({ value }) => value)),
    units,
    ...(places && { places }),
    project: (scope) => {
      scope.work.spend(units)
      return evaluations.map((evaluate) => evaluate(scope))
    },
  }
}

const COLUMNS_KEPT_MAX = 64
const COLUMNS = new WeakMap<TableDefinition, Map<string, RowProjection['columns']>>()

/**
 * One object for the columns of all texts that answer the same of a table: who writes answers keeps by it how their
 * rows are written.
 */
function sharedColumns(
  table: TableDefinition,
  columns: RowProjection['columns'],
  places: readonly number[],
): RowProjection['columns'] {
  const kept = COLUMNS.get(table) ?? new Map<string, RowProjection['columns']>()
  COLUMNS.set(table, kept)
  const text = JSON.stringify([places, columns.map(({ name }) => name)])
  const known = kept.get(text) ?? columns
  if (kept.size < COLUMNS_KEPT_MAX) kept.set(text, known)
  return known
}

function namedTwice({ position }: Expression, label: string): PlanError {
  const message = `Two columns of the result are named ${label}.`
  return new PlanError('invalid_request', message, {
    position,
    hint: 'Give one of them another name with AS.',
    fields: { column: label },
  })
}
