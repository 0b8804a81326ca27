// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import type { StorageError } from './errors.ts'
import { OBSERVER_TIMES, StoreObservers } from './observers/store-observers.ts'
import { CollectionMark } from './operations/garbage-collection/collection-mark.ts'
import { GarbageCollection } from './operations/garbage-collection/garbage-collection.ts'
import {
  GarbageCollector,
  type SharedWork,
} from './operations/garbage-collection/garbage-collector.ts'
import type { Expendable } from './operations/garbage-collection/row-garbage.ts'
import { SharedRanges } from './operations/garbage-collection/shared-ranges.ts'
import type { StoreRetention } from './operations/garbage-collection/store-retention.ts'
import type { ProtocolDependencies, StoreOwner } from './protocol-parts.ts'
import type { Catalog } from './tables/catalog/catalog.ts'
import { IdentityBlocks } from './tables/identity/identity-blocks.ts'
import { IndexBuilder } from './tables/index-build/index-builder.ts'
import type { ProtocolContext } from './transactions/protocol/protocol-context.ts'
import type { Transaction } from './transactions/transaction.ts'
import type { TransactionRegistry } from './transactions/transaction-registry.ts'

/** How often a gateway looks for an index whose builder may have died. */
const INDEX_LOOK_MS = 10_000

type Own = {
  readonly registry: TransactionRegistry
  readonly retention: Pick<StoreRetention, 'read'>
  readonly indexBatchRows: number | undefined
  readonly begin: () => Promise<Transaction>
  readonly catalog: (transaction: Transaction) => Promise<Catalog>
  readonly expendableAt: (safePoint: Timestamp) => Promise<Expendable>
  /** Why nothing is written; undefined while it is. */
  readonly refusal: () => StorageError | undefined
}

function sharedWorkOf(context: ProtocolContext): SharedWork {
  const { incarnation } = context.liveness
  return {
    ranges: new SharedRanges({ ...context, incarnation }),
    mark: new CollectionMark(context),
  }
}

/** What the storage layer does by itself, beside what it is asked for. A standby does none of it. */
export class OwnWork {
  readonly garbage: GarbageCollection
  readonly indexBuilder: IndexBuilder
  readonly observers: StoreObservers
  readonly identities: IdentityBlocks

  constructor(deps: ProtocolDependencies, owner: StoreOwner, own: Own) {
    const { context, sweepLocks, requestLifeMs } = deps
    const { registry, retention, indexBatchRows, begin, catalog } = own
    const isExclusive = owner === 'exclusive'
    this.garbage = new GarbageCollection({
      context,
      gateways: deps.gateways,
      isShared: owner === 'shared',
      collector: new GarbageCollector(context, sweepLocks, requestLifeMs, {
        ...deps,
        ...(owner === 'shared' && { shared: sharedWorkOf(context) }),
      }),
      retention,
      oldestSnapshot: () => registry.oldestSnapshot(),
      expendableAt: own.expendableAt,
    })
    this.indexBuilder = new IndexBuilder({
      ...{ ...context, begin, catalog },
      ...(isExclusive ? {} : { lookMs: INDEX_LOOK_MS }),
      ...(indexBatchRows === undefined ? {} : { batchRowsMax: indexBatchRows }),
    })
    this.identities = new IdentityBlocks({ ...context, begin })
    this.observers = new StoreObservers({
      ...{ ...context, begin, catalog },
      storeNow: () => context.cellStore,
      settle: deps.settle,
      refusal: own.refusal,
      scanMs: OBSERVER_TIMES.scanMs[isExclusive ? 'exclusive' : 'shared'],
      ...(isExclusive ? {} : { others: deps, lookMs: OBSERVER_TIMES.lookMs }),
      ...(indexBatchRows === undefined ? {} : { backfillRowsMax: indexBatchRows }),
    })
  }

  start(collectionIntervalMs: number | undefined): void {
    if (collectionIntervalMs !== undefined) this.garbage.start(collectionIntervalMs)
    this.indexBuilder.start()
    this.observers.start()
  }

  async stop(): Promise<void> {
    this.identities.stop()
    await this.indexBuilder.stop()
    await this.observers.stop()
    await this.garbage.stop()
  }
}
