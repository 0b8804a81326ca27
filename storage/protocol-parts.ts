// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import { type CellStore, CellStoreError } from './cells/cell-store.ts'
import { type EmbeddedCellStore, isEmbedded } from './cells/embedded-cell-store.ts'
import { keyString } from './cells/row-key.ts'
import type { Clock } from './clock.ts'
import { StorageError } from './errors.ts'
import { invariant } from './invariant.ts'
import type { Measures } from './measures.ts'
import type { SweepLocks } from './operations/garbage-collection/garbage-collector.ts'
import { Primary } from './operations/replication/primary.ts'
import { Standby } from './operations/replication/standby.ts'
import type { Randomness } from './randomness.ts'
import type { StorageLog } from './storage-log.ts'
import { newestAccessChange } from './tables/access/access.ts'
import type { NewestCatalog } from './tables/catalog/newest-catalog.ts'
import type { ChangeFeed } from './transactions/feed/change-feed.ts'
import { EmbeddedFeed } from './transactions/feed/embedded-feed.ts'
import { openFeedBegins, readFeedBegins } from './transactions/feed/feed-begins.ts'
import { SharedFeed } from './transactions/feed/shared-feed.ts'
import { trimLog } from './transactions/feed/trim-log.ts'
import { addFeature } from './transactions/history/format-features.ts'
import {
  openHistory,
  openOwnHistory,
  readFollowedHistory,
} from './transactions/history/open-history.ts'
import { newestLogged } from './transactions/history/renew-history.ts'
import type { StoreHistory } from './transactions/history/store-history.ts'
import type { EmbeddedContext } from './transactions/one-process/embedded-context.ts'
import { embeddedProtocol } from './transactions/one-process/embedded-protocol.ts'
import type { LatchTable } from './transactions/one-process/latches/latch-table.ts'
import { askedAgain, NEVER_ABORTED } from './transactions/oracle/asked-again.ts'
import { EmbeddedOracle } from './transactions/oracle/embedded-oracle.ts'
import { readOracleState } from './transactions/oracle/oracle-row.ts'
import { SharedOracle } from './transactions/oracle/shared-oracle.ts'
import { StandbyOracle } from './transactions/oracle/standby-oracle.ts'
import type { ReadStamp, SynchronousOracle } from './transactions/oracle/timestamp-oracle.ts'
import type { CommitPace } from './transactions/percolator/commit-pace.ts'
import { generalProtocol } from './transactions/percolator/general-protocol.ts'
import { LockResolver, type Settle } from './transactions/percolator/lock-resolver.ts'
import { LockSweeper } from './transactions/percolator/lock-sweeper.ts'
import { BackgroundWork } from './transactions/protocol/background-work.ts'
import { NO_COMMIT_LOG } from './transactions/protocol/commit-log.ts'
import { Gateways } from './transactions/protocol/gateways.ts'
import { ExclusiveLiveness, SharedLiveness } from './transactions/protocol/liveness.ts'
import type { ProtocolContext } from './transactions/protocol/protocol-context.ts'
import { hasTokens, StoreTime } from './transactions/protocol/store-time.ts'
import type { TransactionProtocol } from './transactions/protocol/transaction-protocol.ts'
import { TurnReads } from './turn-reads.ts'

/** The parts of a storage layer that depend on who owns the cell store and how commits are made. */
export type ProtocolDependencies = {
  readonly history: StoreHistory
  readonly context: ProtocolContext
  /** The processes that share the store. */
  readonly gateways: Gateways
  readonly commit: Exclude<CommitMode, 'auto'>
  readonly protocol: TransactionProtocol
  readonly feed: ChangeFeed
  /** Where others can follow the store. */
  readonly primary?: Primary | undefined
  /** Where it follows another. */
  readonly standby?: Standby
  /** Deletes the feed's records of commits below the safe point, unless they are ordinary rows. */
  readonly trimLog: (safePoint: Timestamp, signal?: AbortSignal) => Promise<void>
  /** The next stamp, in this turn; undefined when it must be waited for. */
  readonly stampNow: () => ReadStamp | undefined
  /** Absent where a read may have to wait for the store. */
  readonly turnReads?: (catalog: NewestCatalog) => TurnReads
  /** The outcome of the transaction that a lock belongs to. */
  readonly settle: Settle
  /** Settles the locks that were left behind, and all of transactions that began before the safe point. */
  readonly sweepLocks: SweepLocks
  /** How long after it was sent a request to the store may still take effect (A3). */
  readonly requestLifeMs: number
  /** Called for each row from which a collection has deleted cells, perhaps all. */
  readonly collected: (row: Uint8Array) => void
  /** Where commits are slowed down for people who watch. */
  readonly pace?: CommitPace | undefined
  /** Ends the background work. */
  readonly stop: () => Promise<void>
}

export type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: StorageLog
  readonly measures: Measures
  /** Empty; used only where this process owns the store alone. */
  readonly latches: LatchTable
  /** How many rows of a large commit are checked in one turn, where this process owns the store alone. */
  readonly commitTurnRows: number
  /** Whether commits are recorded for the feed; without the records it is empty. */
  readonly keepsLog: boolean
  readonly acceptClock?: boolean | undefined
  /** Slows down two-phase commits. */
  readonly pace?: CommitPace | undefined
  /** Of the transactions of this process; undefined when none is open. */
  readonly oldestSnapshot: () => Timestamp | undefined
}

/** `auto` is one-phase where the engine has atomic batches and this process is its only owner. */
export type CommitMode = 'auto' | 'one-phase' | 'two-phase'

/** Who else writes to a store: nobody, processes as this one, or its primary alone. */
export type StoreOwner = 'exclusive' | 'shared' | 'standby'

/** How long after it was sent a request to a store on other machines may still take effect (A3). */
const REQUEST_LIFE_MS = 120_000

/** Puts the protocol together over an open cell store. */
export async function openProtocol(
  deps: Dependencies,
  owner: StoreOwner,
  commit: CommitMode,
): Promise<ProtocolDependencies> {
  // Before the oracle, which gives nothing out at or below the beginning of the history.
  const history = await openHistoryAs(owner, deps)
  const parts = await openParts(deps, owner, commit, history)
  const lastSeen = parts.context.oracle.lastSeen()
  invariant(lastSeen >= history.from, 'H2', { lastSeen, from: history.from })
  return { ...parts, history, gateways: new Gateways(parts.context) }
}

async function openHistoryAs(owner: StoreOwner, deps: Dependencies): Promise<StoreHistory> {
  if (owner === 'standby') return await readFollowedHistory(deps.cellStore)
  return await (owner === 'exclusive' ? openOwnHistory : openHistory)(deps)
}

type PartsOfOwner = Omit<ProtocolDependencies, 'history' | 'gateways'>

/** Two-phase commit is the protocol of processes that share a store; a single owner may use it too. */
async function openParts(
  deps: Dependencies,
  owner: StoreOwner,
  commit: CommitMode,
  history: StoreHistory,
): Promise<PartsOfOwner> {
  const { cellStore } = deps
  if (owner === 'standby') return await openFollowing(deps, history)
  if (owner === 'shared' || !isEmbedded(cellStore) || commit === 'two-phase') {
    return await openGeneral(deps, owner)
  }
  return await openEmbedded({ ...deps, cellStore })
}

/** The parts of a process that owns its store alone and commits in one phase. */
async function openEmbedded(
  deps: Dependencies & { readonly cellStore: EmbeddedCellStore },
): Promise<PartsOfOwner> {
  const { cellStore, latches } = deps
  const { replication } = cellStore
  const oracle = await EmbeddedOracle.open({ ...deps, secondCopy: replication?.secondCopy })
  const beginsAt = await openFeedBegins(deps, 'embedded', oracle.lastSeen())
  const { context, feed, own } = embeddedServices({ ...deps, oracle, beginsAt })
  const resolver = new LockResolver(context)
  // Its reads look at latches and at no locks, so none may be left when the store can be used (J1).
  await new LockSweeper(context, resolver).sweep()
  const { protocol } = own
  return {
    ...own,
    feed,
    primary:
      replication &&
      new Primary({
        cellStore,
        replication,
        clock: deps.clock,
        stamp: () => stampOfFrame(oracle),
        resolved: () => latches.resolvedTimestamp(oracle.lastSeen()),
        newestCommit: () => feed.newestCommit,
      }),
    stampNow: () => oracle.takeToRead(),
    turnReads: (catalog) =>
      new TurnReads(oracle, latches, { catalog, snapshotAt: protocol.snapshotAt }),
    settle: (lock) => resolver.settle(lock),
  }
}

/**
 * What a frame is stamped with, without waiting: a mark that is raised may wait for a second copy (S4), and so for the
 * frame itself. The last timestamp that was given out serves as well, and the next frame has a newer one.
 */
function stampOfFrame(oracle: EmbeddedOracle): Pick<ReadStamp, 'timestamp' | 'safePoint'> {
  const taken = oracle.takeToRead()
  if (taken !== undefined) return taken
  void oracle.markRaised().catch(() => undefined)
  return oracle.known()
}

/** The parts of a process that follows a primary: as of its only owner, but that nothing is written (J1, J5). */
async function openFollowing(deps: Dependencies, history: StoreHistory): Promise<PartsOfOwner> {
  const { cellStore, latches } = deps
  const replication = isEmbedded(cellStore) ? cellStore.replication : undefined
  if (!isEmbedded(cellStore) || replication === undefined) {
    throw new StorageError(
      'data_directory_unusable',
      'Only a store in a folder can follow another.',
    )
  }
  const { timestamp, safePoint } = await readOracleState(cellStore)
  // Commits of one owner are durable in the order of their timestamps (J4), so all up to the newest one is here. Access
  // control is not in the log, and a token that was dropped last must not open this store.
  const newest = await Promise.all([
    newestLogged(cellStore, timestamp),
    newestAccessChange(cellStore),
  ])
  const visible = Math.max(history.from, ...newest)
  const oracle = new StandbyOracle(deps, { visible, safePoint })
  const beginsAt = (await readFeedBegins(cellStore))?.at ?? 0
  const { context, feed, own } = embeddedServices({ ...deps, cellStore, oracle, beginsAt })
  const standby = new Standby({ replication, oracle, latches, feed })
  const resolver = new LockResolver(context)
  return {
    ...own,
    feed,
    standby,
    stampNow: () => oracle.takeToRead(),
    settle: (lock) => resolver.settle(lock),
  }
}

function embeddedServices(
  deps: Dependencies & {
    readonly cellStore: EmbeddedCellStore
    readonly oracle: SynchronousOracle
    readonly beginsAt: Timestamp
  },
) {
  const { cellStore, latches, keepsLog } = deps
  const feed = new EmbeddedFeed(deps)
  const context: EmbeddedContext = {
    ...deps,
    commitLog: keepsLog ? feed : NO_COMMIT_LOG,
    liveness: new ExclusiveLiveness(deps),
    background: new BackgroundWork(deps.log),
  }
  const own = {
    context,
    commit: 'one-phase',
    protocol: embeddedProtocol(context),
    trimLog: (safePoint: Timestamp, signal?: AbortSignal) => trimLog(cellStore, safePoint, signal),
    sweepLocks: async () => 0,
    requestLifeMs: 0,
    collected: (row: Uint8Array) => latches.newest.forget(keyString(row)),
    stop: async () => {
      latches.endWaiting(new CellStoreError('closed', 'The store is being closed.'))
    },
  } as const
  return { context, feed, own }
}

/** The parts of one of several processes over a store, or of one that commits in two phases. */
async function openGeneral(
  deps: Dependencies,
  owner: Exclude<StoreOwner, 'standby'>,
): Promise<PartsOfOwner> {
  const { log, keepsLog, pace, acceptClock } = deps
  const isShared = owner === 'shared'
  const hasOthers = isShared && acceptClock !== true && (await hasTokens(deps.cellStore))
  const oracle = await SharedOracle.open({ ...deps, isOnlyOwner: !isShared, hasOthers })
  const beginsAt = await openFeedBegins(deps, 'shared', oracle.lastSeen())
  // Before the token: an earlier version would take its life for a time, and compare that with its own.
  if (isShared) {
    await askedAgain(deps.clock, NEVER_ABORTED, () => addFeature(deps.cellStore, 'token-life'))
  }
  const liveness = isShared
    ? await SharedLiveness.start({ ...deps, oracle })
    : new ExclusiveLiveness(deps)
  const { wallClock } = oracle
  const time = new StoreTime({ ...deps, wallClock, incarnation: liveness.incarnation })
  time.start()
  const background = new BackgroundWork(log)
  const context: ProtocolContext = { ...deps, oracle, liveness, background }
  const resolver = new LockResolver(context)
  const feed = new SharedFeed(context, resolver, beginsAt)
  const sweeper = new LockSweeper(context, resolver)
  // The only owner knows its own locks, and it has none yet.
  if (!isShared) await sweeper.sweep()
  return {
    context,
    commit: 'two-phase',
    protocol: generalProtocol(context, resolver, keepsLog ? feed : NO_COMMIT_LOG, pace),
    feed,
    trimLog: async () => {},
    stampNow: () => undefined,
    settle: (lock) => resolver.settle(lock),
    sweepLocks: async (safePoint, signal, within) =>
      (await sweeper.sweep(safePoint, signal, within)).resolved,
    requestLifeMs: isShared ? REQUEST_LIFE_MS : 0,
    collected: () => {},
    pace,
    stop: async () => {
      pace?.stop()
      await time.stop()
      await feed.stop()
    },
  }
}
