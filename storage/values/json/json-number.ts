// SPDX-License-Identifier: Apache-2.0

/**
 * Digits that the exponent of a JSON number may have. It keeps exponents exact as numbers of
 * JavaScript, also after the digits of the longest possible number have been counted into them.
 */
export const JSON_EXPONENT_DIGITS_MAX = 15

/** Whether the number's exponent is written with more digits than the store takes. */
export function hasLongExponent(number: string): boolean {
  if (number.length <= JSON_EXPONENT_DIGITS_MAX) return false
  const at = exponentAt(number)
  if (at === -1) return false
  const sign = number.charAt(at + 1)
  const signLength = sign === '+' || sign === '-' ? 1 : 0
  return number.length - at - 1 - signLength > JSON_EXPONENT_DIGITS_MAX
}

/**
 * One text for all writings of the same decimal number: its digits without zeros at either end, and the
 * power of ten that the last one of them has. No power of ten is ever computed, so 1e1000000000 costs
 * what its letters cost. Minus zero is zero.
 *
 *     1, 1.0, 10e-1, 0.1e1   ->   1e0
 *     -1250                  ->   -125e1
 *     0, -0, 0.00e7          ->   0
 */
export function canonicalNumber(number: string): string {
  const exponentFrom = exponentAt(number)
  const mantissa = exponentFrom === -1 ? number : number.slice(0, exponentFrom)
  const written = exponentFrom === -1 ? 0 : Number(number.slice(exponentFrom + 1))
  const isNegative = mantissa.startsWith('-')
  const point = mantissa.indexOf('.')
  const whole = mantissa.slice(isNegative ? 1 : 0, point === -1 ? mantissa.length : point)
  const fraction = point === -1 ? '' : mantissa.slice(point + 1)
  const digits = whole + fraction
  let from = 0
  while (from < digits.length && digits.charCodeAt(from) === ZERO) from += 1
  if (from === digits.length) return '0'
  let to = digits.length
  while (digits.charCodeAt(to - 1) === ZERO) to -= 1
  const exponent = written - fraction.length + (digits.length - to)
  return `${isNegative ? '-' : ''}${digits.slice(from, to)}e${exponent}`
}

/** Whether the double that JavaScript makes of the number is the same decimal when it is written again. */
export function isDoubleExact(number: string): boolean {
  const double = Number(number)
  return Number.isFinite(double) && canonicalNumber(String(double)) === canonicalNumber(number)
}

const ZERO = 0x30

function exponentAt(number: string): number {
  const lower = number.indexOf('e')
  return lower === -1 ? number.indexOf('E') : lower
}
