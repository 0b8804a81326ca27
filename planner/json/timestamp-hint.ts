// SPDX-License-Identifier: Apache-2.0
import { timestampFromText } from './timestamp-text.ts'

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
