// SPDX-License-Identifier: Apache-2.0
import type { AggregateExpression, AggregateFunction, Position } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/storage.ts'
import type { ExpressionType } from '../expressions/compiled-expression.ts'
import { finite } from '../expressions/expression-arithmetic.ts'
import { isNumber, typeMismatch } from '../expressions/type-check.ts'
import { type Comparison, comparisonOf } from '../expressions/value-work.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'
import { checkedInteger } from '../json/json-value.ts'

/** What becomes of the values of one expression in one group, in memory that does not grow with it. */
export interface Accumulator {
  /** Never called with NULL, which no aggregate but COUNT(*) takes in. */
  add(value: Exclude<SqlValue, null>, work: WorkMeter): void
  /** Throws PlanError out_of_range when the value is none of its type. */
  result(): SqlValue
}

/** An aggregate that knows the type of its operand: the type it answers, and a fresh start. */
export type AggregateDefinition = {
  readonly type: ExpressionType
  readonly start: () => Accumulator
}

/** Throws PlanError type_mismatch for an operand that the function has no meaning for. */
export function aggregateOf(
  { function: name, position }: AggregateExpression,
  operand: ExpressionType,
): AggregateDefinition {
  switch (name) {
    case 'count':
      return { type: 'INTEGER', start: () => new Count() }
    case 'sum':
      requireNumber(name, operand, position)
      if (operand === 'REAL') return { type: 'REAL', start: () => new RealSum(position) }
      return { type: 'INTEGER', start: () => new IntegerSum(position) }
    case 'avg':
      requireNumber(name, operand, position)
      if (operand === 'REAL') return { type: 'REAL', start: () => new RealAverage(position) }
      return { type: 'REAL', start: () => new IntegerAverage() }
    case 'min':
    case 'max': {
      if (operand === 'JSON') {
        throw typeMismatch(
          `JSON has no order, so there is no ${name.toUpperCase()} of it.`,
          position,
        )
      }
      const sign = name === 'min' ? -1 : 1
      return { type: operand, start: () => new Extreme(operand as SqlType, sign) }
    }
  }
}

function requireNumber(name: AggregateFunction, operand: ExpressionType, position: Position): void {
  if (isNumber(operand) || operand === 'NULL') return
  throw typeMismatch(`${name.toUpperCase()} wants a number, not ${operand}.`, position)
}

class Count implements Accumulator {
  #count = 0

  add(): void {
    this.#count += 1
  }

  result(): SqlValue {
    return BigInt(this.#count)
  }
}

/** Exact whatever the order of the rows: only the sum of all of them has to fit. */
class IntegerSum implements Accumulator {
  readonly #position: Position
  #sum: bigint | null = null

  constructor(position: Position) {
    this.#position = position
  }

  add(value: SqlValue): void {
    this.#sum = (this.#sum ?? 0n) + (value as bigint)
  }

  result(): SqlValue {
    return this.#sum === null ? null : checkedInteger(this.#sum, { position: this.#position })
  }
}

/**
 * A sum on the way may be too large for REAL when the answer is not. Beside the sum, one of values
 * scaled down by so much that all the rows there can be do not overflow it stands in then.
 */
class RealTotal {
  #sum = 0
  #scaled = 0

  add(value: number): void {
    this.#sum += value
    this.#scaled += value / SCALE
  }

  dividedBy(count: number): number {
    return Number.isFinite(this.#sum) ? this.#sum / count : (this.#scaled / count) * SCALE
  }
}

const SCALE = 2 ** 60

class RealSum implements Accumulator {
  readonly #position: Position
  #total: RealTotal | undefined

  constructor(position: Position) {
    this.#position = position
  }

  add(value: SqlValue): void {
    this.#total ??= new RealTotal()
    this.#total.add(value as number)
  }

  result(): SqlValue {
    return this.#total === undefined ? null : finite(this.#total.dividedBy(1), this.#position)
  }
}

class RealAverage implements Accumulator {
  readonly #position: Position
  readonly #total = new RealTotal()
  #count = 0

  constructor(position: Position) {
    this.#position = position
  }

  add(value: SqlValue): void {
    this.#count += 1
    this.#total.add(value as number)
  }

  result(): SqlValue {
    return this.#count === 0 ? null : finite(this.#total.dividedBy(this.#count), this.#position)
  }
}

/** The sum is exact and may exceed 64 bits, since the mean is between the values. */
class IntegerAverage implements Accumulator {
  #sum = 0n
  #count = 0

  add(value: SqlValue): void {
    this.#count += 1
    this.#sum += value as bigint
  }

  result(): SqlValue {
    return this.#count === 0 ? null : Number(this.#sum) / this.#count
  }
}

class Extreme implements Accumulator {
  readonly #compare: Comparison
  readonly #sign: -1 | 1
  #best: SqlValue = null

  constructor(type: SqlType, sign: -1 | 1) {
    this.#compare = comparisonOf(type)
    this.#sign = sign
  }

  add(value: SqlValue, work: WorkMeter): void {
    const better = this.#best === null || this.#compare(value, this.#best, work) * this.#sign > 0
    if (better) this.#best = value
  }

  result(): SqlValue {
    return this.#best
  }
}
