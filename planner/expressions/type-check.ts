// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import type {
  CompiledExpression,
  ExpressionCompiler,
  ExpressionType,
  Scope,
} from './compiled-expression.ts'

/**
 * An open expression takes its type from its place: a parameter of the client, NULL, a text literal (which may be
 * meant as TIMESTAMP, JSON or BYTES), and what is made of nothing else.
 */
export function isOpen(expression: Expression): boolean {
  switch (expression.kind) {
    case 'parameter':
      return expression.readType === undefined
    case 'literal':
      return expression.type === 'null' || expression.type === 'text'
    case 'unary':
      return expression.operator !== 'NOT' && isOpen(expression.operand)
    case 'call':
      return ALIKE.has(expression.function) && expression.arguments.every(isOpen)
    case 'case':
      return (
        expression.branches.every(({ result }) => isOpen(result)) &&
        (expression.otherwise === undefined || isOpen(expression.otherwise))
      )
    case 'binary':
      return (
        isOpen(expression.first) &&
        expression.rest.every((part) => ARITHMETIC.has(part.operator) && isOpen(part.operand))
      )
    default:
      return false
  }
}

const ALIKE: ReadonlySet<string> = new Set(['coalesce', 'nullif', 'least', 'greatest'])
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '||'])

export function isTextLiteral(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.type === 'text'
}

/**
 * Compiles expressions that must have one type: the sides of a comparison, the arguments of
 * coalesce. Those with a type of their own decide it and the open ones follow; INTEGER with REAL
 * becomes REAL. Throws PlanError type_mismatch at the first that does not fit.
 */
export function compileAlike(
  compiler: ExpressionCompiler,
  expressions: readonly Expression[],
  wanted?: ExpressionType,
): { readonly type: ExpressionType; readonly parts: readonly CompiledExpression[] } {
  const parts = new Array<CompiledExpression>(expressions.length)
  expressions.forEach((expression, index) => {
    if (!isOpen(expression)) parts[index] = compiler.compile(expression, wanted)
  })
  const decided = commonType(parts)
  const open = decided !== 'NULL' ? decided : typeOfOpen(expressions, wanted)
  expressions.forEach((expression, index) => {
    if (isOpen(expression)) parts[index] = compiler.compile(expression, open)
  })
  const type = commonType(parts)
  return { type, parts: parts.map((part) => converted(part, type)) }
}

/** The expression as a value of the type its place wants. Throws PlanError type_mismatch. */
export function compileAs(
  compiler: ExpressionCompiler,
  expression: Expression,
  wanted: SqlType,
): CompiledExpression {
  const part = compiler.compile(expression, wanted)
  if (fits(part.type, wanted)) return converted(part, wanted)
  throw new PlanError('type_mismatch', `${wanted} is wanted here, and this is ${part.type}.`, {
    position: part.position,
    hint: wanted === 'BOOLEAN' ? HOW_BOOLEAN : undefined,
    fields: { expected: wanted, actual: part.type },
  })
}

export function fits(type: ExpressionType, wanted: SqlType): boolean {
  return type === wanted || type === 'NULL' || (type === 'INTEGER' && wanted === 'REAL')
}

/** The expression with its INTEGER made REAL where REAL is wanted; any other comes back as it is. */
export function converted(part: CompiledExpression, wanted: ExpressionType): CompiledExpression {
  if (part.type !== 'INTEGER' || wanted !== 'REAL') return part
  const { evaluate, given: _, ...rest } = part
  return { ...rest, type: 'REAL', evaluate: (scope: Scope) => realOf(evaluate(scope)) }
}

function realOf(value: SqlValue): SqlValue {
  return value === null ? null : Number(value)
}

export function typeMismatch(message: string, position: Position): PlanError {
  return new PlanError('type_mismatch', message, { position })
}

/** Text literals alone are TEXT, unless their place wants one of the types written as text. */
function typeOfOpen(
  expressions: readonly Expression[],
  wanted: ExpressionType | undefined,
): ExpressionType | undefined {
  if (wanted !== undefined && wanted !== 'NULL') return wanted
  return expressions.some(isTextLiteral) ? 'TEXT' : undefined
}

function commonType(parts: readonly CompiledExpression[]): ExpressionType {
  let common: ExpressionType = 'NULL'
  parts.forEach((part) => {
    if (part.type === common || part.type === 'NULL') return
    const bothNumbers = isNumber(part.type) && isNumber(common)
    if (common !== 'NULL' && !bothNumbers) {
      throw notAlike(common, part)
    }
    common = bothNumbers ? 'REAL' : part.type
  })
  return common
}

function notAlike(common: ExpressionType, { type, position }: CompiledExpression): PlanError {
  const isJson = common === 'JSON' || type === 'JSON'
  const isBoolean = common === 'BOOLEAN' || type === 'BOOLEAN'
  return new PlanError('type_mismatch', `${common} and ${type} do not go together.`, {
    position,
    hint: isJson
      ? "What ->> reads is TEXT, and a cast makes another type of it: (a->>'n')::INTEGER."
      : isBoolean
        ? HOW_BOOLEAN
        : `A cast makes ${common} of it: a::${common}.`,
  })
}

const HOW_BOOLEAN = 'A BOOLEAN is TRUE or FALSE, and a number or a text is compared: a <> 0.'

export function isNumber(type: ExpressionType): boolean {
  return type === 'INTEGER' || type === 'REAL'
}
