// SPDX-License-Identifier: Apache-2.0
import type { AggregateExpression, AggregateFunction, Position } from '../../parser/ast.ts'
import { Decimal, type SqlType, type SqlValue } from '../../storage/values/values.ts'
import type { ExpressionType } from '../expressions/compiled-expression.ts'
import { DECIMAL_RESULTS } from '../expressions/decimal-arithmetic.ts'
import { finite } from '../expressions/expression-arithmetic.ts'
import { isNumber, typeMismatch } from '../expressions/type-check.ts'
import { comparisonOf, paidIdentityOf } from '../expressions/value-work.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'
import { checkedDecimal } from '../json/decimal-text.ts'
import { checkedInteger } from '../json/json-value.ts'
import { bytesOfValue, type HeldPart, keptValue } from '../sorting/held-bytes.ts'

/** What becomes of the values of one expression in one group. What it keeps of them is held by the group. */
export interface Accumulator {
  /** Never called with NULL, which no aggregate but COUNT(*) takes in. */
  add(value: Exclude<SqlValue, null>, work: WorkMeter): void
  /** Throws PlanError out_of_range when the value is none of its type. */
  result(): SqlValue
}

/** An aggregate that knows the type of its operand: the type it answers, and a fresh start. */
export type AggregateDefinition = {
  readonly type: ExpressionType
  readonly start: (held: HeldPart) => Accumulator
}

/** Throws PlanError type_mismatch for an operand that the function has no meaning for. */
export function aggregateOf(
  { function: name, position }: AggregateExpression,
  operand: ExpressionType,
): AggregateDefinition {
  switch (name) {
    case 'count':
      return { type: 'INTEGER', start: count }
    case 'sum':
      requireNumber(name, operand, position)
      if (operand === 'REAL') return { type: 'REAL', start: () => realSum(position, 'sum') }
      if (operand === 'DECIMAL') return { type: operand, start: () => decimalSum(position, 'sum') }
      return { type: 'INTEGER', start: () => integerSum(position) }
    case 'avg':
      requireNumber(name, operand, position)
      if (operand === 'REAL') return { type: 'REAL', start: () => realSum(position, 'mean') }
      if (operand === 'DECIMAL') return { type: operand, start: () => decimalSum(position, 'mean') }
      return { type: 'REAL', start: integerMean }
    case 'min':
    case 'max': {
      if (operand === 'JSON') {
        throw typeMismatch(
          `JSON has no order, so there is no ${name.toUpperCase()} of it.`,
          position,
        )
      }
      const sign = name === 'min' ? -1 : 1
      return { type: operand, start: (held) => extreme(operand as SqlType, sign, held) }
    }
  }
}

function requireNumber(name: AggregateFunction, operand: ExpressionType, position: Position): void {
  if (isNumber(operand) || operand === 'NULL') return
  throw typeMismatch(`${name.toUpperCase()} wants a number, not ${operand}.`, position)
}

function count(): Accumulator {
  let rows = 0
  return {
    add: () => {
      rows += 1
    },
    result: () => BigInt(rows),
  }
}

/** Exact whatever the order of the rows: only the sum of all of them has to fit. */
function integerSum(position: Position): Accumulator {
  let sum: bigint | null = null
  return {
    add: (value) => {
      sum = (sum ?? 0n) + (value as bigint)
    },
    result: () => (sum === null ? null : checkedInteger(sum, { position })),
  }
}

/**
 * The sum, or the mean. A sum on the way may be too large for REAL when the answer is not. Beside the sum, one of
 * values scaled down by so much that all the rows there can be do not overflow it stands in then.
 */
function realSum(position: Position, of: 'sum' | 'mean'): Accumulator {
  let sum = 0
  let scaled = 0
  let rows = 0
  return {
    add: (value) => {
      sum += value as number
      scaled += (value as number) / SCALE
      rows += 1
    },
    result: () => {
      if (rows === 0) return null
      const divisor = of === 'sum' ? 1 : rows
      const isInRange = Number.isFinite(sum)
      return finite(isInRange ? sum / divisor : (scaled / divisor) * SCALE, position)
    },
  }
}

const SCALE = 2 ** 60

/** The sum is exact; the mean has the digits of a quotient. */
function decimalSum(position: Position, of: 'sum' | 'mean'): Accumulator {
  let sum: Decimal | null = null
  let rows = 0
  return {
    add: (value, work) => {
      const next = value as Decimal
      work.spend(next.length)
      rows += 1
      sum = sum === null ? next : checkedDecimal(DECIMAL_RESULTS['+'](sum, next), { position })
    },
    result: () => {
      if (sum === null || of === 'sum') return sum
      return checkedDecimal(DECIMAL_RESULTS['/'](sum, new Decimal(BigInt(rows), 0)), { position })
    },
  }
}

/** The sum is exact and may exceed 64 bits, since the mean is between the values. */
function integerMean(): Accumulator {
  let sum = 0n
  let rows = 0
  return {
    add: (value) => {
      sum += value as bigint
      rows += 1
    },
    result: () => (rows === 0 ? null : Number(sum) / rows),
  }
}

function extreme(type: SqlType, sign: -1 | 1, held: HeldPart): Accumulator {
  const compare = comparisonOf(type)
  let best: SqlValue = null
  return {
    add: (value, work) => {
      if (best !== null && compare(value, best, work) * sign <= 0) return
      held.change(bytesOfValue(value) - bytesOfValue(best))
      best = keptValue(value, work)
    },
    result: () => best,
  }
}

/** The aggregate of different values: of equal ones it takes the first. */
export function ofDistinct(
  { type, start }: AggregateDefinition,
  operand: ExpressionType,
): AggregateDefinition {
  return {
    type,
    start: (held) => {
      const inner = start(held)
      const seen = new Set<SqlValue>()
      return {
        add: (value, work) => {
          const identity = paidIdentityOf(operand as SqlType, value, work)
          if (seen.has(identity)) return
          held.change(SEEN_BYTES + bytesOfValue(identity))
          seen.add(keptValue(identity, work))
          inner.add(value, work)
        },
        result: () => inner.result(),
      }
    },
  }
}

/** What a Set takes for each of its members. */
const SEEN_BYTES = 32
