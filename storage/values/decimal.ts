// SPDX-License-Identifier: Apache-2.0

/** What a column keeps: so many digits, of which so many stand behind the point. */
export type DecimalSize = { readonly precision: number; readonly scale: number }

/** Digits of a column. */
export const DECIMAL_PRECISION_MAX = 38
/** Digits of any other value, and how many of them stand behind the point: no expression makes longer ones. */
export const DECIMAL_DIGITS_MAX = 1_000

/**
 * An exact number, units × 10^−scale. Numbers are equal whatever their scales: 1.5 is 1.50; the scale says how many
 * digits are written behind the point.
 */
export class Decimal {
  readonly units: bigint
  readonly scale: number

  constructor(units: bigint, scale: number) {
    this.units = units
    this.scale = scale
  }

  /** About how many bytes it has more than any value; 0 for most. */
  get length(): number {
    const { units } = this
    return units < SHORT_MAX && units > -SHORT_MAX ? 0 : Math.ceil(units.toString(16).length / 2)
  }

  /** All of its digits, never with an exponent: `-0.50`. */
  toString(): string {
    const { units, scale } = this
    if (scale === 0) return units.toString()
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
    return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  }
}

const SHORT_MAX = 2n ** 64n

const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i

/** The number as it is written, with its zeros at the end; undefined for any other text. */
export function decimalFromText(text: string): Decimal | 'tooLong' | undefined {
  // A long text is not looked through: behind the digits that count there may be some zeros.
  if (text.length > 2 * DECIMAL_DIGITS_MAX) return 'tooLong'
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (sign === undefined) return undefined
  const digits = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  if (scale > DECIMAL_DIGITS_MAX || (scale < -DECIMAL_DIGITS_MAX && digits !== 0n)) return 'tooLong'
  const units = scale < 0 && digits !== 0n ? digits * powerOfTen(-scale) : digits
  if (units >= DECIMAL_UNITS_MAX) return 'tooLong'
  return new Decimal(sign === '-' ? -units : units, Math.max(0, scale))
}

const POWERS: bigint[] = [1n]

/** 10^exponent, of at most twice as many digits as a value has. */
export function powerOfTen(exponent: number): bigint {
  for (let known = POWERS.length; known <= exponent; known += 1) {
    POWERS.push((POWERS[known - 1] as bigint) * 10n)
  }
  return POWERS[exponent] as bigint
}

const DECIMAL_UNITS_MAX = powerOfTen(DECIMAL_DIGITS_MAX)

/** Whether it has no more digits than a value of an expression may have. */
export function isDecimalInRange({ units, scale }: Decimal): boolean {
  return scale <= DECIMAL_DIGITS_MAX && units < DECIMAL_UNITS_MAX && units > -DECIMAL_UNITS_MAX
}

/** The units of the number at a scale that is not below its own. */
export function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return scale === wanted ? units : units * powerOfTen(wanted - scale)
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [unitsAt(a, scale), unitsAt(b, scale)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The same text for equal numbers, and another for any other: without zeros at the end. */
export function canonicalDecimal(value: Decimal): string {
  const text = value.toString()
  if (value.scale === 0) return text
  let end = text.length
  while (text[end - 1] === '0') end -= 1
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}

/** The same number as a column of this size has it; undefined where that cannot have it. */
export function sizedDecimal(
  value: Decimal,
  { precision, scale }: DecimalSize,
): Decimal | undefined {
  let { units } = value
  if (value.scale > scale) {
    const divisor = powerOfTen(value.scale - scale)
    if (units % divisor !== 0n) return undefined
    units /= divisor
  } else units = unitsAt(value, scale)
  const limit = powerOfTen(precision)
  if (units >= limit || units <= -limit) return undefined
  return value.scale === scale ? value : new Decimal(units, scale)
}

/** `DECIMAL(18, 2)`, as it is written; any other type is its name. */
export function typeText(type: string, size: DecimalSize | undefined): string {
  return size === undefined ? type : `${type}(${size.precision}, ${size.scale})`
}
