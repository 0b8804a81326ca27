// SPDX-License-Identifier: Apache-2.0
import type { DeleteStatement, Expression, ScanStatement } from '../parser/ast.ts'
import type { TableDefinition } from '../storage/storage.ts'
import { candidateKeys } from './candidate-key.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
} from './compiled-expression.ts'
import { conjunctsOf, type KeyCondition, keyConditionOf } from './key-condition.ts'
import type { OrderColumn } from './key-order.ts'
import { conditionsOf } from './key-range.ts'
import type { Access, RowFilter } from './plan.ts'
import { chooseAccess } from './rules.ts'
import { compileAs } from './type-check.ts'
import { requireColumn } from './unknown-name.ts'

/** The way to the rows of a SCAN or a DELETE, and what is left of the WHERE to filter them by. */
export function planAccess(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: ScanStatement | DeleteStatement,
): Access {
  const keys = candidateKeys(table)
  const inKeys = new Set(keys.flatMap((key) => key.parts.map((part) => part.column)))
  const conjuncts = conjunctsOf(statement.where).map((source): Conjunct => {
    const slotsBefore = compiler.slots.all.length
    const condition = keyConditionOf(compiler, source)
    if (condition !== undefined && inKeys.has(condition.column)) return { source, condition }
    compiler.slots.keepFirst(slotsBefore)
    // Compiled before a key is chosen: a wrong name or type is the better message to give.
    return { source, filter: compileAs(compiler, source, 'BOOLEAN') }
  })
  const conditions = conjuncts.flatMap(({ condition }) => condition ?? [])
  const { path, lost } = chooseAccess({
    statement: statement.kind === 'scan' ? 'SCAN' : 'DELETE',
    position: statement.position,
    table,
    keys,
    ...(statement.hint === undefined ? {} : { hint: statement.hint }),
    hasWhere: statement.where !== undefined,
    conditions,
    ...orderOf(table, statement),
  })
  const filter = filterOf(compiler, conjuncts, conditionsOf(path.bounds))
  const limitSource = statement.limit
  const limit = limitSource === undefined ? undefined : compileAs(compiler, limitSource, 'INTEGER')
  return {
    path,
    lost,
    ...(filter === undefined ? {} : { filter }),
    ...(limit === undefined || limitSource === undefined ? {} : { limit, limitSource }),
  }
}

function orderOf(
  table: TableDefinition,
  statement: ScanStatement | DeleteStatement,
): { readonly orderBy: readonly OrderColumn[]; readonly orderPosition?: Expression['position'] } {
  if (statement.kind === 'delete') return { orderBy: [] }
  const orderBy = statement.orderBy.map(({ column, descending }) => ({
    column: requireColumn(table, column.text, column.position),
    descending,
  }))
  const first = statement.orderBy[0]?.column.position
  return { orderBy, ...(first === undefined ? {} : { orderPosition: first }) }
}

type Conjunct = {
  readonly source: Expression
  readonly condition?: KeyCondition
  readonly filter?: CompiledExpression
}

/** Everything that the bounds do not fully see to. */
function filterOf(
  compiler: ExpressionCompiler,
  conjuncts: readonly Conjunct[],
  bounding: readonly KeyCondition[],
): RowFilter | undefined {
  const done = new Set(bounding.filter(({ exact }) => exact))
  const left = conjuncts.filter(({ condition }) => condition === undefined || !done.has(condition))
  const [first] = left
  if (first === undefined) return undefined
  const parts = left.map(({ source, filter }) => filter ?? compileAs(compiler, source, 'BOOLEAN'))
  const condition: CompiledExpression = {
    type: 'BOOLEAN',
    position: first.source.position,
    // Like AND: a row stays only when no part is FALSE or unknown.
    evaluate: (scope) => parts.every((part) => part.evaluate(scope) === true),
    ...dependenceOf(parts),
  }
  return { condition, sources: left.map(({ source }) => source) }
}
