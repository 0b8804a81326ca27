// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../storage/storage.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { Subscription, SubscriptionState } from './subscription.ts'

/** A subscription as it was when it was looked at. */
export type ListedSubscription = {
  readonly client: ClientKey
  readonly texts: readonly string[]
  readonly state: SubscriptionState
  /** 0 before it has one. */
  readonly position: Timestamp
  readonly told: number
  readonly unsentBytes: number
}

type Listing = {
  readonly limit: number
  /** How far a subscription has come. */
  readonly positionOf: (subscription: Subscription) => Timestamp
  /** There may be very many. */
  readonly turns: Turns
}

/** Those that are furthest behind, `limit` at most and the furthest first. Rejects with the reason of an abort. */
export async function furthestBehind(
  subscriptions: Iterable<Subscription>,
  { limit, positionOf, turns }: Listing,
): Promise<readonly ListedSubscription[]> {
  let found: ListedSubscription[] = []
  let last = Number.POSITIVE_INFINITY
  const cut = () => {
    found = found.sort((one, other) => one.position - other.position).slice(0, limit)
    last = found.length < limit ? Number.POSITIVE_INFINITY : (found.at(-1)?.position ?? 0)
  }
  for (const subscription of subscriptions) {
    const position = positionOf(subscription)
    if (position < last) found.push(listed(subscription, position))
    if (found.length >= 2 * limit) cut()
    if (turns.isDue) await turns.pause()
  }
  cut()
  return found
}

function listed(subscription: Subscription, position: Timestamp): ListedSubscription {
  const { running, sink, state, toldCount } = subscription
  return {
    client: running.client,
    texts: running.statements(),
    state,
    position,
    told: toldCount,
    unsentBytes: sink.unsentBytes,
  }
}
