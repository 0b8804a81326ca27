// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import type { ChartData } from '../page/chart-canvas.ts'
import { ratesOf, type Sample, type Samples, timesOf, withLook } from './samples.ts'

type Status = Schemas['ObserverStatus']

export type ObserverSample = Pick<Status, 'lagMs' | 'runs' | 'failures'> & Sample

export type ObserverSamples = Samples<ObserverSample>

/** With one more look. Observers that are gone are forgotten. */
export function sampled(
  before: ObserverSamples,
  observers: readonly Status[],
  atMs: number,
): ObserverSamples {
  return withLook(
    before,
    observers.map(({ observer, lagMs, runs, failures }) => {
      return [observer, { atMs, lagMs, runs, failures }]
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
