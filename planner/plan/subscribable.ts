// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position, Statement } from '../../parser/ast.ts'
import { partsOf } from '../../parser/expression-parts.ts'
import { unsteadyCall } from '../expressions/value-work.ts'
import { PlanError } from '../plan-error.ts'
import { isAggregating } from './aggregation-plan.ts'

/** `rows` tells what commits change of each row, `result` the whole list as it is after them. */
export type SubscriptionMode = 'rows' | 'result'

export type Subscribable = Extract<Statement, { kind: 'get' | 'scan' }>

/**
 * Throws PlanError `not_subscribable` for all but a GET or a SCAN of the present whose answer depends on nothing but
 * rows of tables.
 */
export function requireSubscribable(statement: Statement): asserts statement is Subscribable {
  const { position } = statement
  if (statement.kind !== 'get' && statement.kind !== 'scan') {
    throw notSubscribable('A subscription is one GET or one SCAN.', position)
  }
  if (statement.asOf !== undefined) {
    throw notSubscribable('AS OF reads the past, which does not change.', statement.asOf.position)
  }
  if (statement.into !== undefined) {
    throw notSubscribable('INTO is for later statements of a request.', statement.into.position)
  }
  if (statement.kind === 'get' && statement.forUpdate) {
    throw notSubscribable('FOR UPDATE guards rows until a commit.', position)
  }
  for (const expression of expressionsOf(statement)) requireSteady(expression)
}

/**
 * How a subscribable statement is told: as requested, else row by row where it may be. Throws PlanError
 * `not_subscribable` where `rows` is asked for and a row depends on more than itself.
 */
export function subscriptionMode(
  statement: Subscribable,
  requested: SubscriptionMode | undefined,
): SubscriptionMode {
  if (requested === 'result') return 'result'
  const refusal = rowsRefusal(statement)
  if (refusal === undefined) return 'rows'
  if (requested === 'rows') throw refusal
  return 'result'
}

/** Why the rows of the statement do not each stand for themselves; undefined where they do. */
export function rowsRefusal(statement: Subscribable): PlanError | undefined {
  const [lookup] = statement.lookups ?? []
  if (lookup !== undefined) return dependsOnOthers('LOOKUP', lookup.position)
  if (statement.kind === 'get') return undefined
  const { limit, orderBy, position } = statement
  const ordered = orderBy[0]?.expression
  if (limit !== undefined) return dependsOnOthers('LIMIT', limit.position)
  if (ordered !== undefined) return dependsOnOthers('ORDER BY', ordered.position)
  if (isAggregating(statement)) {
    return dependsOnOthers('an aggregate, GROUP BY or DISTINCT', position)
  }
  return undefined
}

/** All that the statement computes. */
function expressionsOf(statement: Subscribable): Expression[] {
  const { projection, where, lookups = [] } = statement
  const items = projection.kind === 'allColumns' ? [] : projection.items
  const found = items.flatMap((item) => (item.kind === 'expression' ? [item.expression] : []))
  found.push(...lookups.map(({ by }) => by))
  if (where !== undefined) found.push(where)
  if (statement.kind === 'get') return found
  const { groupBy, having, orderBy, limit } = statement
  const rest = [...groupBy, having, ...orderBy.map(({ expression }) => expression), limit]
  return [...found, ...rest.filter((one) => one !== undefined)]
}

function requireSteady(expression: Expression): void {
  const unsteady = unsteadyCall(expression)
  if (unsteady !== undefined) {
    throw notSubscribable(unsteady, expression.position, 'Give its value as a parameter.')
  }
  for (const part of partsOf(expression)) requireSteady(part)
}

function dependsOnOthers(clause: string, position: Position): PlanError {
  const message = `Each row of a subscription of the mode "rows" stands for itself, and ${clause} makes it depend on others.`
  return notSubscribable(message, position, 'Subscribe with the mode "result", or with none.')
}

function notSubscribable(message: string, position: Position, hint?: string): PlanError {
  return new PlanError('not_subscribable', message, {
    position,
    hint:
      hint ?? 'Subscribe to a GET or a SCAN, without FOR UPDATE, AS OF, INTO, now() and uuid().',
  })
}
