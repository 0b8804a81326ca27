// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../../../parser/ast.ts'
import { insteadOfFunction } from '../../../parser/syntax-error/foreign-functions.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { PlanError } from '../../plan-error.ts'
import { suggestion } from '../../unknown-name.ts'
import {
  type CompiledExpression,
  type ExpressionCompiler,
  type ExpressionType,
  NO_COLUMNS,
  type Scope,
} from '../compiled-expression.ts'
import { CHOICE_FUNCTIONS } from './choices.ts'
import { type Call, type Definitions, taking } from './definition.ts'
import { JSON_FUNCTIONS } from './json-functions.ts'
import { MOMENT_FUNCTIONS } from './moments.ts'
import { NUMBER_FUNCTIONS } from './numbers.ts'
import { TEXT_FUNCTIONS } from './texts.ts'

/** Every function of the dialect. */
const FUNCTIONS: Definitions = {
  now: taking(0, 0, compileNow),
  uuid: taking(0, 0, compileUuid),
  ...CHOICE_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...MOMENT_FUNCTIONS,
  ...JSON_FUNCTIONS,
}

const AGGREGATES = 'COUNT, SUM, MIN, MAX and AVG'

/** In lower case, without aggregates. */
export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS)

/** Throws PlanError invalid_request for an unknown function or a wrong number of arguments. */
export function compileCall(
  compiler: ExpressionCompiler,
  call: CallExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const { function: name, position } = call
  const definition = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  if (definition === undefined) throw unknownFunction(call)
  const { min, max } = definition.arguments
  const count = call.arguments.length
  if (count >= min && count <= max) return definition.compile({ compiler, call, wanted })
  const expected = min === max ? `${min}` : max < 4 ? `${min} or ${max}` : `at least ${min}`
  const noun = max === 1 || (min === 1 && max > 2) ? 'argument' : 'arguments'
  throw new PlanError('invalid_request', `${name} takes ${expected} ${noun}, not ${count}.`, {
    position,
    fields: { function: name },
  })
}

function unknownFunction({ function: name, position }: CallExpression): PlanError {
  const message = `There is no function ${name}.`
  const instead = insteadOfFunction(name)
  if (instead !== undefined) {
    const hint = `${instead.charAt(0).toUpperCase()}${instead.slice(1)}.`
    return new PlanError('invalid_request', message, { position, hint, fields: { function: name } })
  }
  const { hint, fields } = suggestion(name, FUNCTION_NAMES, { function: name })
  const known = `There are ${FUNCTION_NAMES.join(', ')}, and of groups ${AGGREGATES}.`
  return new PlanError('invalid_request', message, {
    position,
    hint: hint === undefined ? known : `${hint} ${known}`,
    fields,
  })
}

function compileNow({ call: { position } }: Call): CompiledExpression {
  const evaluate = ({ functions }: Scope): SqlValue => functions.now
  return { type: 'TIMESTAMP', position, evaluate, ...OF_NOTHING, isConstant: true }
}

/** Another one at each call, also within a row. */
function compileUuid({ call: { position } }: Call): CompiledExpression {
  const evaluate = ({ functions }: Scope): SqlValue => functions.uuid()
  return { type: 'TEXT', position, evaluate, ...OF_NOTHING, isConstant: false }
}

const OF_NOTHING = { columns: NO_COLUMNS, isLeaf: true, needsRow: false } as const
