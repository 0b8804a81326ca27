// SPDX-License-Identifier: Apache-2.0

/**
 * The door of the planner: a statement and a catalog make a plan, a plan and a transaction make
 * rows. What the server needs of values and errors is exported here as well.
 */

import type { ExplainedStatement, ExplainStatement, ShowGrantsStatement } from '../parser/ast.ts'
import type { Catalog } from '../storage/tables/tables.ts'
import { type VariableTypes, withVariableTypes } from './execute/rows/variables.ts'
import type { ExplainedPlan, ExplainPlan, Plan } from './plan/plan.ts'
import { planCheck, planData, planNotify } from './plan/plan-statement.ts'
import type { ParseRule } from './plan/row-rule.ts'
import type { PlannedStatement } from './planned-statement.ts'
import { requireServerRight } from './required-rights.ts'
import { requireTable } from './unknown-name.ts'

export { executeAccess } from './definitions/access.ts'
export type { JwtIssuer } from './definitions/access-blocks.ts'
export type { RelaySetting } from './definitions/access-relays.ts'
export type { NewSecret } from './definitions/access-secrets.ts'
export type { NewTokenText } from './definitions/access-tokens.ts'
export { executeDefinition } from './definitions/definition.ts'
export { scheduleTimesOf } from './definitions/schedule-definition.ts'
export { evaluateStamp, readStamp } from './definitions/stamp.ts'
export { type AddingStatement, checkBeingAdded } from './definitions/table-check.ts'
export { scheduleText } from './execute/definition-text.ts'
export { executePlan } from './execute/executor.ts'
export { type GivenValues, givenValues } from './execute/points/given-values.ts'
export { type PointRead, pointReadOf } from './execute/points/point-read.ts'
export { meetsPointRule } from './execute/points/point-rule.ts'
export { type PointWrite, pointWriteOf, rowOfPoint } from './execute/points/point-write.ts'
export { type RangeRead, rangeReadOf, requestedRange } from './execute/points/range-read.ts'
export { AnswerBytes } from './execute/rows/answer-bytes.ts'
export { BatchSize } from './execute/rows/batch-size.ts'
export { rowCountOf } from './execute/rows/collected-rows.ts'
export type {
  ExecutionContext,
  PageRequest,
  RowWriter,
  StatementResult,
  StoredPart,
} from './execute/rows/execution-context.ts'
export { Variables } from './execute/rows/variables.ts'
export { rowsNamed } from './execute/rows-named.ts'
export { toldBuild } from './execute/told-build.ts'
export type { StatementFunctions } from './expressions/compiled-expression.ts'
export { FUNCTION_NAMES } from './expressions/functions/functions.ts'
export { type Claims, isClaim, type Parameters, parameterText } from './expressions/parameters.ts'
export { identityOf } from './expressions/value-work.ts'
export { WorkMeter } from './expressions/work-meter.ts'
export { jsonOfText } from './json/json-object.ts'
export {
  distinctText,
  JsonSource,
  keepOwnSource,
  mayRound,
  noteSource,
  sourceOf,
} from './json/json-source.ts'
export { type IntegerForm, jsonOf, valueFromJson, valueToJson } from './json/json-value.ts'
export { fromSource } from './json/sourced-json.ts'
export { accessOf } from './plan/explain.ts'
export type { Plan } from './plan/plan.ts'
export type { ParseRule } from './plan/row-rule.ts'
export { describePlanned, type StatementDescription } from './plan/statement-description.ts'
export {
  requireSubscribable,
  type Subscribable,
  type SubscriptionMode,
  subscriptionMode,
} from './plan/subscribable.ts'
export { planSubscription, type Subscriber, type SubscriptionPlan } from './plan/subscription.ts'
export { PLAN_ERRORS, PlanError } from './plan-error.ts'
export type { PlannedStatement } from './planned-statement.ts'
export { PLANNER_LIMITS } from './planner-limits.ts'
export { requireServerRight, requireTableRight } from './required-rights.ts'

/**
 * Plans a statement against a catalog: names, types and the way to the rows are settled. The plan
 * may be kept, by the statement and the catalog's version, and run any number of times. AS OF is not
 * part of it: the transaction it runs in decides the snapshot. `parseRule` reads the rules of the catalog's rights and
 * the checks of its tables, and `variables` are what earlier statements of the request have read INTO names.
 * Throws PlanError.
 */
export function planStatement(
  statement: PlannedStatement,
  catalog: Catalog,
  parseRule: ParseRule = noRule,
  variables?: VariableTypes,
): Plan {
  return variables === undefined
    ? planTyped(statement, catalog, parseRule)
    : planTyped(withVariableTypes(statement, variables), catalog, parseRule)
}

function planTyped(statement: PlannedStatement, catalog: Catalog, parseRule: ParseRule): Plan {
  switch (statement.kind) {
    case 'explain':
      return planExplain(statement, catalog, parseRule)
    case 'showTables':
      return { kind: 'showTables' }
    case 'describe':
    case 'showIndexes':
    case 'showCreateTable':
      return { kind: statement.kind, table: requireTable(catalog, statement.table) }
    case 'showObservers':
      return { kind: 'showObservers' }
    case 'showSchedules':
      return { kind: 'showSchedules' }
    case 'showTokens':
    case 'showRoles':
    case 'showBlocks':
    case 'showRelays':
      requireServerRight(catalog, 'admin', statement.position)
      return { kind: statement.kind }
    case 'showGrants':
      return planShowGrants(statement, catalog)
    default:
      return planOnRows(statement, catalog, parseRule)
  }
}

function planOnRows(
  statement: ExplainedStatement,
  catalog: Catalog,
  parseRule: ParseRule,
): ExplainedPlan {
  switch (statement.kind) {
    case 'check':
      return planCheck(statement, catalog, parseRule)
    case 'notify':
      return planNotify(statement, catalog, parseRule)
    default:
      return planData(statement, catalog, parseRule)
  }
}

function planExplain(
  { analyze, script, statement }: ExplainStatement,
  catalog: Catalog,
  parseRule: ParseRule,
): ExplainPlan {
  const plan = planOnRows(statement, catalog, parseRule)
  const lookedUp = ('lookups' in plan && plan.lookups) || []
  const hidesRows =
    lookedUp.some(({ rowRule }) => rowRule !== undefined) ||
    (['read', 'write'] as const).some(
      (right) => catalog.rights.rulesOn(plan.table, right) !== undefined,
    )
  const readsInto = 'into' in statement && statement.into !== undefined
  return { kind: 'explain', analyze, hidesRows, readsInto, keepsWrites: script === true, plan }
}

/** For catalogs without checks, of whom may do everything. */
function noRule(text: string): never {
  throw new Error(`The condition ${text} cannot be read here.`)
}

/** Whoever asks may see its own. Throws PlanError `not_permitted`. */
function planShowGrants({ role, position }: ShowGrantsStatement, catalog: Catalog): Plan {
  const isOwn = role?.text === catalog.rights.role
  if (role !== undefined && !isOwn) requireServerRight(catalog, 'admin', position)
  return { kind: 'showGrants', ...(role === undefined ? {} : { role }) }
}
