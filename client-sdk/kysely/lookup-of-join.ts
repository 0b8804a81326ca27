// SPDX-License-Identifier: Apache-2.0
import type { JoinNode, OperationNode } from 'kysely'
import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  OperatorNode,
  ParensNode,
  ReferenceNode,
  TableNode,
} from 'kysely'
import { NotInDialectError } from './refused-clauses.ts'

/** A join as LOOKUP has it: which column of the other table is which value. */
export type Lookup = {
  readonly table: OperationNode
  readonly by: ReadonlyArray<{ readonly column: OperationNode; readonly value: OperationNode }>
  readonly isOptional: boolean
  /** What else an inner join asks of its rows: it is the same in the WHERE. */
  readonly conditions: readonly OperationNode[]
}

/**
 * An inner join or a left join by the key of the other table. Throws NotInDialectError where it asks more of a left
 * join, or names no column of the other table by `=`.
 */
export function lookupOf({ joinType, table, on }: JoinNode): Lookup {
  const name = nameOf(table)
  const parts = on === undefined ? [] : partsOf(on.on)
  const isOptional = joinType === 'LeftJoin'
  const by: Array<{ column: OperationNode; value: OperationNode }> = []
  const conditions: OperationNode[] = []
  for (const part of parts) {
    const pair = pairOf(part, name)
    if (pair === undefined) conditions.push(part)
    else by.push(pair)
  }
  if (by.length === 0 || (isOptional && conditions.length > 0)) {
    throw new NotInDialectError(
      isOptional ? 'LEFT JOIN by this condition' : 'JOIN by this condition',
      `give the key of the other table by "=" and nothing else: leftJoin('${name}', '${name}.id', 'other.column')`,
    )
  }
  return { table, by, isOptional, conditions }
}

function partsOf(node: OperationNode): readonly OperationNode[] {
  if (ParensNode.is(node) && AndNode.is(node.node)) return partsOf(node.node)
  return AndNode.is(node) ? [...partsOf(node.left), ...partsOf(node.right)] : [node]
}

function pairOf(node: OperationNode, name: string) {
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator)) return undefined
  if (node.operator.operator !== '=') return undefined
  const { leftOperand: left, rightOperand: right } = node
  const isLeft = isColumnOf(left, name)
  if (isLeft === isColumnOf(right, name)) return undefined
  return isLeft ? { column: left, value: right } : { column: right, value: left }
}

function isColumnOf(node: OperationNode, name: string): boolean {
  return ReferenceNode.is(node) && node.table !== undefined && nameOf(node.table) === name
}

/** What columns are called by: the alias, if there is one. */
function nameOf(table: OperationNode): string {
  if (AliasNode.is(table) && 'name' in table.alias) return String(table.alias.name)
  return TableNode.is(table) ? table.table.identifier.name : ''
}
