// SPDX-License-Identifier: Apache-2.0
import type { Expression, GrantStatement } from '../../parser/ast.ts'
import { partsOf } from '../../parser/expression-parts.ts'
import { keyPositions, type RowRule, type TableDefinition } from '../../storage/tables/tables.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import { columnText, expressionText, nameText } from '../expressions/expression-text.ts'
import { isClaim, parameterText } from '../expressions/parameters.ts'
import { compileAs } from '../expressions/type-check.ts'
import { unsteadyCall } from '../expressions/value-work.ts'
import { conjunctsOf, keyConditionOf } from '../keys/key-condition.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { rowOf } from '../row-parts.ts'

/**
 * The WHERE of a GRANT as it is kept; undefined without one. Throws PlanError for what has no meaning of a row alone,
 * and for what is wrong in it.
 */
export function ruleOf({ where }: GrantStatement, table: TableDefinition): RowRule | undefined {
  if (where === undefined) return undefined
  requireKeepable(where, 'A rule')
  const compiler = createExpressionCompiler(rowOf(table))
  const { columns } = compileAs(compiler, where, 'BOOLEAN')
  const ids = [...columns].map((place) => table.columns[place]?.id as number)
  return {
    text: expressionText(where),
    columns: ids.sort((a, b) => a - b),
    isByKey: isByKey(where, table),
  }
}

/** A conjunction of column = value on as many columns of the primary key as it names, from the first on. */
function isByKey(where: Expression, table: TableDefinition): boolean {
  const compiler = createExpressionCompiler(rowOf(table))
  const conditions = conjunctsOf(where).map((source) => keyConditionOf(compiler, source))
  const named = conditions.map((condition) => {
    const isEqual = condition?.kind === 'points' && condition.source.kind === 'binary'
    return isEqual ? condition.term : undefined
  })
  const key = keyPositions(table)
  const first = key.slice(0, named.length)
  return named.length <= key.length && first.every((column) => named.includes(column))
}

/** Throws PlanError for a condition that has no meaning of a row alone, or is too long to be kept. */
export function requireKeepable(
  condition: Expression,
  what: 'A rule' | 'A CHECK of a table',
): void {
  requireLasting(condition, what)
  const { ruleNodesMax } = PLANNER_LIMITS
  const nodes = nodesOf(condition)
  if (nodes <= ruleNodesMax) return
  const message = `${what} has at most ${ruleNodesMax} operators, names and values, and this one has ${nodes}.`
  throw limitExceeded('ruleNodesMax', nodes, message, { position: condition.position })
}

function requireLasting(expression: Expression, what: string): void {
  const { position } = expression
  const mayAskToken = what === 'A rule'
  if (expression.kind === 'parameter' && !(mayAskToken && isClaim(expression.key))) {
    const shown = parameterText(expression.key)
    throw new PlanError('invalid_request', `${what} has no parameters, and ${shown} is one.`, {
      position,
      hint: mayAskToken
        ? 'What a token says of its holder is token.name, such as token.sub.'
        : 'It is about the row alone, whoever writes it: name columns and write values.',
    })
  }
  if (expression.kind === 'column' && expression.qualifier !== undefined) {
    const message = `${what} is about one table, so its columns have no name before them, and ${columnText(expression)} has.`
    throw new PlanError('invalid_request', message, {
      position,
      hint: `Write ${nameText(expression.name)} alone.`,
    })
  }
  const unsteady = unsteadyCall(expression)
  if (unsteady !== undefined) throw new PlanError('invalid_request', unsteady, { position })
  for (const part of partsOf(expression)) requireLasting(part, what)
}

function nodesOf(expression: Expression): number {
  // Each type of a chain of casts is computed for itself.
  const own = expression.kind === 'cast' ? expression.types.length : 1
  return partsOf(expression).reduce((sum, part) => sum + nodesOf(part), own)
}
