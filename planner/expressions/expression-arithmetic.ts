// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, BinaryOperator, Expression, Position } from '../../parser/ast.ts'
import { DAY_MICROS, type Decimal, type SqlValue } from '../../storage/values/values.ts'
import { checkedDecimal } from '../json/decimal-text.ts'
import { checkedInteger } from '../json/json-value.ts'
import { DATE_MAX, DATE_MIN, TIMESTAMP_MAX, TIMESTAMP_MIN } from '../json/timestamp-text.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import {
  type CompiledExpression,
  dependenceOf,
  type ExpressionCompiler,
  type ExpressionType,
  type Scope,
  unitsOf,
} from './compiled-expression.ts'
import { DECIMAL_RESULTS } from './decimal-arithmetic.ts'
import {
  isJsonOperator,
  type JsonOperator,
  jsonOperation,
  type OperatorStep,
} from './json-operators.ts'
import {
  commonNumber,
  compileTyped,
  decimalOf,
  fits,
  isNumber,
  isOpen,
  isTextLiteral,
  realHint,
} from './type-check.ts'
import { lengthOf } from './value-work.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

type NumberOperator = '+' | '-' | '*' | '/' | '%'
type Arithmetic = NumberOperator | '||' | JsonOperator

/**
 * A chain such as a + b − c, from the left: each operator's type follows from the two types it
 * meets. NULL anywhere makes the whole chain NULL.
 */
export function compileArithmetic(
  compiler: ExpressionCompiler,
  chain: BinaryExpression,
  wanted: ExpressionType | undefined,
): CompiledExpression {
  const parts = compileOperands(compiler, chain, wanted)
  const made = chainOf(chain, parts)
  if (made.type !== 'REAL' || !parts.every((part) => fits(part, 'DECIMAL'))) return made
  return { ...made, asDecimal: () => chainOf(chain, exactly(parts)) }
}

function exactly(parts: readonly CompiledExpression[]): CompiledExpression[] {
  return parts.map((part) => part.asDecimal?.() ?? part)
}

function chainOf(
  chain: BinaryExpression,
  parts: readonly CompiledExpression[],
): CompiledExpression {
  const first = parts[0] as CompiledExpression
  let type = first.type
  const steps = chain.rest.map((rest, index) => {
    const part = parts[index + 1] as CompiledExpression
    const operand = type === 'DATE' ? inDays(rest.operand, part) : part
    const step = stepOf(rest.operator as Arithmetic, type, operand.type, rest.position)
    type = step.type
    return { apply: step.apply, evaluate: operand.evaluate }
  })
  const unitsOfFirst = unitsOf([first])
  const evaluate = (scope: Scope): SqlValue => {
    scope.work.spend(unitsOfFirst)
    let value = first.evaluate(scope)
    for (const step of steps) {
      if (value === null) return null
      scope.work.spend(NODE_UNITS)
      const operand = step.evaluate(scope)
      if (operand === null) return null
      value = step.apply(value, operand, scope.work)
    }
    return value
  }
  return { type, position: chain.position, evaluate, ...dependenceOf(parts) }
}

/**
 * Operands with a type of their own first; they tell what the open ones are. A number written with a point is a DECIMAL
 * beside one, and where one is wanted.
 */
function compileOperands(
  compiler: ExpressionCompiler,
  chain: BinaryExpression,
  wanted: ExpressionType | undefined,
): readonly CompiledExpression[] {
  const operands = [chain.first, ...chain.rest.map((rest) => rest.operand)]
  let parts = compileTyped(compiler, operands, wanted === 'DECIMAL' ? wanted : undefined)
  if (wanted === 'DECIMAL' || parts.some(({ type }) => type === 'DECIMAL')) parts = exactly(parts)
  const known = new Set(parts.map((part) => part?.type).filter((type) => type !== undefined))
  operands.forEach((operand, index) => {
    if (!isOpen(operand)) return
    // The first operand stands under the operator that follows it.
    const operator = chain.rest[Math.max(0, index - 1)]?.operator as BinaryOperator
    const isLeft = index === 0
    parts[index] = compiler.compile(
      operand,
      typeOfOpen(operand, { operator, known, wanted, isLeft }),
    )
  })
  return parts
}

function typeOfOpen(
  operand: Expression,
  place: {
    readonly operator: BinaryOperator
    readonly known: ReadonlySet<ExpressionType>
    readonly wanted: ExpressionType | undefined
    readonly isLeft: boolean
  },
): ExpressionType | undefined {
  const { operator, known, wanted, isLeft } = place
  if (isJsonOperator(operator)) return isLeft || operator === '@>' ? 'JSON' : 'TEXT'
  if (operator === '||') {
    return known.has('BYTES') || (wanted === 'BYTES' && known.size === 0) ? 'BYTES' : 'TEXT'
  }
  if (known.has('DATE')) {
    const isDay = isTextLiteral(operand) || (operator === '-' && (isLeft || wanted === 'INTEGER'))
    return isDay ? 'DATE' : 'INTEGER'
  }
  if (known.has('TIMESTAMP')) {
    // What is taken from a TIMESTAMP is a number of microseconds, unless the place wants the
    // distance between two of them or the operand is written as a time.
    const isTime = isTextLiteral(operand) || (operator === '-' && (isLeft || wanted === 'INTEGER'))
    return isTime ? 'TIMESTAMP' : 'INTEGER'
  }
  if (known.has('DECIMAL') || (wanted === 'DECIMAL' && !known.has('REAL'))) return 'DECIMAL'
  if (known.has('REAL') || wanted === 'REAL') return 'REAL'
  if (known.has('INTEGER') || wanted === 'INTEGER') return 'INTEGER'
  return undefined
}

function stepOf(
  operator: Arithmetic,
  left: ExpressionType,
  right: ExpressionType,
  position: Position,
): OperatorStep {
  // NULL with a value takes its type, so that NULL + 1 is an INTEGER; it is never applied.
  const a = left === 'NULL' ? right : left
  const b = right === 'NULL' ? left : right
  if (a === 'NULL') return { type: 'NULL', apply: () => null }
  const step = isJsonOperator(operator)
    ? jsonOperation(operator, left === 'NULL' ? 'JSON' : a, right === 'NULL' ? 'TEXT' : b, position)
    : operator === '||'
      ? concatenation(a, b, position)
      : isNumber(a) && isNumber(b)
        ? numberStep(operator, a, b, position)
        : (timestampStep(operator, a, b, position) ?? dateStep(operator, a, b, position))
  if (step !== undefined) return step
  throw new PlanError('type_mismatch', `${left} ${operator} ${right} has no meaning.`, {
    position,
    hint:
      left === 'TEXT' || right === 'TEXT'
        ? 'Texts are joined by ||, other values by concat(a, b) or as a::TEXT || b.'
        : realHint(left, right),
  })
}

function concatenation(
  a: ExpressionType,
  b: ExpressionType,
  position: Position,
): OperatorStep | undefined {
  if (a !== b || (a !== 'TEXT' && a !== 'BYTES')) return undefined
  const apply = (left: SqlValue, right: SqlValue, work: WorkMeter): SqlValue => {
    payForJoining(left, right, { work, position })
    if (typeof left === 'string') return left + (right as string)
    return Uint8Array.from(Buffer.concat([left as Uint8Array, right as Uint8Array]))
  }
  return { type: a, apply }
}

/** A few characters of text can ask for a value of any length, which nothing could hold. */
function payForJoining(
  left: SqlValue,
  right: SqlValue,
  { work, position }: { readonly work: WorkMeter; readonly position: Position },
): void {
  const length = lengthOf(left) + lengthOf(right)
  work.spend(length)
  const max = PLANNER_LIMITS.concatenationBytesMax
  if (length <= max) return
  const message = `|| makes values of at most ${max} bytes, and this is longer.`
  throw limitExceeded('concatenationBytesMax', length, message, { position })
}

function numberStep(
  operator: NumberOperator,
  a: ExpressionType,
  b: ExpressionType,
  position: Position,
): OperatorStep | undefined {
  const type = commonNumber(a, b)
  if (type === undefined) return undefined
  if (type === 'DECIMAL') return { type, apply: decimalStep(operator, position) }
  if (type === 'INTEGER') {
    const integerResult = INTEGER_RESULTS[operator]
    const apply = (left: SqlValue, right: SqlValue): SqlValue =>
      checkedInteger(integerResult(left as bigint, right as bigint, position), { position })
    return { type: 'INTEGER', apply }
  }
  const realResult = REAL_RESULTS[operator]
  const apply = (left: SqlValue, right: SqlValue): SqlValue =>
    finite(realResult(Number(left), Number(right), position), position)
  return { type: 'REAL', apply }
}

function decimalStep(operator: NumberOperator, position: Position): OperatorStep['apply'] {
  const result = DECIMAL_RESULTS[operator]
  const isDivided = operator === '/' || operator === '%'
  return (left, right, work) => {
    const [a, b] = [decimalOf(left) as Decimal, decimalOf(right) as Decimal]
    work.spend(a.length + b.length)
    if (isDivided) nonZero(b.units, position)
    const value = checkedDecimal(result(a, b), { position })
    work.spend(value.length)
    return value
  }
}

type Results<T> = Readonly<Record<NumberOperator, (left: T, right: T, position: Position) => T>>

/** Division truncates towards zero and the remainder has the sign of the dividend. */
const INTEGER_RESULTS: Results<bigint> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right, position) => left / nonZero(right, position),
  '%': (left, right, position) => left % nonZero(right, position),
}

const REAL_RESULTS: Results<number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right, position) => left / nonZero(right, position),
  '%': (left, right, position) => left % nonZero(right, position),
}

function nonZero<T extends bigint | number>(divisor: T, position: Position): T {
  if (Number(divisor) !== 0) return divisor
  throw new PlanError('division_by_zero', 'A number cannot be divided by zero.', { position })
}

/** A REAL is finite, and never −0. */
export function finite(value: number, position: Position): number {
  if (Number.isFinite(value)) return value === 0 ? 0 : value
  throw new PlanError('out_of_range', 'The result is too large for REAL.', { position })
}

/** The distance of two TIMESTAMPs is an INTEGER of microseconds; adding one moves a TIMESTAMP. */
function timestampStep(
  operator: NumberOperator,
  a: ExpressionType,
  b: ExpressionType,
  position: Position,
): OperatorStep | undefined {
  const moved = (left: SqlValue, right: SqlValue, sign: bigint): bigint =>
    checkedTimestamp((left as bigint) + sign * (right as bigint), position)
  if (operator === '-' && a === 'TIMESTAMP' && b === 'TIMESTAMP') {
    return { type: 'INTEGER', apply: (left, right) => (left as bigint) - (right as bigint) }
  }
  if (operator === '-' && a === 'TIMESTAMP' && b === 'INTEGER') {
    return { type: 'TIMESTAMP', apply: (left, right) => moved(left, right, -1n) }
  }
  const added = (a === 'TIMESTAMP' && b === 'INTEGER') || (a === 'INTEGER' && b === 'TIMESTAMP')
  if (operator !== '+' || !added) return undefined
  return { type: 'TIMESTAMP', apply: (left, right) => moved(left, right, 1n) }
}

/** The distance of two DATEs is an INTEGER of days; adding one moves a DATE. */
function dateStep(
  operator: NumberOperator,
  a: ExpressionType,
  b: ExpressionType,
  position: Position,
): OperatorStep | undefined {
  if (operator === '-' && a === 'DATE' && b === 'DATE') {
    return { type: 'INTEGER', apply: (left, right) => (left as bigint) - (right as bigint) }
  }
  const isMoved = a === 'DATE' && b === 'INTEGER' && (operator === '+' || operator === '-')
  const isAdded = operator === '+' && a === 'INTEGER' && b === 'DATE'
  if (!isMoved && !isAdded) return undefined
  const sign = operator === '-' ? -1n : 1n
  const apply = (left: SqlValue, right: SqlValue): bigint =>
    checkedDate((left as bigint) + sign * (right as bigint), position)
  return { type: 'DATE', apply }
}

/** An INTERVAL beside a DATE is of whole days. */
function inDays(operand: Expression, part: CompiledExpression): CompiledExpression {
  if (operand.kind !== 'literal' || operand.type !== 'integer' || !operand.isInterval) return part
  const { position } = operand
  if (operand.value % DAY_MICROS !== 0n) {
    throw new PlanError('type_mismatch', 'A DATE is moved by whole days.', {
      position,
      hint: 'A cast makes a moment of it: day::TIMESTAMP, its midnight in UTC.',
    })
  }
  const days = operand.value / DAY_MICROS
  return { ...part, evaluate: () => days, given: { literal: days } }
}

function checkedDate(days: bigint, position: Position): bigint {
  if (days >= DATE_MIN && days <= DATE_MAX) return days
  throw new PlanError('out_of_range', 'The day is not in the years 1 to 9999.', { position })
}

export function checkedTimestamp(micros: bigint, position: Position): bigint {
  if (micros >= TIMESTAMP_MIN && micros <= TIMESTAMP_MAX) return micros
  throw new PlanError('out_of_range', 'The point in time is outside the years 1 to 9999.', {
    position,
  })
}
