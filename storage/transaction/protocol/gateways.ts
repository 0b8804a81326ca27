// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import type { CellStore } from '../../cell-store/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../cell-store/row-key.ts'
import type { TimestampOracle } from '../../oracle/timestamp-oracle.ts'
import { incarnationPrefixOf } from '../records/transaction-id.ts'
import type { Liveness } from './liveness.ts'
import { decodeToken, TOKENS } from './token.ts'

/** A process that has the store open. */
export type Gateway = {
  readonly incarnation: string
  /** Where others reach it; empty while it has not said so. */
  readonly url: string
  /** On the oracle's time; one that is renewed lives on. */
  readonly expiresAt: Timestamp
}

/** Where a transaction is open. */
export type TransactionPlace =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly url: string }
  /** Its process has ended, and took the buffered writes along. */
  | { readonly kind: 'nowhere' }

/** The processes that share a store, by the tokens that they renew; of a store with a single owner, that one. */
export class Gateways {
  readonly #cellStore: CellStore
  readonly #oracle: TimestampOracle
  readonly #liveness: Liveness

  constructor(outside: {
    readonly cellStore: CellStore
    readonly oracle: TimestampOracle
    readonly liveness: Liveness
  }) {
    this.#cellStore = outside.cellStore
    this.#oracle = outside.oracle
    this.#liveness = outside.liveness
  }

  /** Says where others reach this process. Rejects with CellStoreError. */
  async announce(url: string): Promise<void> {
    await this.#liveness.announce(url)
  }

  /** Those whose tokens have not expired, in the order of their names. Rejects with CellStoreError. */
  async living(): Promise<Gateway[]> {
    return await this.#named('')
  }

  /** Where the transaction with this id is open, if it has not ended. Rejects with CellStoreError. */
  async placeOf(id: string): Promise<TransactionPlace> {
    const prefix = incarnationPrefixOf(id)
    if (this.#liveness.incarnation.startsWith(prefix)) return { kind: 'here' }
    const [found] = await this.#named(prefix)
    return found === undefined ? { kind: 'nowhere' } : { kind: 'elsewhere', url: found.url }
  }

  async #named(prefix: string): Promise<Gateway[]> {
    const start = systemRowKey(`${TOKENS}${prefix}`)
    const end = endOfPrefix(start) as Uint8Array
    const { timestamp: now } = await this.#oracle.nextToRead()
    const filter = [{ family: 'data', newest: 1 }] as const
    const found: Gateway[] = []
    for await (const { key, cells } of this.#cellStore.scanRows({ start, end, filter })) {
      const { expiresAt, url } = decodeToken((cells[0] as { value: Uint8Array }).value)
      const incarnation = Buffer.from(key.subarray(systemRowKey(TOKENS).length)).toString('latin1')
      if (expiresAt >= now) found.push({ incarnation, url, expiresAt })
    }
    return found
  }
}
