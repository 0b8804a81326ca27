// SPDX-License-Identifier: Apache-2.0
import type {
  AggregateExpression,
  ColumnExpression,
  Expression,
  ScanStatement,
} from '../../parser/ast.ts'
import { partsOf } from '../../parser/expression-parts.ts'
import type { SqlValue } from '../../storage/storage.ts'
import {
  type Aggregation,
  type CompiledExpression,
  columnsOf,
  type ExpressionCompiler,
  NO_COLUMNS,
} from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { columnText } from '../expressions/expression-text.ts'
import { PlanError } from '../plan-error.ts'
import { requireColumnOf } from '../row-parts.ts'
import { type AggregateDefinition, aggregateOf } from './aggregate.ts'

/** How the rows of a SCAN become groups. */
export type AggregationPlan = {
  /** Places of the columns whose values make a group; without any, all rows are one. */
  readonly groupBy: readonly number[]
  readonly names: readonly ColumnExpression[]
  /** In the order of their slots. */
  readonly aggregates: readonly PlannedAggregate[]
  /** Places of the columns that groups and operands look at. */
  readonly reads: ReadonlySet<number>
  /**
   * The walk begins with the answer: in its first row, or in the first where the value is not NULL.
   * Absent when all rows have to be read.
   */
  readonly decidedBy?: 'firstRow' | 'firstValue'
}

export type PlannedAggregate = AggregateDefinition & {
  readonly source: AggregateExpression
  /** Absent for COUNT(*). */
  readonly operand?: CompiledExpression
}

/** Whether a SCAN answers groups of rows instead of rows. */
export function isAggregating({ groupBy, projection }: ScanStatement): boolean {
  if (groupBy.length > 0) return true
  if (projection.kind === 'allColumns') return false
  return projection.items.some(
    (item) => item.kind === 'expression' && holdsAggregate(item.expression),
  )
}

function holdsAggregate(expression: Expression): boolean {
  return expression.kind === 'aggregate' || partsOf(expression).some(holdsAggregate)
}

/** Collects the aggregates of a projection while its expressions are compiled. */
export class AggregationPlanning implements Aggregation {
  readonly groupBy: ReadonlySet<number>
  /** For expressions over groups; those inside of aggregates are over rows. */
  readonly compiler: ExpressionCompiler
  readonly #rows: ExpressionCompiler
  readonly #names: readonly ColumnExpression[]
  readonly #aggregates: PlannedAggregate[] = []

  constructor(rows: ExpressionCompiler, statement: ScanStatement) {
    this.#rows = rows
    this.#names = statement.groupBy
    this.groupBy = new Set(statement.groupBy.map((column) => requireColumnOf(rows.parts, column)))
    this.compiler = createExpressionCompiler(rows.parts, rows.slots, this)
    requireGroupedOrder(rows, statement, this.groupBy)
    if (hasStar(statement)) throw starOfGroups(statement)
  }

  compile(source: AggregateExpression): CompiledExpression {
    const operand = source.operand === undefined ? undefined : this.#rows.compile(source.operand)
    const definition = aggregateOf(source, operand?.type ?? 'NULL')
    const slot =
      this.#aggregates.push({
        ...definition,
        source,
        ...(operand === undefined ? {} : { operand }),
      }) - 1
    return {
      type: definition.type,
      position: source.position,
      evaluate: ({ aggregates }) => aggregates?.[slot] as SqlValue,
      columns: NO_COLUMNS,
      isLeaf: true,
      isConstant: false,
      needsRow: false,
    }
  }

  /** When all expressions have been compiled. */
  plan(): AggregationPlan {
    const operands = this.#aggregates.flatMap(({ operand }) => operand ?? [])
    const groupBy = [...this.groupBy]
    return {
      groupBy,
      names: this.#names,
      aggregates: this.#aggregates,
      reads: columnsOf([...operands, { columns: this.groupBy }]),
    }
  }
}

/** A group has one value of the columns that make it, and no other order. */
function requireGroupedOrder(
  { parts }: ExpressionCompiler,
  { orderBy }: ScanStatement,
  groupBy: ReadonlySet<number>,
): void {
  for (const { column } of orderBy) {
    if (groupBy.has(requireColumnOf(parts, column))) continue
    const message = `ORDER BY names ${columnText(column)}, which has no single value in a group.`
    throw new PlanError('invalid_request', message, {
      position: column.position,
      hint: 'Groups are ordered by columns of the GROUP BY.',
      fields: { column: column.name },
    })
  }
}

function hasStar({ projection }: ScanStatement): boolean {
  if (projection.kind === 'allColumns') return true
  return projection.items.some(({ kind }) => kind === 'columnsOf')
}

function starOfGroups({ groupBy, position }: ScanStatement): PlanError {
  const names = groupBy.map(columnText).join(', ')
  return new PlanError('invalid_request', 'A group of rows has no *.', {
    position,
    hint: `Name the columns of the GROUP BY and aggregates, such as: SCAN ${names}, COUNT(*) FROM …`,
  })
}
