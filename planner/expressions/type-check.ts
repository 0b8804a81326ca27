// SPDX-License-Identifier: Apache-2.0
import type { Expression, Position } from '../../parser/ast.ts'
import type { ColumnDefinition } from '../../storage/tables/tables.ts'
import { DAY_MICROS, Decimal, type SqlType, type SqlValue } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import type {
  CompiledExpression,
  ExpressionCompiler,
  ExpressionType,
  Scope,
  SizedColumn,
} from './compiled-expression.ts'
import { valueOfSize } from './decimal-arithmetic.ts'

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
 * Compiles expressions that must have one type: the sides of a comparison, the arguments of coalesce. Those with a type
 * of their own decide it and the open ones follow; INTEGER with DECIMAL or REAL becomes that, DATE with TIMESTAMP too,
 * and a number written with a point is a DECIMAL beside one. Throws PlanError type_mismatch at the first that does not
 * fit.
 */
export function compileAlike(
  compiler: ExpressionCompiler,
  expressions: readonly Expression[],
  wanted?: ExpressionType,
): { readonly type: ExpressionType; readonly parts: readonly CompiledExpression[] } {
  const parts = compileTyped(compiler, expressions, wanted)
  const decided = commonType(parts, wanted)
  const open = decided !== 'NULL' ? decided : typeOfOpen(expressions, wanted)
  expressions.forEach((expression, index) => {
    if (isOpen(expression)) parts[index] = compiler.compile(expression, open)
  })
  const type = commonType(parts, wanted)
  return { type, parts: parts.map((part) => converted(part, type)) }
}

/**
 * Those that are not open. A parameter beside a number written with a point is a REAL as that is, unless the whole of
 * them meets a DECIMAL: then they are compiled again, as DECIMALs.
 */
export function compileTyped(
  compiler: ExpressionCompiler,
  expressions: readonly Expression[],
  wanted: ExpressionType | undefined,
): CompiledExpression[] {
  const slots = compiler.slots.count
  const parts = new Array<CompiledExpression>(expressions.length)
  let [hasDecimal, isInexact] = [false, false]
  for (const [index, expression] of expressions.entries()) {
    if (isOpen(expression)) continue
    const part = compiler.compile(expression, wanted)
    parts[index] = part
    if (part.type === 'DECIMAL') hasDecimal = true
    if (part.type === 'REAL' && part.asDecimal === undefined) isInexact = true
  }
  if (!hasDecimal || !isInexact || wanted === 'DECIMAL') return parts
  compiler.slots.keepFirst(slots)
  return compileTyped(compiler, expressions, 'DECIMAL')
}

/** The expression as a value of the type its place wants. Throws PlanError type_mismatch. */
export function compileAs(
  compiler: ExpressionCompiler,
  expression: Expression,
  wanted: SqlType,
): CompiledExpression {
  const part = compiler.compile(expression, wanted)
  if (fits(part, wanted)) return converted(part, wanted)
  throw new PlanError('type_mismatch', `${wanted} is wanted here, and this is ${part.type}.`, {
    position: part.position,
    hint: wanted === 'BOOLEAN' ? HOW_BOOLEAN : realHint(wanted, part.type),
    fields: { expected: wanted, actual: part.type },
  })
}

/** The same as a value of the column: a DECIMAL with its digits. Throws PlanError. */
export function compileForColumn(
  compiler: ExpressionCompiler,
  expression: Expression,
  { name, type, size }: ColumnType,
): CompiledExpression {
  const part = compileAs(compiler, expression, type)
  return size === undefined ? part : forColumn(part, { name, size })
}

export type ColumnType = Pick<ColumnDefinition, 'name' | 'type' | 'size'>

/** The DECIMAL with the digits of the column. */
export function forColumn(part: CompiledExpression, column: SizedColumn): CompiledExpression {
  const { position, given } = part
  const sized = (value: SqlValue) => valueOfSize(value, column, { position })
  const evaluate = (scope: Scope): SqlValue => sized(part.evaluate(scope))
  if (given === undefined) return { ...part, isLeaf: false, evaluate }
  if ('slot' in given) return { ...part, evaluate, given: { slot: given.slot, column } }
  const literal = sized(given.literal)
  return { ...part, evaluate: () => literal, given: { literal } }
}

export function fits({ type, asDecimal }: CompiledExpression, wanted: SqlType): boolean {
  if (type === wanted || type === 'NULL') return true
  if (wanted === 'DECIMAL') return type === 'INTEGER' || asDecimal !== undefined
  return type === 'INTEGER' ? wanted === 'REAL' : type === 'DATE' && wanted === 'TIMESTAMP'
}

/**
 * The expression with its INTEGER made REAL or DECIMAL, its DATE the TIMESTAMP of its beginning, where that is wanted;
 * any other comes back as it is.
 */
export function converted(part: CompiledExpression, wanted: ExpressionType): CompiledExpression {
  if (wanted === 'DECIMAL' && part.asDecimal !== undefined) return part.asDecimal()
  if (part.type === 'DATE' && wanted === 'TIMESTAMP') {
    const { evaluate, given: _, ...rest } = part
    return { ...rest, type: 'TIMESTAMP', evaluate: (scope) => beginOf(evaluate(scope)) }
  }
  if (part.type !== 'INTEGER' || (wanted !== 'REAL' && wanted !== 'DECIMAL')) return part
  const { evaluate, given, ...rest } = part
  if (wanted === 'REAL') {
    const asDecimal = () => converted(part, 'DECIMAL')
    return { ...rest, type: 'REAL', evaluate: (scope) => realOf(evaluate(scope)), asDecimal }
  }
  const literal = given !== undefined && 'literal' in given ? decimalOf(given.literal) : undefined
  return {
    ...{ ...rest, type: 'DECIMAL', evaluate: (scope: Scope) => decimalOf(evaluate(scope)) },
    ...(literal !== undefined && { given: { literal } }),
  }
}

function beginOf(day: SqlValue): SqlValue {
  return day === null ? null : (day as bigint) * DAY_MICROS
}

function realOf(value: SqlValue): SqlValue {
  return value === null ? null : Number(value)
}

/** The DECIMAL of an INTEGER. */
export function decimalOf(value: SqlValue): SqlValue {
  return typeof value === 'bigint' ? new Decimal(value, 0) : value
}

/**
 * What `make` makes of parts of one type: where that is REAL because of numbers written with a point alone, it may be a
 * DECIMAL in its place.
 */
export function perhapsDecimal(
  { type, parts }: { readonly type: ExpressionType; readonly parts: readonly CompiledExpression[] },
  make: (type: ExpressionType, parts: readonly CompiledExpression[]) => CompiledExpression,
): CompiledExpression {
  const made = make(type, parts)
  if (made.type !== 'REAL' || !parts.every((part) => fits(part, 'DECIMAL'))) return made
  const exactly = () =>
    make(
      'DECIMAL',
      parts.map((part) => converted(part, 'DECIMAL')),
    )
  return { ...made, asDecimal: exactly }
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

function commonType(
  parts: readonly CompiledExpression[],
  wanted: ExpressionType | undefined,
): ExpressionType {
  const isExact = wanted === 'DECIMAL' || parts.some(({ type }) => type === 'DECIMAL')
  let common: ExpressionType = 'NULL'
  parts.forEach((part) => {
    const type = isExact && part.asDecimal !== undefined ? 'DECIMAL' : part.type
    if (type === common || type === 'NULL') return
    const joined =
      common === 'NULL' ? type : (commonTime(common, type) ?? commonNumber(common, type))
    if (joined === undefined) throw notAlike(common, part)
    common = joined
  })
  return common
}

/** A day beside a moment is its beginning, in UTC. */
function commonTime(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  const isTime = (type: ExpressionType) => type === 'DATE' || type === 'TIMESTAMP'
  return isTime(a) && isTime(b) ? 'TIMESTAMP' : undefined
}

/** What two numbers of different types are together: an exact one and a REAL are nothing. */
export function commonNumber(a: ExpressionType, b: ExpressionType): ExpressionType | undefined {
  if (!isNumber(a) || !isNumber(b)) return undefined
  return a === 'INTEGER' || a === b ? b : b === 'INTEGER' ? a : undefined
}

/** What to do where one of the two is a REAL and the other a DECIMAL. */
export function realHint(a: ExpressionType, b: ExpressionType): string | undefined {
  const types = [a, b]
  return types.includes('DECIMAL') && types.includes('REAL') ? HOW_EXACT : undefined
}

const HOW_EXACT =
  'A REAL is not exact: a::DECIMAL makes a DECIMAL of it, a::DECIMAL(18, 2) a rounded one, and b::REAL a REAL of a DECIMAL.'

function notAlike(common: ExpressionType, { type, position }: CompiledExpression): PlanError {
  const isJson = common === 'JSON' || type === 'JSON'
  const isBoolean = common === 'BOOLEAN' || type === 'BOOLEAN'
  return new PlanError('type_mismatch', `${common} and ${type} do not go together.`, {
    position,
    hint: isJson
      ? "What ->> reads is TEXT, and a cast makes another type of it: (a->>'n')::INTEGER."
      : isBoolean
        ? HOW_BOOLEAN
        : (realHint(common, type) ?? `A cast makes ${common} of it: a::${common}.`),
  })
}

const HOW_BOOLEAN = 'A BOOLEAN is TRUE or FALSE, and a number or a text is compared: a <> 0.'

export function isNumber(type: ExpressionType): boolean {
  return type === 'INTEGER' || type === 'REAL' || type === 'DECIMAL'
}
