// SPDX-License-Identifier: Apache-2.0

import type { SubscriptionMode } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { SubscriptionSink } from './frames/frame-batch.ts'

/** `live` has been sent everything so far; `paused` is by its client. */
export type SubscriptionState = 'live' | 'catchingUp' | 'paused'

/** One subscriber, however it is told. */
export interface OpenSubscription {
  readonly mode: SubscriptionMode
  readonly running: RunningRequest
  readonly sink: SubscriptionSink
  readonly state: SubscriptionState
  /** It has been told what there is up to here; 0 before it has begun. */
  readonly position: Timestamp
  /** How often it was told of a change. */
  readonly toldCount: number
  /** In the mode `result`. */
  readonly shared?: SharedResult | undefined
}

/** What all who are subscribed to one answer share. */
export type SharedResult = {
  readonly subscribers: number
  readonly rows: number
  /** Keys and ranges that were read. */
  readonly ranges: number
  readonly evaluations: number
  readonly lastMs: number
}

/** A subscription as it was when it was looked at. */
export type ListedSubscription = {
  readonly client: ClientKey
  readonly mode: SubscriptionMode
  readonly result?: SharedResult
  readonly texts: readonly string[]
  readonly state: SubscriptionState
  /** 0 before it has one. */
  readonly position: Timestamp
  readonly told: number
  readonly unsentBytes: number
}

type Listing<Open> = {
  readonly limit: number
  /** How far a subscription has come. */
  readonly positionOf: (subscription: Open) => Timestamp
  /** There may be very many. */
  readonly turns: Turns
}

/** Those that are furthest behind, `limit` at most and the furthest first. Rejects with the reason of an abort. */
export async function furthestBehind<Open extends OpenSubscription>(
  subscriptions: Iterable<Open>,
  { limit, positionOf, turns }: Listing<Open>,
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

function listed(subscription: OpenSubscription, position: Timestamp): ListedSubscription {
  const { mode, running, sink, state, toldCount, shared } = subscription
  return {
    client: running.client,
    mode,
    ...(shared === undefined ? {} : { result: shared }),
    texts: running.statements(),
    state,
    position,
    told: toldCount,
    unsentBytes: sink.unsentBytes,
  }
}
