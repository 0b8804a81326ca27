// SPDX-License-Identifier: Apache-2.0
import type { BinaryOperator, Position } from '../../parser/ast.ts'
import {
  type JsonStep,
  jsonMembers,
  type SqlValue,
  spanAt,
  stepsOf,
  textAt,
} from '../../storage/values/values.ts'
import { jsonText } from '../json/json-change.ts'
import { holdsJson } from '../json/json-containment.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import type { ExpressionType } from './compiled-expression.ts'
import type { WorkMeter } from './work-meter.ts'

export type JsonOperator = '->' | '->>' | '#>' | '#>>' | '@>' | '?'

const OPERATORS: ReadonlySet<string> = new Set(['->', '->>', '#>', '#>>', '@>', '?'])

export function isJsonOperator(operator: BinaryOperator): operator is JsonOperator {
  return OPERATORS.has(operator)
}

export type OperatorStep = {
  readonly type: ExpressionType
  readonly apply: (left: SqlValue, right: SqlValue, work: WorkMeter) => SqlValue
}

/** Undefined for types that the operator does not take. */
export function jsonOperation(
  operator: JsonOperator,
  left: ExpressionType,
  right: ExpressionType,
  position: Position,
): OperatorStep | undefined {
  if (left !== 'JSON') return undefined
  if (operator === '@>') {
    if (right !== 'JSON') return undefined
    const apply = (whole: SqlValue, part: SqlValue, work: WorkMeter): SqlValue =>
      holdsJson(whole as string, part as string, work)
    return { type: 'BOOLEAN', apply }
  }
  if (operator === '?') {
    if (right !== 'TEXT') return undefined
    const apply = (json: SqlValue, text: SqlValue, work: WorkMeter): SqlValue => {
      work.spend((text as string).length)
      return jsonMembers(json as string, work).has(JSON.stringify(text))
    }
    return { type: 'BOOLEAN', apply }
  }
  const isPath = operator === '#>' || operator === '#>>'
  if (right !== 'TEXT' && (isPath || right !== 'INTEGER')) return undefined
  const steps = isPath
    ? (path: SqlValue, work: WorkMeter) => requiredSteps(path as string, position, work)
    : oneStep
  const isText = operator === '->>' || operator === '#>>'
  const apply = (json: SqlValue, path: SqlValue, work: WorkMeter): SqlValue => {
    const text = json as string
    if (isText) return textAt(text, steps(path, work), work)
    const span = spanAt(text, steps(path, work), work)
    return span === undefined ? null : (jsonText(text, span) ?? null)
  }
  return { type: isText ? 'TEXT' : 'JSON', apply }
}

function oneStep(step: SqlValue, work: WorkMeter): readonly JsonStep[] {
  if (typeof step === 'bigint') return [{ index: Number(step) }]
  work.spend((step as string).length)
  return [{ name: step as string }]
}

/** The steps of a path such as `{a,b,0}`. Throws PlanError type_mismatch for another text, and limit_exceeded. */
export function requiredSteps(
  path: string,
  position: Position,
  work: WorkMeter,
): readonly JsonStep[] {
  if (path.length > jsonPathCharactersMax) {
    const message = `A path into JSON has at most ${jsonPathCharactersMax} characters.`
    throw limitExceeded('jsonPathCharactersMax', path.length, message, {
      position,
      hint: "Take the long name by itself: j->'a'->:name.",
    })
  }
  work.spend(STEP_CHARACTER_UNITS * path.length)
  const steps = stepsOf(path, jsonNestingMax)
  if (steps !== undefined) return steps
  throw new PlanError('type_mismatch', 'The text is no path into JSON.', {
    position,
    hint: `A path is written '{name,"another name",0}', with the number of an element from 0, and of at most ${jsonNestingMax} steps.`,
  })
}

const { jsonNestingMax, jsonPathCharactersMax } = PLANNER_LIMITS

const STEP_CHARACTER_UNITS = 8
