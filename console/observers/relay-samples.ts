// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import type { ChartData } from '../page/chart-canvas.ts'
import { ratesOf, type Sample, type Samples, timesOf, withLook } from './samples.ts'

type Status = Schemas['RelayStatus']

/** `tries` are those of the message that the receiver has not taken. */
export type RelaySample = Pick<Status, 'lagMs' | 'sent'> & Sample & { readonly tries: number }

export type RelaySamples = Samples<RelaySample>

/** With one more look. Relays that are gone are forgotten. */
export function sampledRelays(
  before: RelaySamples,
  relays: readonly Status[],
  atMs: number,
): RelaySamples {
  return withLook(
    before,
    relays.map(({ relay, lagMs, sent, tries = 0 }) => [relay, { atMs, lagMs, sent, tries }]),
  )
}

export function relayLagChart(samples: readonly RelaySample[]): ChartData {
  return { times: timesOf(samples), lines: [samples.map(({ lagMs }) => lagMs)] }
}

export function sentChart(samples: readonly RelaySample[]): ChartData {
  return { times: timesOf(samples), lines: [ratesOf(samples, 'sent')] }
}

export function failedChart(samples: readonly RelaySample[]): ChartData {
  return { times: timesOf(samples), lines: [samples.map(({ tries }) => tries)] }
}
