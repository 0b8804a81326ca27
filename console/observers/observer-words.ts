// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { countText } from '../page/stamp-text.ts'

type Status = Schemas['ObserverStatus']

/** The server counts no further than that. */
const COUNTED_MAX = 1_000

/** How an observer is doing, and whether somebody should see to it. */
export function stateOf({ state, running, waiting, backfilling }: Status): {
  readonly text: string
  readonly isBad: boolean
} {
  if (state !== 'active') return { text: state, isBad: false }
  if (running + waiting === 0) return { text: 'no worker', isBad: true }
  return { text: backfilling ? 'active, told of older rows' : 'active', isBad: false }
}

export function countedText(count: number): string {
  return count >= COUNTED_MAX ? `${countText(count)} or more` : countText(count)
}

/** The circle that an observer is in; undefined where it is in none. */
export function circleText({ observer, cyclesWith }: Status): string | undefined {
  if (cyclesWith.length === 0) return undefined
  const others = cyclesWith.filter((name) => name !== observer)
  return others.length === 0 ? 'notifies itself' : `with ${others.join(', ')}`
}

export function rateText(rate: number | undefined): string {
  if (rate === undefined) return '–'
  return rate === 0 || rate >= 10 ? countText(Math.round(rate)) : rate.toFixed(1)
}
