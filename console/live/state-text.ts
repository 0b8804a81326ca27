// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { countedText, durationText } from '../page/stamp-text.ts'
import type { LiveWatch } from './live-watch.ts'

/** How a subscription of anybody is doing, as the server sees it, in words. */
export const SUBSCRIPTION_STATES: Readonly<Record<Schemas['OpenSubscription']['state'], string>> = {
  live: 'up to date',
  catchingUp: 'catching up',
  paused: 'paused by its client',
}

/** How it is told, in words. */
export const SUBSCRIPTION_MODES: Readonly<Record<Schemas['OpenSubscription']['mode'], string>> = {
  rows: 'row by row',
  result: 'as a list',
}

/** What all who have a list share of it, and what it has cost. */
export function listText({
  subscribers,
  rows,
  ranges,
  evaluations,
  lastMs,
}: NonNullable<Schemas['OpenSubscription']['result']>): string {
  const facts = [
    countedText(subscribers, 'subscriber'),
    countedText(rows, 'row'),
    `${countedText(ranges, 'range')} read`,
    countedText(evaluations, 'evaluation'),
  ]
  return `${facts.join(', ')}, the last in ${durationText(lastMs)}`
}

/** How a subscription is doing, in words. */
export function stateText({
  state,
  isPaused,
  feed,
}: Pick<LiveWatch, 'state' | 'isPaused'> & {
  readonly feed: Pick<LiveWatch['feed'], 'position' | 'isList'>
}): string {
  switch (state) {
    case 'ended':
      return 'ended'
    case 'connecting':
      return 'connecting …'
    case 'reconnecting':
      return 'the connection is lost; connecting again …'
    case 'live':
      if (isPaused) {
        return feed.isList
          ? 'paused; the newest list comes later'
          : 'paused; the server keeps what comes'
      }
      return feed.position === undefined ? 'reading the rows …' : 'live'
  }
}
