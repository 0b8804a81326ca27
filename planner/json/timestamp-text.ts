// SPDX-License-Identifier: Apache-2.0
import { DAY_MICROS } from '../../storage/values/values.ts'

/**
 * TIMESTAMP as text: `2026-01-31T12:00:00.000000Z`. It is read with any offset and up to six digits
 * of a second, and always written in UTC with six, so that the written form sorts as time does.
 */

/** Microseconds of 0001-01-01T00:00:00Z and of the last microsecond of the year 9999. */
export const TIMESTAMP_MIN = -62_135_596_800_000_000n
export const TIMESTAMP_MAX = 253_402_300_799_999_999n

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2})))?$/

/**
 * Microseconds since 1970 of an ISO text; undefined when it is none, names a day or an hour that
 * does not exist, or lies outside the years 1 to 9999. A date alone is its midnight in UTC; a time
 * of day without an offset is refused, since it does not say which moment it means.
 */
export function timestampFromText(text: string): bigint | undefined {
  const match = ISO.exec(text)
  if (match === null) return undefined
  const [
    ,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    ...offset
  ] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offsetHours = Number(offset[0] ?? 0)
  const offsetMinutes = Number(offset[1] ?? 0)
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const date = new Date(0)
  // Date.UTC takes the years 0 to 99 for 1900 to 1999; setUTCFullYear takes them as they are.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!exists) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const offsetSeconds = (sign === '-' ? -1 : 1) * (offsetHours * 3_600 + offsetMinutes * 60)
  const seconds = BigInt(date.getTime() / 1_000 - offsetSeconds)
  const micros = seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return micros < TIMESTAMP_MIN || micros > TIMESTAMP_MAX ? undefined : micros
}

/** The ISO text, in UTC with six digits, of microseconds within the years 1 to 9999. */
export function timestampToText(micros: bigint): string {
  const inSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const milliseconds = Number((micros - inSecond) / 1_000n)
  const date = new Date(milliseconds).toISOString()
  return `${date.slice(0, -5)}.${inSecond.toString().padStart(6, '0')}Z`
}

/** Days since 1970 of the first and the last day of the years 1 to 9999. */
export const DATE_MIN = -719_162n
export const DATE_MAX = 2_932_896n

/** Days since 1970 of `2026-01-31`; undefined for any other text, and a day that does not exist. */
export function dateFromText(text: string): bigint | undefined {
  const micros = /^\d{4}-\d{2}-\d{2}$/.test(text) ? timestampFromText(text) : undefined
  return micros === undefined ? undefined : micros / DAY_MICROS
}

export function dateToText(days: bigint | number): string {
  return new Date(Number(days) * 86_400_000).toISOString().slice(0, 10)
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})/
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?$/

/** What is wrong with a text that looks like a moment, and the one that comes near. */
export function timestampHint(text: string): string | undefined {
  const [, year, month, day] = DAY.exec(text) ?? []
  if (year === undefined || month === undefined) return undefined
  if (timestampFromText(`${year}-${month}-01`) === undefined) {
    return `there is no month ${month}: months are 01 to 12`
  }
  if (timestampFromText(`${year}-${month}-${day}`) === undefined) {
    return `there is no day ${year}-${month}-${day}: the last one of that month is '${lastDay(year, month)}'`
  }
  if (!WITHOUT_OFFSET.test(text)) return undefined
  return `a time of day has its offset: '${text.replace(' ', 'T')}Z' is in UTC`
}

function lastDay(year: string, month: string): string {
  const days = ['31', '30', '29', '28'].map((day) => `${year}-${month}-${day}`)
  return days.find((day) => timestampFromText(day) !== undefined) ?? `${year}-${month}-28`
}
