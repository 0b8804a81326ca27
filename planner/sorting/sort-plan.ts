// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position, ScanStatement } from '../../parser/ast.ts'
import { columnPosition, type TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import {
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
  type Scope,
} from '../expressions/compiled-expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { typeMismatch } from '../expressions/type-check.ts'
import type { OrderTerm } from '../keys/key-order.ts'
import { termOf } from '../keys/key-term.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { orderedBy } from './labels.ts'
import type { SortKey } from './top-rows.ts'

/** One value that rows or groups are ordered by. */
export type SortPart = SortKey & { evaluate(scope: Scope): SqlValue }

/** The ORDER BY of a SCAN. */
export type PlannedOrder = {
  /** Undefined where no key has such an order. */
  readonly terms: readonly OrderTerm[] | undefined
  readonly parts: readonly SortPart[]
  /** Places of the columns that the parts look at. */
  readonly reads: ReadonlySet<number>
  /** As EXPLAIN tells them. */
  readonly texts: readonly string[]
  readonly position?: Position
}

export const NO_ORDER: PlannedOrder = { terms: [], parts: [], reads: new Set(), texts: [] }

/** Throws PlanError for what has no order, or is the same for all rows. */
export function planOrder(compiler: ExpressionCompiler, statement: ScanStatement): PlannedOrder {
  const order = orderedBy(statement).map(({ expression, descending }) => {
    const value = compiler.compile(expression)
    requireOrder(value)
    return { expression, descending, value }
  })
  const [first] = statement.orderBy
  const terms = order.flatMap(({ expression, descending }) => {
    const meant = termOf(compiler.parts, expression)
    return meant === undefined ? [] : [{ term: meant.term, descending }]
  })
  return {
    terms: terms.length === order.length ? terms : undefined,
    parts: order.map(({ value: { type, evaluate }, descending }) => {
      return { type: type === 'NULL' ? 'TEXT' : type, descending, evaluate }
    }),
    reads: columnsOf(order.map(({ value }) => value)),
    texts: order.map(({ expression, descending }) => orderText(expression, descending)),
    ...(first === undefined ? {} : { position: first.expression.position }),
  }
}

/** The primary key after what rows are ordered by: no two of them are equal, and each can be read again. */
export function keySortParts(table: TableDefinition): readonly SortPart[] {
  return table.primaryKey.map(({ columnId, descending }) => {
    const column = columnPosition(table, columnId)
    const { type } = table.columns[column] as { readonly type: SqlType }
    return { type, descending, evaluate: ({ row }) => row[column] as SqlValue }
  })
}

/** Throws PlanError `limit_exceeded` for a LIMIT above `sortRowsMax`. */
export function requireSortable(count: number, position: Position | undefined): void {
  const { sortRowsMax } = PLANNER_LIMITS
  if (count <= sortRowsMax) return
  const message = `A LIMIT of ${count} is more than are sorted, which is ${sortRowsMax}.`
  throw limitExceeded('sortRowsMax', count, message, {
    position,
    hint: 'Take a smaller LIMIT, or an index that gives the order.',
  })
}

/** The LIMIT as it is written, where it is a number. */
export function literalLimit(limit: Expression | undefined): number | undefined {
  return limit?.kind === 'literal' && limit.type === 'integer' ? Number(limit.value) : undefined
}

function requireOrder({ type, isConstant, position }: CompiledExpression): void {
  if (type === 'JSON')
    throw typeMismatch('JSON has no order, so nothing is sorted by it.', position)
  if (!isConstant) return
  throw new PlanError('invalid_request', 'ORDER BY names a value that is the same for all rows.', {
    position,
    hint: 'Name a column, an expression of columns, or the label of one that AS gives it.',
  })
}

function orderText(expression: Expression, descending: boolean): string {
  return `${expressionText(expression)}${descending ? ' DESC' : ''}`
}
