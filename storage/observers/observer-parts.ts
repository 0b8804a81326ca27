// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../cells/cell-store.ts'
import type { Clock } from '../clock.ts'
import type { StorageError } from '../errors.ts'
import type { Randomness } from '../randomness.ts'
import type { StorageLog } from '../storage-log.ts'
import type { Catalog } from '../tables/catalog/catalog.ts'
import type { ChangeFeed } from '../transactions/feed/change-feed.ts'
import type { TimestampOracle } from '../transactions/oracle/timestamp-oracle.ts'
import type { BeginOwn } from '../transactions/own-transactions.ts'
import type { Settle } from '../transactions/percolator/lock-resolver.ts'
import type { Gateways } from '../transactions/protocol/gateways.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What the observers use of the layers below them. */
export type ObserverDependencies = {
  readonly cellStore: CellStore
  /** The same for mutations, which somebody may watch. */
  readonly storeNow: () => CellStore
  readonly oracle: TimestampOracle
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: StorageLog
  /** The outcome of the transaction of a lock in an observed row. */
  readonly settle: Settle
  /** Why nothing is written; undefined while it is. */
  readonly refusal: () => StorageError | undefined
  readonly begin: BeginOwn
  /** The catalog at the transaction's snapshot. */
  readonly catalog: (transaction: Transaction) => Promise<Catalog>
  /** What other processes notify, and which of them live; absent where there are none. */
  readonly others?: { readonly feed: ChangeFeed; readonly gateways: Pick<Gateways, 'living'> }
  /** Milliseconds between two looks into the store for notifications that this process does not know. */
  readonly scanMs: number
  /** How often the catalog is looked at for changes of other processes; never when absent. */
  readonly lookMs?: number
  /** How many rows one transaction notifies at most of those that were there before their observer. */
  readonly backfillRowsMax?: number
}
