// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import type { ChartData } from '../page/chart-canvas.ts'

type Answer = Schemas['Activity']
export type Figure = keyof Answer['series']

/** Ten minutes of seconds, as the server has them. */
const STEPS_MAX = 600

/** Figures of the server, step by step, and where the next answer goes on. */
export type Activity = {
  /** When each step ended, in seconds since 1970. */
  readonly times: readonly number[]
  readonly series: Answer['series']
  /** To be sent as `since`. */
  readonly until: number
}

/** The address to ask for what came since then. */
export function activityPath(known: Activity | undefined): string {
  return known === undefined ? '/v1/activity' : `/v1/activity?since=${known.until}`
}

/** With the steps of another answer; with these alone, where they do not go on from those that are known. */
export function withAnswer(known: Activity | undefined, answer: Answer): Activity {
  const { stepMs, from, until, series } = answer
  const fromMs = Date.parse(from)
  const count = series.commits.length
  const times = Array.from({ length: count }, (_, at) => (fromMs + (at + 1) * stepMs) / 1_000)
  const goesOn = known !== undefined && Math.abs(fromMs - known.until / 1_000) < stepMs
  if (!goesOn) return { times, series, until }
  if (count === 0) return known
  const joined = Object.entries(series).map(([name, values]) => {
    return [name, [...known.series[name as Figure], ...values].slice(-STEPS_MAX)]
  })
  return {
    times: [...known.times, ...times].slice(-STEPS_MAX),
    series: Object.fromEntries(joined) as Answer['series'],
    until,
  }
}

/** Some of the figures, for a chart. */
export function chartOf({ times, series }: Activity, figures: readonly Figure[]): ChartData {
  return { times, lines: figures.map((name) => series[name]) }
}

/** Whether a figure was known at any time: a store in memory has no log. */
export function isKnown({ series }: Activity, name: Figure): boolean {
  return series[name].some((value) => value !== null)
}
