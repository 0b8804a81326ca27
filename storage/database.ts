// SPDX-License-Identifier: Apache-2.0

/** The only place where the parts of the storage layer are put together. */

import type { Timestamp } from './cells/cell.ts'
import type { CellStore } from './cells/cell-store.ts'
import { systemClock } from './clock.ts'
import type { StorageError } from './errors.ts'
import { findExpendable } from './expendable-rows.ts'
import { STORAGE_LIMITS } from './limits.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { UNMEASURED } from './measures.ts'
import type { Observers } from './observers/observers.ts'
import type { BackupManifest } from './operations/backup/manifest.ts'
import { type BackupOptions, writeBackup } from './operations/backup/write-backup.ts'
import {
  type ConsistencyCheckOptions,
  checkConsistency,
} from './operations/consistency/consistency-check.ts'
import type { ConsistencyReport } from './operations/consistency/consistency-report.ts'
import type { GarbageReport } from './operations/garbage-collection/garbage-collector.ts'
import type { Expendable } from './operations/garbage-collection/row-garbage.ts'
import { A_DAY, StoreRetention } from './operations/garbage-collection/store-retention.ts'
import { Departure } from './operations/move/departure.ts'
import type { MoveOptions, MoveReport } from './operations/move/move.ts'
import { type MovedTo, requireWhole } from './operations/move/move-rows.ts'
import type { Primary } from './operations/replication/primary.ts'
import type { Standby } from './operations/replication/standby.ts'
import {
  FollowedStamps,
  OwnStamps,
  type VisibleStamps,
} from './operations/replication/visible-stamps.ts'
import { clockStatusOf, type StorageStatus } from './operations/status/storage-status.ts'
import { StoreHealth } from './operations/status/store-health.ts'
import { OwnWork } from './own-work.ts'
import { openProtocol, type ProtocolDependencies, type StoreOwner } from './protocol-parts.ts'
import { systemRandomness } from './randomness.ts'
import { silentLog } from './storage-log.ts'
import type { BeginOptions, OpenOptions, OwnOptions } from './storage-options.ts'
import { readSecret } from './storage-secret.ts'
import { type Catalog, CatalogReader } from './tables/catalog/catalog.ts'
import { createdAt } from './tables/catalog/created-at.ts'
import { FencedCatalog, type KnownCatalog } from './tables/catalog/fenced-catalog.ts'
import { NewestCatalog } from './tables/catalog/newest-catalog.ts'
import { conflictOf } from './tables/rows/conflict.ts'
import type { TableDefinition } from './tables/table-definition.ts'
import { TransactionStarts } from './transaction-starts.ts'
import { BufferBudget } from './transactions/buffer/write-buffer.ts'
import type { ChangeFeed } from './transactions/feed/change-feed.ts'
import { addFeature } from './transactions/history/format-features.ts'
import type { StoreHistory } from './transactions/history/store-history.ts'
import { Inspection } from './transactions/inspection/inspection.ts'
import { COMMIT_TURN_ROWS } from './transactions/one-process/latch-in-turns.ts'
import { LatchTable } from './transactions/one-process/latches/latch-table.ts'
import { CommitPace } from './transactions/percolator/commit-pace.ts'
import type { Gateways } from './transactions/protocol/gateways.ts'
import type { TransactionEnd } from './transactions/protocol/transaction-protocol.ts'
import { startTsOfId } from './transactions/records/transaction-id.ts'
import { Transaction } from './transactions/transaction.ts'
import type { TransactionOptions } from './transactions/transaction-options.ts'
import { findOutcome, type TransactionOutcome } from './transactions/transaction-outcome.ts'
import { TransactionRegistry } from './transactions/transaction-registry.ts'
import type { TurnReads } from './turn-reads.ts'
import { unlessAborted } from './unless-aborted.ts'

export class Storage {
  /** Which timestamps are this store's own. */
  readonly history: StoreHistory
  /** What lies below the rows. */
  readonly inspection: Inspection
  /** Whether it can be used. */
  readonly health: StoreHealth
  /** The numbers of identity columns. */
  readonly identities: OwnWork['identities']
  readonly retention: StoreRetention
  /** Undefined where a read has to wait for a store. */
  readonly turnReads: TurnReads | undefined
  /** Up to where it can be read. */
  readonly visible: VisibleStamps
  readonly #deps: ProtocolDependencies
  readonly #owner: StoreOwner
  readonly #ownsCellStore: boolean
  readonly #transactionDeps: ConstructorParameters<typeof Transaction>[0]
  readonly #registry: TransactionRegistry
  readonly #budget = new BufferBudget(STORAGE_LIMITS.bufferedBytesMax)
  readonly #catalogs = new CatalogReader()
  readonly #newestCatalog: NewestCatalog
  /** There where others write to the store as well. */
  readonly #fencedCatalog: FencedCatalog | undefined
  readonly #work: OwnWork
  readonly #starts: TransactionStarts
  readonly #departure = new Departure()

  private constructor(deps: ProtocolDependencies, owner: StoreOwner, own: OwnOptions) {
    const { gate } = this.#departure
    const isOnlyOwner = owner === 'exclusive'
    this.retention = new StoreRetention({ ...deps.context, gate, isOnlyOwner }, own.retention)
    this.#registry = own.registry
    this.#ownsCellStore = own.ownsCellStore
    this.history = deps.history
    this.inspection = new Inspection(deps)
    this.#newestCatalog = new NewestCatalog(deps.context.oracle.lastSeen())
    this.#deps = deps
    this.turnReads = deps.turnReads?.(this.#newestCatalog)
    this.#owner = owner
    if (!isOnlyOwner) this.#fencedCatalog = new FencedCatalog(this.#catalogs)
    this.health = new StoreHealth(deps.context, { answers: own.answers, primary: deps.primary })
    this.#starts = new TransactionStarts(deps.context)
    const { context, protocol, standby, stampNow } = deps
    const followed = standby && new FollowedStamps(standby, context.oracle)
    this.visible = followed ?? new OwnStamps({ ...context, stampNow })
    this.#transactionDeps = {
      protocol: gate.guarding(protocol, context),
      ...{ budget: this.#budget, locksRows: owner === 'shared' },
      cellBytesMax: context.cellStore.limits.cellBytesMax,
      roomRefusal: () => gate.refusal ?? this.health.disk.refusal,
      ended: (ended, outcome) => {
        this.#registry.ended(ended, outcome)
        this.#endedOwn(ended, outcome)
      },
      refused: (reason, refused) => this.#refused(reason, refused),
      changedSchema: (changing, feature) => {
        this.#newestCatalog.isChangedBy(changing)
        return feature && addFeature(context.cellStore, feature)
      },
      notified: (rows, notifying, commitTs) =>
        this.#work.observers.committed(rows, notifying, commitTs),
    }
    this.#work = new OwnWork(deps, owner, {
      ...{ registry: own.registry, retention: this.retention, indexBatchRows: own.indexBatchRows },
      begin: () => this.#beginOwnWork(),
      catalog: async (transaction) => this.catalog(transaction),
      expendableAt: (safePoint) => this.#expendableAt(safePoint),
      refusal: () => gate.refusal,
    })
    this.identities = this.#work.identities
  }

  /** Puts the layer together over an open cell store; see `openStorage` and `openGateway`. */
  static async open(cellStore: CellStore, options: OpenOptions): Promise<Storage> {
    const { clock = systemClock, randomness = systemRandomness, log = silentLog, owner } = options
    const { latches = new LatchTable(options.rowCacheBytes), measures = UNMEASURED } = options
    const { commitTurnRows = COMMIT_TURN_ROWS, keepsLog = true, acceptClock, stepDelayMs } = options
    if (owner === 'shared') await requireWhole(cellStore)
    const registry = new TransactionRegistry()
    const deps = {
      ...{ cellStore, clock, randomness, log, measures, latches, commitTurnRows, keepsLog },
      acceptClock,
      pace: stepDelayMs === undefined ? undefined : new CommitPace(stepDelayMs, clock),
      oldestSnapshot: () => registry.oldestSnapshot(),
    }
    const { commit = 'auto', retention = A_DAY, collectionIntervalMs } = options
    const { indexBatchRows, ownsCellStore = owner !== 'shared' } = options
    const own = { registry, retention, indexBatchRows, ownsCellStore, answers: options.answers }
    const storage = new Storage(await openProtocol(deps, owner, commit), owner, own)
    await storage.health.start()
    storage.health.files.whenLost.then((lost) => storage.#departure.gate.close(lost))
    await storage.#departure.look(cellStore)
    if (options.notPrimary !== undefined) await storage.#departure.gate.close(options.notPrimary)
    await storage.retention.open()
    if (storage.#departure.gate.refusal === undefined) storage.#work.start(collectionIntervalMs)
    return storage
  }

  /**
   * Begins a transaction. Throws or rejects with StorageError `history_replaced`, `snapshot_too_old` or
   * `timestamp_in_future` when `asOf` is of another history, or lies outside what can be read, with CellStoreError, and
   * with the signal's reason.
   */
  begin(options: BeginOptions = {}): MaybePromise<Transaction> {
    const { asOf, history } = options
    if (asOf !== undefined) this.history.require(asOf, history)
    const known = this.#fencedCatalog?.known
    const snapshot = this.#snapshotOf(options)
    return snapshot instanceof Promise
      ? snapshot.then((taken) => this.#begun(taken, known))
      : this.#begun(snapshot, known)
  }

  /** Waits until every snapshot that begins afterwards is at least this new; see `VisibleStamps.reached`. */
  visibleAt(timestamp: Timestamp, signal: AbortSignal): MaybePromise<void> {
    return this.visible.reached(timestamp, signal)
  }

  /** The catalog at the transaction's own snapshot. */
  catalog(transaction: Transaction): MaybePromise<Catalog> {
    if (this.#fencedCatalog !== undefined) return this.#fencedCatalog.of(transaction)
    return this.#newestCatalog.at(transaction.startTs) ?? this.#readCatalog(transaction)
  }

  /** The newest catalog that is known without a look at the store. */
  get knownCatalog(): Catalog | undefined {
    return (this.#fencedCatalog ?? this.#newestCatalog).known?.catalog
  }

  /**
   * Waits until an index that CREATE INDEX began to build is no longer being built. Rejects with the
   * signal's reason, and with StorageError `closed`.
   */
  async indexBuilt(indexId: number, signal?: AbortSignal): Promise<'ready' | 'failed' | 'dropped'> {
    return await this.#work.indexBuilder.built(indexId, signal)
  }

  /** Who observes rows, and what they have still to see; see `Observers`. */
  get observers(): Observers {
    return this.#work.observers
  }

  /** Whether it changes by what other processes write. */
  get isShared(): boolean {
    return this.#owner !== 'exclusive'
  }

  /** As others follow it; undefined where they cannot. */
  get primary(): Primary | undefined {
    return this.#deps.primary
  }

  /** Why this store takes no writes, of one that follows another. */
  get notPrimary(): StorageError | undefined {
    return this.standby && this.#departure.gate.refusal
  }

  /** As it follows another; undefined where it does not. */
  get standby(): Standby | undefined {
    return this.#deps.standby
  }

  /** The processes that share the store; see `Gateways`. */
  get gateways(): Gateways {
    return this.#deps.gateways
  }

  /** Every commit that changed rows, in order; see `ChangeFeed`. */
  get feed(): ChangeFeed {
    return this.#deps.feed
  }

  /**
   * What became of the transaction with this id; see `BeginOptions.keepsOutcome`. Rejects with StorageError
   * `history_replaced` where it began in another history, and `not_primary` at a standby that does not know it as
   * committed.
   */
  async outcomeOf(id: string, openMsMax: number): Promise<TransactionOutcome> {
    const { context, settle } = this.#deps
    const startTs = startTsOfId(id)
    if (startTs !== undefined) this.history.require(startTs)
    const others = this.#owner === 'exclusive' ? {} : { openMsMax }
    const request = { id, ...others, refusal: this.notPrimary }
    return await findOutcome(context, settle, this.#registry, request)
  }

  /** The commit that created the table; undefined when that is older than what the store keeps. */
  async createdAt(table: TableDefinition): Promise<Timestamp | undefined> {
    return await createdAt(this.#deps.context.cellStore, table)
  }

  /** 32 random bytes that stay the same as long as the store exists. */
  async secret(name: string): Promise<Uint8Array> {
    return await readSecret(this.#deps.context, name)
  }

  /** Deletes the history that nobody may read any more. Joins a collection under way; rejects with CellStoreError. */
  async collectGarbage(): Promise<GarbageReport> {
    this.#requirePrimary()
    return await this.#work.garbage.collect()
  }

  /** Copies the store into a folder while it is used; resolves and rejects as `writeBackup`. */
  async backUp(options: BackupOptions): Promise<BackupManifest> {
    return await writeBackup(this.#deps.context.cellStore, options)
  }

  /** Where the store has gone; undefined while it is here, and takes writes. */
  get movedTo(): MovedTo | undefined {
    return this.#departure.movedTo
  }

  /** Moves everything into another store, and closes this one for writes for good; rejects as `Move` does. */
  async moveTo(target: CellStore, options: MoveOptions): Promise<MoveReport> {
    this.#requirePrimary()
    const { context, sweepLocks, feed } = this.#deps
    const settled = () => context.background.drain().then(() => sweepLocks(0))
    const holdCollections = () => this.#work.garbage.hold()
    const own = { feed, history: this.history, isOnlyOwner: this.#owner === 'exclusive' }
    const parts = { context, target, ...own, holdCollections, settled }
    return await this.#departure.move(parts, options)
  }

  /** Checks every cell against `DESIGN.md`. Rejects with the reason of the signal, or with CellStoreError. */
  async checkConsistency(options: ConsistencyCheckOptions = {}): Promise<ConsistencyReport> {
    const { cellStore, oracle } = this.#deps.context
    const takeTimestamp = async () => (await oracle.nextToRead()).timestamp
    return await checkConsistency(cellStore, options, takeTimestamp)
  }

  /** Never waits for the store. */
  status(): StorageStatus {
    const { context, stampNow } = this.#deps
    const { timestamp, safePoint } = stampNow() ?? context.oracle.known()
    const { memtables, requestsSent } = context.cellStore
    return {
      commit: this.#deps.commit,
      ...{ timestamp, safePoint, memtables, requestsSent },
      oldestSnapshot: this.#registry.oldestSnapshot() ?? timestamp,
      openTransactions: this.#registry.activeCount,
      ...{ bufferedBytes: this.#budget.bytes, indexBuilds: this.#work.indexBuilder.builds },
      lastCollection: this.#work.garbage.lastReport,
      clock: clockStatusOf(context.oracle),
      disk: this.health.disk.status,
      pageCheck: this.health.disk.pages.status,
      isDamaged: this.health.disk.pages.isDamaged,
      incarnation: context.liveness.incarnation,
      answeredMicros: this.health.answeredMicros,
      silentMs: this.health.silentMs,
    }
  }

  /**
   * Waits for the commits and other work under way (not for open transactions, which are dropped) and,
   * when it owns the store, closes that too. What waits for a latch ends: a read with CellStoreError
   * `closed`, a commit rolled back.
   */
  async close(): Promise<void> {
    const { context, stop } = this.#deps
    // Nobody is answered any more, and what ends here writes as well.
    await this.primary?.demand('none')
    await this.#work.stop()
    await stop()
    await this.#registry.commitsEnded()
    await context.background.drain()
    await context.liveness.stop()
    await context.oracle.close()
    await this.health.stop()
    if (this.#ownsCellStore) await context.cellStore.close()
  }

  #requirePrimary(): void {
    if (this.notPrimary !== undefined) throw this.notPrimary
  }

  async #expendableAt(safePoint: Timestamp): Promise<Expendable> {
    // The safe point is a time ago, and not always a timestamp of this history.
    const transaction = this.#begun(await this.#snapshotOf({ asOf: safePoint }))
    try {
      const catalog = await this.catalog(transaction)
      return await findExpendable(transaction, catalog, this.#deps.context.oracle)
    } finally {
      transaction.rollback()
    }
  }

  async #readCatalog(transaction: Transaction): Promise<Catalog> {
    const catalog = await this.#catalogs.read(transaction)
    this.#newestCatalog.wasRead(transaction.startTs, catalog)
    return catalog
  }

  #begun(snapshot: TransactionOptions, known?: KnownCatalog): Transaction {
    const transaction = new Transaction(this.#transactionDeps, snapshot)
    this.#fencedCatalog?.begun(transaction, known, snapshot.catalogFence)
    this.#registry.begun(transaction)
    return transaction
  }

  #snapshotOf(options: BeginOptions): MaybePromise<TransactionOptions> {
    const { context, stampNow } = this.#deps
    const stamp = stampNow()
    if (stamp !== undefined) return this.#starts.at(stamp, options)
    const coming = unlessAborted(options.signal, context.oracle.nextToRead())
    return coming.then((taken) => this.#starts.at(taken, options))
  }

  /** The store's own work is not counted among the open transactions, and holds back no collection. */
  async #beginOwnWork(): Promise<Transaction> {
    const parts = { ...this.#transactionDeps, ended: this.#endedOwn }
    const known = this.#fencedCatalog?.known
    const snapshot = await this.#snapshotOf({})
    const transaction = new Transaction(parts, snapshot)
    this.#fencedCatalog?.begun(transaction, known, snapshot.catalogFence)
    return transaction
  }

  #refused(reason: StorageError, refused: Transaction): void {
    const conflict = conflictOf(reason, refused, this.#catalogs.newest)
    if (conflict !== undefined) this.#deps.context.measures.conflicted(conflict)
  }

  readonly #endedOwn = (transaction: Transaction, end: TransactionEnd): void => {
    this.#newestCatalog.ended(transaction, end)
    if (end.kind === 'rolledBack') {
      if (end.reason === 'disk_full') this.health.disk.refusedWrite()
      return
    }
    if (!transaction.changesCatalog) return
    if (transaction.changesSchema) this.#work.indexBuilder.wake()
    this.#work.observers.catalogChanged()
  }
}
