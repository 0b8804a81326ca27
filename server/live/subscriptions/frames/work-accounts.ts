// SPDX-License-Identifier: Apache-2.0
import { PlanError } from '../../../../planner/planner.ts'
import type { FeedCommit, Timestamp } from '../../../../storage/storage.ts'
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { SERVER_LIMITS } from '../../../limits.ts'

/** What all subscriptions of one client have spent on a commit, in units of work, and what they may. */
export type WorkAccount = { readonly client: ClientKey; readonly max: number; spent: number }

/**
 * What the subscriptions of each client spend of the work that all wait for, between the begin of one commit and that
 * of the next, whatever sockets and subscriptions the client spreads it over.
 */
export class SharedWork {
  readonly #byClient = new Map<ClientKey, WorkAccount>()
  #rows = 0

  /** Another commit, of so many rows. */
  begin({ rows }: FeedCommit): void {
    this.#byClient.clear()
    this.#rows = rows.length
  }

  of(client: ClientKey): WorkAccount {
    const known = this.#byClient.get(client)
    if (known !== undefined) return known
    const { sharedFilterWorkMax, sharedFilterRowWorkMax } = SERVER_LIMITS
    const max = Math.max(sharedFilterWorkMax, sharedFilterRowWorkMax * this.#rows)
    const account = { client, max, spent: 0 }
    this.#byClient.set(client, account)
    return account
  }
}

/** So many commits at most are looked at by some subscriptions of a client while others have come further. */
const COMMITS_MAX = 1_000

/** What the subscriptions of one client spend on each commit, together and alone: each looks at it once. */
export class ClientWork {
  readonly #client: ClientKey
  readonly #byCommit = new Map<Timestamp, WorkAccount>()

  constructor(client: ClientKey) {
    this.#client = client
  }

  on({ commitTs, rows }: FeedCommit): WorkAccount {
    const known = this.#byCommit.get(commitTs)
    if (known !== undefined) return known
    const { clientFilterWorkMax, clientFilterRowWorkMax } = SERVER_LIMITS
    const max = Math.max(clientFilterWorkMax, clientFilterRowWorkMax * rows.length)
    const account = { client: this.#client, max, spent: 0 }
    this.#byCommit.set(commitTs, account)
    const [oldest] = this.#byCommit.keys()
    if (this.#byCommit.size > COMMITS_MAX && oldest !== undefined) this.#byCommit.delete(oldest)
    return account
  }
}

/**
 * Why a query has to end that has spent so much of an account that is overdrawn: undefined where that is no more than
 * each of the client's subscriptions may, so that those that take little stay.
 */
export function workRefusal(
  { max, spent: actual }: WorkAccount,
  spent: number,
  subscriptions: number,
): PlanError | undefined {
  if (spent <= max / subscriptions) return undefined
  const message = `The ${subscriptions} subscriptions of this client together take more than ${max} units of work for one commit, and this one more than its part of that.`
  return new PlanError('limit_exceeded', message, {
    hint: 'Subscribe to fewer rows, or with fewer conditions on shorter values.',
    fields: { limit: 'clientFilterWorkMax', limitValue: max, actual },
  })
}
