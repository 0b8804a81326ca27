// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression, InExpression, Position } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import {
  type CompiledExpression,
  type ExpressionCompiler,
  nodeOf,
  type Scope,
} from './compiled-expression.ts'
import { compileAlike, typeMismatch } from './type-check.ts'
import { type Comparison, comparisonOf } from './value-work.ts'

/** The values of rows at one place, which have one type. */
type ComparedColumn = {
  readonly parts: readonly CompiledExpression[]
  readonly compare: Comparison
}

/** The first values that differ decide; what NULL decides is unknown. */
export function compileRowComparison(
  compiler: ExpressionCompiler,
  { first, rest, position }: BinaryExpression,
  satisfies: (order: number) => boolean,
): CompiledExpression {
  const columns = columnsOfRows(compiler, [first, (rest[0] as BinaryExpression['rest'][0]).operand])
  for (const { parts } of columns) {
    if (parts.some(({ type }) => type === 'JSON')) {
      throw typeMismatch(
        'JSON has no order, so rows of it are compared by = and <> only.',
        position,
      )
    }
  }
  return nodeOf('BOOLEAN', position, partsOf(columns), (units) => (scope) => {
    scope.work.spend(units)
    for (const { parts, compare } of columns) {
      const [a, b] = [valueAt(parts, 0, scope), valueAt(parts, 1, scope)]
      if (a === null || b === null) return null
      const order = compare(a, b, scope.work)
      if (order !== 0) return satisfies(order)
    }
    return satisfies(0)
  })
}

/** `(a, b) IN ((1, 2), (3, 4))`, and what a row is compared with so by mistake. */
export function isAmongRows({ operand, list }: InExpression): boolean {
  return operand.kind === 'row' || (!('kind' in list) && list.some(({ kind }) => kind === 'row'))
}

export function compileRowIn(
  compiler: ExpressionCompiler,
  { operand, list, negated, position }: InExpression,
): CompiledExpression {
  if ('kind' in list) throw unequalRows(list.position)
  const columns = columnsOfRows(compiler, [operand, ...list])
  return nodeOf('BOOLEAN', position, partsOf(columns), (units) => (scope) => {
    scope.work.spend(units)
    const row = columns.map(({ parts }) => valueAt(parts, 0, scope))
    let isUnknown = false
    for (let number = 1; number <= list.length; number += 1) {
      const isEqual = equals(columns, row, number, scope)
      if (isEqual === true) return !negated
      isUnknown ||= isEqual === null
    }
    return isUnknown ? null : negated
  })
}

/** Whether the row has the values of the one with this number; null where NULL leaves it unknown. */
function equals(
  columns: readonly ComparedColumn[],
  row: readonly SqlValue[],
  number: number,
  scope: Scope,
): boolean | null {
  let isUnknown = false
  for (const [index, { parts, compare }] of columns.entries()) {
    const a = row[index] as SqlValue
    const b = valueAt(parts, number, scope)
    if (a === null || b === null) isUnknown = true
    else if (compare(a, b, scope.work) !== 0) return false
  }
  return isUnknown ? null : true
}

function valueAt(parts: readonly CompiledExpression[], number: number, scope: Scope): SqlValue {
  return (parts[number] as CompiledExpression).evaluate(scope)
}

function partsOf(columns: readonly ComparedColumn[]): readonly CompiledExpression[] {
  return columns.flatMap(({ parts }) => parts)
}

function columnsOfRows(
  compiler: ExpressionCompiler,
  expressions: readonly [Expression, ...Expression[]],
): readonly ComparedColumn[] {
  const [first] = expressions
  const rows = expressions.map((row) => {
    const isFit = row.kind === 'row' && first.kind === 'row'
    if (!isFit || row.values.length !== first.values.length) throw unequalRows(row.position)
    return row.values
  })
  return (rows[0] ?? []).map((_, index) => {
    const { type, parts } = compileAlike(
      compiler,
      rows.map((values) => values[index] as Expression),
    )
    return { parts, compare: comparisonOf(type as SqlType) }
  })
}

function unequalRows(position: Position): PlanError {
  return new PlanError('invalid_request', 'A row of values is compared with rows of as many.', {
    position,
    hint: 'Write (a, b) > (:x, :y), or (a, b) IN ((:x, :y), …).',
  })
}

export function loneRow(position: Position): PlanError {
  return new PlanError('invalid_request', 'A row of values is no value of its own.', {
    position,
    hint: 'It is compared with another: (a, b) > (:x, :y), or by =, <>, <, <=, >= and IN.',
  })
}
