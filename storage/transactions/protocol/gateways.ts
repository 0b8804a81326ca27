// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { deletePlainRow } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import type { Clock } from '../../clock.ts'
import { incarnationPrefixOf } from '../records/transaction-id.ts'
import type { Liveness } from './liveness.ts'
import { TOKENS } from './tokens/token.ts'
import { TokenWatch, type WatchedToken } from './tokens/token-watch.ts'

/** A process that has the store open. */
export type Gateway = {
  readonly incarnation: string
  /** Where others reach it; empty while it has not said so. */
  readonly url: string
  /** Whether it is this process. */
  readonly isThis: boolean
  /** On the oracle's time, as that process knows it; one that is renewed lives on. */
  readonly expiresAt: Timestamp
  /** Of its transactions, as of the last time it renewed its token; undefined when none was open. */
  readonly oldestSnapshot: Timestamp | undefined
}

/** Where a transaction is open. */
export type TransactionPlace =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly url: string }
  /** Its process has ended, and took the buffered writes along. */
  | { readonly kind: 'nowhere' }

/** Nobody looks for the locks of a process any more that ended so long ago. */
const FORGOTTEN_AFTER_MS = 3600 * 1_000

/** The processes that share a store, by the tokens that they renew; of a store with a single owner, that one. */
export class Gateways {
  readonly #cellStore: CellStore
  readonly #tokens: TokenWatch
  readonly #liveness: Liveness

  constructor(deps: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly liveness: Liveness
  }) {
    this.#cellStore = deps.cellStore
    this.#liveness = deps.liveness
    this.#tokens = deps.liveness.tokens ?? new TokenWatch(deps, deps.liveness.incarnation)
  }

  /** Of this process. */
  get incarnation(): string {
    return this.#liveness.incarnation
  }

  /** Says where others reach this process. Rejects with CellStoreError. */
  async announce(url: string): Promise<void> {
    await this.#liveness.announce(url)
  }

  /**
   * Those that live as far as is known (L1), in the order of their names, at most `limit`. Rejects with CellStoreError.
   */
  async living(limit: number): Promise<Gateway[]> {
    return await this.#named('', limit)
  }

  /** The oldest that a living process reads at, as far as they have said so. Rejects with CellStoreError. */
  async oldestSnapshot(): Promise<Timestamp | undefined> {
    let oldest: Timestamp | undefined
    for await (const { oldestSnapshot } of this.#living('')) {
      if (oldestSnapshot === undefined) continue
      oldest = Math.min(oldest ?? oldestSnapshot, oldestSnapshot)
    }
    return oldest
  }

  /** Takes away the tokens of processes that have ended without doing so. Rejects with CellStoreError. */
  async forgetEnded(): Promise<void> {
    for await (const { row, value, hasEnded, unchangedMs } of this.#tokens.scan()) {
      if (!hasEnded || unchangedMs <= FORGOTTEN_AFTER_MS) continue
      // Only this one: its process may have been paused, and renew it now.
      await deletePlainRow(this.#cellStore, row, value)
    }
  }

  /** Where the transaction with this id is open, if it has not ended. Rejects with CellStoreError. */
  async placeOf(id: string): Promise<TransactionPlace> {
    const prefix = incarnationPrefixOf(id)
    if (this.#liveness.incarnation.startsWith(prefix)) return { kind: 'here' }
    const [found] = await this.#named(prefix, 1)
    return found === undefined ? { kind: 'nowhere' } : { kind: 'elsewhere', url: found.url }
  }

  async #named(prefix: string, limit: number): Promise<Gateway[]> {
    const found: Gateway[] = []
    for await (const token of this.#living(prefix)) {
      const { row, renewedAt, lifeMs, oldestSnapshot, url } = token
      const expiresAt = renewedAt + lifeMs * 1_000
      const incarnation = Buffer.from(row.subarray(systemRowKey(TOKENS).length)).toString('latin1')
      const isThis = incarnation === this.#liveness.incarnation
      found.push({ incarnation, url, isThis, expiresAt, oldestSnapshot })
      if (found.length === limit) break
    }
    return found
  }

  async *#living(prefix: string): AsyncGenerator<WatchedToken> {
    for await (const token of this.#tokens.scan(prefix)) if (!token.hasEnded) yield token
  }
}
