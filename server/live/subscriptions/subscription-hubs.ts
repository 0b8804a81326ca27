// SPDX-License-Identifier: Apache-2.0
import type { FeedCommit, Timestamp } from '../../../storage/storage.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { ClientWork, type WorkAccount } from './frames/work-accounts.ts'
import { RecentCommits } from './recent-commits.ts'
import type { LiveSubscribers, Subscription } from './subscription.ts'
import { SubscriptionHub } from './subscription-hub.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'

type Apart = { readonly hub: SubscriptionHub; readonly work: ClientWork }

/**
 * The hub of all clients, and one for each client whose subscriptions have taken so much work for a commit that all
 * others waited for it. There it waits for its own alone, in turns that it shares with the others as all clients do. It
 * stays there until it has no subscription any more.
 */
export class SubscriptionHubs implements LiveSubscribers {
  readonly #deps: SubscriptionDependencies
  readonly #ofAll: SubscriptionHub
  readonly #ofOne = new Map<ClientKey, Apart>()

  constructor(deps: SubscriptionDependencies) {
    this.#deps = deps
    this.#ofAll = new SubscriptionHub(deps, {
      kind: 'all',
      isApart: (client) => this.#ofOne.has(client),
      setApart: (client) => this.#setApart(client),
    })
  }

  join(subscription: Subscription): Promise<boolean> {
    return this.#hubOf(subscription).join(subscription)
  }

  leave(subscription: Subscription): void {
    this.#hubOf(subscription).leave(subscription)
  }

  accountOf({ running: { client } }: Subscription, commit: FeedCommit): WorkAccount | undefined {
    return this.#ofOne.get(client)?.work.on(commit)
  }

  /** As `SubscriptionHub.positionOf`. */
  positionOf(subscription: Subscription, resolved: Timestamp): Timestamp {
    return this.#hubOf(subscription).positionOf(subscription, resolved)
  }

  /** Rejects as `SubscriptionHub.progress`. */
  async progress(): Promise<void> {
    await Promise.all(this.#all.map((hub) => hub.progress()))
  }

  rightsChanged(): void {
    for (const hub of this.#all) hub.rightsChanged()
  }

  /** A client has no subscription any more. */
  async ended(client: ClientKey): Promise<void> {
    const apart = this.#ofOne.get(client)
    this.#ofOne.delete(client)
    await apart?.hub.close()
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((hub) => hub.close()))
  }

  get #all(): readonly SubscriptionHub[] {
    return [this.#ofAll, ...[...this.#ofOne.values()].map(({ hub }) => hub)]
  }

  #hubOf({ running: { client } }: Subscription): SubscriptionHub {
    return this.#ofOne.get(client)?.hub ?? this.#ofAll
  }

  #setApart(client: ClientKey): void {
    const hasAny = this.#deps.shares.subscriptions.heldBy(client) > 0
    if (!hasAny || this.#ofOne.has(client)) return
    // Who reads alone reads what the hub of all clients has kept.
    const parts = { ...this.#deps, recent: new RecentCommits(0) }
    const work = new ClientWork(client)
    const hub = new SubscriptionHub(parts, { kind: 'oneClient', client, work })
    this.#ofOne.set(client, { hub, work })
  }
}
