// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../parser/ast.ts'
import type { TableDefinition } from '../storage/storage.ts'
import { type CandidateKey, primaryKeyOf } from './candidate-key.ts'
import type { ExpressionCompiler } from './compiled-expression.ts'
import { nameText } from './expression-text.ts'
import { conjunctsOf, type KeyCondition, keyConditionOf } from './key-condition.ts'
import { boundsOf, type KeyBounds } from './key-range.ts'
import { PlanError } from './plan-error.ts'
import { compileAs } from './type-check.ts'

/**
 * The WHERE of a GET or a SET: each column of the primary key exactly once, by = (or, in a GET, by
 * IN), and nothing else. Throws PlanError invalid_request that tells what is missing or too much.
 */
export function planFullKey(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: { readonly name: 'GET' | 'SET'; readonly where: Expression },
): KeyBounds {
  const key = primaryKeyOf(table)
  const named = new Set<number>()
  const conditions = conjunctsOf(statement.where).map((conjunct) => {
    const condition = keyConditionOf(compiler, conjunct)
    if (condition === undefined || !isPartOfKey(key, condition, statement.name)) {
      // A mistake in its types is the better message where there is one.
      compileAs(compiler, conjunct, 'BOOLEAN')
      throw notTheKey(key, table, statement.name, conjunct.position)
    }
    if (named.has(condition.column)) {
      const { name } = key.parts.find((part) => part.column === condition.column) as {
        name: string
      }
      throw new PlanError('invalid_request', `The WHERE names the key column ${name} twice.`, {
        position: conjunct.position,
        fields: { table: table.name, column: name },
      })
    }
    named.add(condition.column)
    return condition
  })
  if (named.size < key.parts.length) {
    throw notTheKey(key, table, statement.name, statement.where.position)
  }
  return boundsOf(key, conditions)
}

function isPartOfKey(
  key: CandidateKey,
  condition: KeyCondition,
  statement: 'GET' | 'SET',
): boolean {
  if (condition.kind !== 'points' || condition.source.kind === 'isNull') return false
  if (statement === 'SET' && condition.source.kind === 'in') return false
  return key.parts.some((part) => part.column === condition.column)
}

function notTheKey(
  key: CandidateKey,
  table: TableDefinition,
  statement: 'GET' | 'SET',
  position: Position,
): PlanError {
  const names = key.parts.map((part) => nameText(part.name))
  const by = statement === 'GET' ? 'by = or IN' : 'by ='
  const message = `The WHERE of a ${statement} names each column of the primary key (${names.join(', ')}) ${by}, and nothing else.`
  const wanted = `WHERE ${names.map((name) => `${name} = …`).join(' AND ')}`
  const hint =
    statement === 'GET'
      ? `Write ${wanted}, or SCAN … FROM ${nameText(table.name)} WHERE … for any other condition.`
      : `Write ${wanted}; SCAN … FROM ${nameText(table.name)} finds the keys of rows by other conditions.`
  return new PlanError('invalid_request', message, {
    position,
    hint,
    fields: { table: table.name, primaryKey: key.parts.map((part) => part.name) },
  })
}
