// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import type { LiveWatch } from './live-watch.ts'

/** How a subscription of anybody is doing, as the server sees it, in words. */
export const SUBSCRIPTION_STATES: Readonly<Record<Schemas['OpenSubscription']['state'], string>> = {
  live: 'up to date',
  catchingUp: 'catching up',
  paused: 'paused by its client',
}

/** How a subscription is doing, in words. */
export function stateText({
  state,
  isPaused,
  feed,
}: Pick<LiveWatch, 'state' | 'isPaused'> & {
  readonly feed: Pick<LiveWatch['feed'], 'position'>
}): string {
  switch (state) {
    case 'ended':
      return 'ended'
    case 'connecting':
      return 'connecting …'
    case 'reconnecting':
      return 'the connection is lost; connecting again …'
    case 'live':
      if (isPaused) return 'paused; the server keeps what comes'
      return feed.position === undefined ? 'reading the rows …' : 'live'
  }
}
