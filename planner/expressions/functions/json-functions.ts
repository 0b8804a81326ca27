// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import { countAt, kindAt, nestingAt, wholeSpan } from '../../../storage/values/values.ts'
import { jsonText, jsonWith, jsonWithout } from '../../json/json-change.ts'
import { limitExceeded } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { type CompiledExpression, nodeOf } from '../compiled-expression.ts'
import { requiredSteps } from '../json-operators.ts'
import { compileAs, isOpen } from '../type-check.ts'
import type { WorkMeter } from '../work-meter.ts'
import { toJsonOf } from './casts.ts'
import {
  argumentAt,
  argumentOf,
  argumentsAs,
  type Call,
  computed,
  type Definitions,
  derived,
  requireLength,
  taking,
} from './definition.ts'

export const JSON_FUNCTIONS: Definitions = {
  json_length: taking(1, 1, compileCount),
  json_type: taking(1, 1, compileKind),
  json_set: taking(3, 3, compileSet),
  json_remove: taking(2, 2, compileRemove),
  to_json: taking(1, 1, compileToJson),
}

/** Elements of an array, members of an object; NULL of any other value. */
function compileCount({ compiler, call }: Call): CompiledExpression {
  const argument = compileAs(compiler, argumentAt(call, 0), 'JSON')
  return derived(call, argument, 'INTEGER', (value, work) => {
    const text = value as string
    const span = wholeSpan(text)
    const kind = kindAt(text, span.from)
    if (kind !== 'object' && kind !== 'array') return null
    return BigInt(countAt(text, span, work))
  })
}

function compileKind({ compiler, call }: Call): CompiledExpression {
  const argument = compileAs(compiler, argumentAt(call, 0), 'JSON')
  return derived(call, argument, 'TEXT', (value) => {
    const text = value as string
    return kindAt(text, wholeSpan(text).from)
  })
}

function compileRemove(of: Call): CompiledExpression {
  const { call } = of
  const parts = argumentsAs(of, ['JSON', 'TEXT'])
  return computed(call, parts, 'JSON', ([json, path], work) => {
    return jsonWithout(json as string, requiredSteps(path as string, call.position, work), work)
  })
}

/** NULL as the value is the null of JSON. */
function compileSet(of: Call): CompiledExpression {
  const { call, compiler } = of
  const target = compileAs(compiler, argumentAt(call, 0), 'JSON')
  const path = compileAs(compiler, argumentAt(call, 1), 'TEXT')
  const value = jsonArgument(of, 2)
  const parts = [target, path, value]
  return nodeOf('JSON', call.position, parts, (units) => (scope) => {
    const { work } = scope
    work.spend(units)
    const json = target.evaluate(scope)
    const steps = path.evaluate(scope)
    const put = (value.evaluate(scope) ?? 'null') as string
    if (json === null || steps === null) return null
    return changed({ json: json as string, steps: steps as string, put }, of, work)
  })
}

function changed(
  { json, steps, put }: { readonly json: string; readonly steps: string; readonly put: string },
  { call }: Call,
  work: WorkMeter,
): SqlValue {
  const path = requiredSteps(steps, call.position, work)
  requireLength(json.length + put.length + steps.length, call)
  const nesting = path.length + nestingAt(put, wholeSpan(put), work)
  const max = PLANNER_LIMITS.jsonNestingMax
  if (nesting > max) {
    const message = `The JSON would nest deeper than ${max} arrays and objects.`
    throw limitExceeded('jsonNestingMax', nesting, message, { position: call.position })
  }
  return jsonText(jsonWith(json, path, put, work)) ?? null
}

function compileToJson(of: Call): CompiledExpression {
  const value = argumentOf(of, 'TEXT')
  return derived(of.call, value, 'JSON', toJsonOf(value.type as SqlType))
}

/** A text literal and a parameter are JSON, as elsewhere; any other value goes in as it is on the wire. */
function jsonArgument({ compiler, call }: Call, index: number): CompiledExpression {
  const argument = argumentAt(call, index)
  if (isOpen(argument)) return compileAs(compiler, argument, 'JSON')
  const value = compiler.compile(argument)
  return value.type === 'JSON' || value.type === 'NULL'
    ? value
    : derived(call, value, 'JSON', toJsonOf(value.type))
}
