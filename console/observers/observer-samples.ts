// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import type { ChartData } from '../page/chart-canvas.ts'

/** Looks that are kept: ten minutes of one every two seconds. */
const SAMPLES_MAX = 300

type Status = Schemas['ObserverStatus']

export type ObserverSample = Pick<Status, 'lagMs' | 'runs' | 'failures'> & {
  readonly atMs: number
}

/** What was seen of each observer, the oldest first. */
export type ObserverSamples = ReadonlyMap<string, readonly ObserverSample[]>

/** With one more look. Observers that are gone are forgotten. */
export function sampled(
  before: ObserverSamples,
  observers: readonly Status[],
  atMs: number,
): ObserverSamples {
  return new Map(
    observers.map(({ observer, lagMs, runs, failures }) => {
      const kept = (before.get(observer) ?? []).slice(-(SAMPLES_MAX - 1))
      return [observer, [...kept, { atMs, lagMs, runs, failures }]]
    }),
  )
}

type Counter = 'runs' | 'failures'

/** How much a counter has grown in each second before the last look; undefined before the second one. */
export function rateOf(
  samples: readonly ObserverSample[] | undefined,
  counter: Counter,
): number | undefined {
  return ratesOf(samples ?? [], counter).at(-1) ?? undefined
}

export function lagChart(samples: readonly ObserverSample[]): ChartData {
  return { times: timesOf(samples), lines: [samples.map(({ lagMs }) => lagMs)] }
}

export function rateChart(samples: readonly ObserverSample[]): ChartData {
  const lines = [ratesOf(samples, 'runs'), ratesOf(samples, 'failures')]
  return { times: timesOf(samples), lines }
}

function timesOf(samples: readonly ObserverSample[]): number[] {
  return samples.map(({ atMs }) => atMs / 1_000)
}

/** A counter that has fallen is that of another run of the server. */
function ratesOf(samples: readonly ObserverSample[], counter: Counter): Array<number | null> {
  return samples.map((sample, at) => {
    const before = samples[at - 1]
    if (before === undefined || sample[counter] < before[counter]) return null
    const seconds = (sample.atMs - before.atMs) / 1_000
    return seconds <= 0 ? null : (sample[counter] - before[counter]) / seconds
  })
}
