// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import {
  compareDecimals,
  DECIMAL_DIGITS_MAX,
  Decimal,
  type DecimalSize,
  powerOfTen,
  type SqlValue,
  sizedDecimal,
  typeText,
  unitsAt,
} from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'

type Where = { readonly position?: Position | undefined }
type Operation = (a: Decimal, b: Decimal) => Decimal

/**
 * Exact but for `/`, which rounds, a half away from zero. The scales are PostgreSQL's: the larger one of a sum and of a
 * remainder, both together of a product.
 */
export const DECIMAL_RESULTS: Readonly<Record<'+' | '-' | '*' | '/' | '%', Operation>> = {
  '+': sumOf,
  '-': (a, b) => sumOf(a, new Decimal(-b.units, b.scale)),
  '*': (a, b) => new Decimal(a.units * b.units, a.scale + b.scale),
  '/': quotient,
  '%': (a, b) => {
    const scale = Math.max(a.scale, b.scale)
    return new Decimal(unitsAt(a, scale) % unitsAt(b, scale), scale)
  },
}

function sumOf(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return new Decimal(unitsAt(a, scale) + unitsAt(b, scale), scale)
}

/** The quotient of numbers of which the second is not 0. */
function quotient(a: Decimal, b: Decimal): Decimal {
  const scale = quotientScale(a, b)
  const dividend = a.units * powerOfTen(scale - a.scale + b.scale)
  return new Decimal(roundedQuotient(dividend, b.units), scale)
}

/** Digits that a quotient has at least, not counting zeros before them. */
const QUOTIENT_DIGITS_MIN = 16
/** PostgreSQL counts digits to the base 10,000, so that a quotient may have some more. */
const GROUP_DIGITS = 4

/** No less than either scale, and enough for the digits that there have to be. */
function quotientScale(a: Decimal, b: Decimal): number {
  const [first, second] = [leadingGroup(a), leadingGroup(b)]
  const weight = first.weight - second.weight - (first.digits <= second.digits ? 1 : 0)
  const scale = Math.max(QUOTIENT_DIGITS_MIN - weight * GROUP_DIGITS, a.scale, b.scale, 0)
  return Math.min(scale, DECIMAL_DIGITS_MAX)
}

/** The first digits to the base 10,000, and how many groups stand between them and the point; of 0 both are 0. */
function leadingGroup({ units, scale }: Decimal): {
  readonly weight: number
  readonly digits: number
} {
  if (units === 0n) return { weight: 0, digits: 0 }
  const text = (units < 0n ? -units : units).toString()
  const weight = Math.floor((text.length - scale - 1) / GROUP_DIGITS)
  const count = text.length - scale - weight * GROUP_DIGITS
  return { weight, digits: Number(text.slice(0, count).padEnd(count, '0')) }
}

/** To the nearest whole number, a half away from zero. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor
  const rest = dividend % divisor
  const [size, half] = [rest < 0n ? -rest : rest, divisor < 0n ? -divisor : divisor]
  if (size * 2n < half) return whole
  return dividend < 0n === divisor < 0n ? whole + 1n : whole - 1n
}

/** Where the digits behind the scale go: to the nearest (a half away from zero), towards zero, down or up. */
export type Rounding = 'nearest' | 'truncate' | 'floor' | 'ceil'

/** The number with so many digits behind the point, zeros where it has fewer. */
export function roundedDecimal(value: Decimal, scale: number, rounding: Rounding): Decimal {
  if (value.scale <= scale) return new Decimal(unitsAt(value, scale), scale)
  const divisor = powerOfTen(value.scale - scale)
  if (rounding === 'nearest') return new Decimal(roundedQuotient(value.units, divisor), scale)
  const whole = value.units / divisor
  const rest = value.units % divisor
  const up = rounding === 'ceil' && rest > 0n ? 1n : 0n
  const down = rounding === 'floor' && rest < 0n ? 1n : 0n
  return new Decimal(whole + up - down, scale)
}

/** −1, 0 or 1. */
export function signOfDecimal({ units }: Decimal): Decimal {
  return new Decimal(units > 0n ? 1n : units < 0n ? -1n : 0n, 0)
}

/** The number that a cast to DECIMAL(18, 2) makes: rounded. Throws PlanError out_of_range for one too large. */
export function castDecimal(value: Decimal, size: DecimalSize, where: Where): Decimal {
  const rounded = roundedDecimal(value, size.scale, 'nearest')
  const sized = sizedDecimal(rounded, size)
  if (sized !== undefined) return sized
  const message = `The number is too large for ${typeText('DECIMAL', size)}.`
  throw new PlanError('out_of_range', message, where)
}

/** A value for a column of this size. Throws PlanError out_of_range where digits would be lost. */
export function valueOfSize(
  value: SqlValue,
  column: { readonly name: string; readonly size: DecimalSize },
  { position }: Where = {},
): SqlValue {
  if (value === null) return null
  const { name, size } = column
  const sized = sizedDecimal(value as Decimal, size)
  if (sized !== undefined) return sized
  const rounded = roundedDecimal(value as Decimal, size.scale, 'truncate')
  const isLonger = compareDecimals(rounded, value as Decimal) !== 0
  const type = typeText('DECIMAL', size)
  const problem = isLonger
    ? `the number has more than ${size.scale} digits behind the point`
    : 'the number is too large for that'
  throw new PlanError('out_of_range', `The column ${name} is ${type}, and ${problem}.`, {
    position,
    hint: isLonger ? `ROUND(x, ${size.scale}) rounds it, a half away from zero.` : undefined,
    fields: { column: name },
  })
}
