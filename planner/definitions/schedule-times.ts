// SPDX-License-Identifier: Apache-2.0
import { Cron, type CronOptions } from 'croner'
import type { ScheduleTimes } from '../../storage/tables/tables.ts'

/** The times of a schedule, in microseconds since 1970. All are whole seconds. */
export type Times = {
  /** The first one after this. */
  after(micros: number): number
  /** Those from `from` to `to`, both included: the newest `max` of them, ascending. */
  between(from: number, to: number, max: number): number[]
}

/** What is wrong with the text of one of the clauses. */
export class TimesError extends Error {
  readonly clause: 'every' | 'at' | 'cron' | 'zone'

  constructor(clause: TimesError['clause'], message: string) {
    super(message)
    this.clause = clause
  }
}

/**
 * Reads the clauses of CREATE SCHEDULE. Seconds, minutes and hours are counted from the beginning of 1970 in UTC, so
 * that `15 minutes` are the quarters of each hour; days are those of the zone, each at the same time of its clock.
 * A clock that is set forward past a time has it at the first moment after the gap, and one that is set back has it
 * once. Throws TimesError.
 */
export function timesOf(times: ScheduleTimes, zone: string): Times {
  requireZone(zone)
  if ('cron' in times) return cronTimes(times.cron, zone)
  const { count, unit } = periodOf(times.every)
  if (unit === 'day') return dayTimes(count, times.at ?? '00:00', zone)
  if (times.at !== undefined) throw new TimesError('at', 'AT is for EVERY of days only.')
  return evenTimes(count * UNIT_MS[unit] * MS_MICROS)
}

const MS_MICROS = 1_000
const SECOND_MS = 1_000
const UNIT_MS = {
  second: SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3_600 * SECOND_MS,
  day: 86_400 * SECOND_MS,
} as const
type Unit = keyof typeof UNIT_MS

const PERIOD = /^([1-9]\d{0,7}) (second|minute|hour|day)s?$/i
const DAYS_MAX = 366

function periodOf(text: string): { readonly count: number; readonly unit: Unit } {
  const [, digits = '', word = ''] = PERIOD.exec(text) ?? []
  const unit = word.toLowerCase() as Unit
  const count = Number(digits)
  if (digits === '' || count * UNIT_MS[unit] > DAYS_MAX * UNIT_MS.day) {
    const message = `EVERY is a number of seconds, minutes, hours or days, at most ${DAYS_MAX} days, such as '15 minutes'. Weekdays and months are said by CRON.`
    throw new TimesError('every', message)
  }
  return { count, unit }
}

function requireZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    const message = "ZONE is the name of a time zone, such as 'Europe/Zurich' or 'UTC'."
    throw new TimesError('zone', message)
  }
}

function evenTimes(period: number): Times {
  return {
    after: (micros) => (Math.floor(micros / period) + 1) * period,
    between(from, to, max) {
      const found: number[] = []
      let time = Math.floor(to / period) * period
      for (; time >= from && found.length < max; time -= period) found.push(time)
      return found.reverse()
    },
  }
}

/** As cron has it where a time has no wildcard; others are moments that the clock shows, none in a gap. */
const OPTIONS = {
  paused: true,
  mode: '5-or-6-parts',
  fixedTimeRule: 'no-wildcard',
} as const satisfies CronOptions

const CRON_CHARACTERS_MAX = 100

function cronTimes(text: string, zone: string): Times {
  const count = text.trim().split(/\s+/).length
  // A question mark is the moment at which the text is read, so not the same for all.
  if ((count !== 5 && count !== 6) || text.length > CRON_CHARACTERS_MAX || text.includes('?')) {
    const message =
      "CRON is a text of five parts, minute, hour, day, month and weekday, or of six with the second first, such as '0 3 * * *'."
    throw new TimesError('cron', message)
  }
  const cron = cronOf(text, zone)
  if (cron.nextRun() === null) throw new TimesError('cron', `The time '${text}' never comes.`)
  return {
    after: (micros) => nextOf(cron, micros),
    between(from, to, max) {
      // Times before this one, which has none itself.
      const end = new Date((Math.floor(to / (MS_MICROS * SECOND_MS)) + 1) * SECOND_MS)
      const found = cron.previousRuns(max, end).map((date) => date.getTime() * MS_MICROS)
      return found.filter((time) => time >= from && time <= to).sort((a, b) => a - b)
    },
  }
}

function cronOf(text: string, zone: string): Cron {
  try {
    return new Cron(text, { ...OPTIONS, timezone: zone })
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '')
    throw new TimesError('cron', `The text of CRON cannot be read: ${reason}`)
  }
}

/** The time that never comes is one that nobody lives to see. */
function nextOf(cron: Cron, micros: number): number {
  const next = cron.nextRun(new Date(Math.floor(micros / MS_MICROS)))
  return next === null ? Number.MAX_SAFE_INTEGER : next.getTime() * MS_MICROS
}

/** The days whose number since 1970 is a multiple of `every`, so that none depends on the one before. */
function dayTimes(every: number, at: string, zone: string): Times {
  const [, hour, minute, second = '00'] =
    /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(at) ?? []
  if (hour === undefined) throw new TimesError('at', "AT is a time of the day, such as '03:00'.")
  const daily = cronOf(`${second} ${minute} ${hour} * * *`, zone)
  const dayOf = dayCounter(zone)
  const dayMicros = UNIT_MS.day * MS_MICROS
  const timeOf = (day: number) => {
    // No zone is further from UTC, so at most one time of the day before is passed.
    let time = nextOf(daily, day * dayMicros - ZONE_HOURS_MAX * UNIT_MS.hour * MS_MICROS)
    while (dayOf(time) < day) time = nextOf(daily, time)
    return time
  }
  const lastDay = (micros: number) => Math.floor(dayOf(micros) / every) * every
  return {
    after(micros) {
      let day = lastDay(micros)
      while (timeOf(day) <= micros) day += every
      return timeOf(day)
    },
    between(from, to, max) {
      const found: number[] = []
      for (let day = lastDay(to); found.length < max; day -= every) {
        const time = timeOf(day)
        if (time < from) break
        if (time <= to) found.push(time)
      }
      return found.reverse()
    },
  }
}

const ZONE_HOURS_MAX = 15

/** Says which day it is there, counted from 1970. */
function dayCounter(timeZone: string): (micros: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
  return (micros) => {
    const parts = new Map(
      format.formatToParts(micros / MS_MICROS).map(({ type, value }) => [type, Number(value)]),
    )
    const [year, month, day] = [parts.get('year'), parts.get('month'), parts.get('day')]
    return Date.UTC(year as number, (month as number) - 1, day) / UNIT_MS.day
  }
}
