// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import { type CellStore, CellStoreError } from './cells/cell-store.ts'
import { type EmbeddedCellStore, isEmbedded } from './cells/embedded-cell-store.ts'
import { keyString } from './cells/row-key.ts'
import type { Clock } from './clock.ts'
import { invariant } from './invariant.ts'
import type { Measures } from './measures.ts'
import type { SweepLocks } from './operations/garbage-collection/garbage-collector.ts'
import type { Randomness } from './randomness.ts'
import type { StorageLog } from './storage-log.ts'
import type { NewestCatalog } from './tables/catalog/newest-catalog.ts'
import type { ChangeFeed } from './transactions/feed/change-feed.ts'
import { EmbeddedFeed } from './transactions/feed/embedded-feed.ts'
import { openFeedBegins } from './transactions/feed/feed-begins.ts'
import { SharedFeed } from './transactions/feed/shared-feed.ts'
import { trimLog } from './transactions/feed/trim-log.ts'
import { openHistory, openOwnHistory } from './transactions/history/open-history.ts'
import type { StoreHistory } from './transactions/history/store-history.ts'
import type { EmbeddedContext } from './transactions/one-process/embedded-context.ts'
import { embeddedProtocol } from './transactions/one-process/embedded-protocol.ts'
import type { LatchTable } from './transactions/one-process/latches/latch-table.ts'
import { EmbeddedOracle } from './transactions/oracle/embedded-oracle.ts'
import { SharedOracle } from './transactions/oracle/shared-oracle.ts'
import type { ReadStamp } from './transactions/oracle/timestamp-oracle.ts'
import type { CommitPace } from './transactions/percolator/commit-pace.ts'
import { generalProtocol } from './transactions/percolator/general-protocol.ts'
import { LockResolver, type Settle } from './transactions/percolator/lock-resolver.ts'
import { LockSweeper } from './transactions/percolator/lock-sweeper.ts'
import { BackgroundWork } from './transactions/protocol/background-work.ts'
import { NO_COMMIT_LOG } from './transactions/protocol/commit-log.ts'
import { Gateways } from './transactions/protocol/gateways.ts'
import { ExclusiveLiveness, SharedLiveness } from './transactions/protocol/liveness.ts'
import type { ProtocolContext } from './transactions/protocol/protocol-context.ts'
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

/** How long after it was sent a request to a store on other machines may still take effect (A3). */
const REQUEST_LIFE_MS = 120_000

/** Puts the protocol together over an open cell store. */
export async function openProtocol(
  deps: Dependencies,
  owner: 'exclusive' | 'shared',
  commit: CommitMode,
): Promise<ProtocolDependencies> {
  // Before the oracle, which gives nothing out at or below the beginning of the history.
  const history = await (owner === 'exclusive' ? openOwnHistory : openHistory)(deps)
  const parts = await openParts(deps, owner, commit)
  const lastSeen = parts.context.oracle.lastSeen()
  invariant(lastSeen >= history.from, 'H2', { lastSeen, from: history.from })
  return { ...parts, history, gateways: new Gateways(parts.context) }
}

type PartsOfOwner = Omit<ProtocolDependencies, 'history' | 'gateways'>

/** Two-phase commit is the protocol of processes that share a store; a single owner may use it too. */
async function openParts(
  deps: Dependencies,
  owner: 'exclusive' | 'shared',
  commit: CommitMode,
): Promise<PartsOfOwner> {
  const { cellStore } = deps
  if (owner === 'shared' || !isEmbedded(cellStore) || commit === 'two-phase') {
    return await openGeneral(deps, owner)
  }
  return await openEmbedded({ ...deps, cellStore })
}

/** The parts of a process that owns its store alone and commits in one phase. */
async function openEmbedded(
  deps: Dependencies & { readonly cellStore: EmbeddedCellStore },
): Promise<PartsOfOwner> {
  const oracle = await EmbeddedOracle.open(deps)
  const { cellStore, latches, keepsLog } = deps
  const beginsAt = await openFeedBegins(deps, 'embedded', oracle.lastSeen())
  const feed = new EmbeddedFeed({ ...deps, oracle, beginsAt })
  const context: EmbeddedContext = {
    ...deps,
    oracle,
    commitLog: keepsLog ? feed : NO_COMMIT_LOG,
    liveness: new ExclusiveLiveness(deps),
    background: new BackgroundWork(deps.log),
  }
  const resolver = new LockResolver(context)
  // Its reads look at latches and at no locks, so none may be left when the store can be used (J1).
  await new LockSweeper(context, resolver).sweep()
  const protocol = embeddedProtocol(context)
  return {
    context,
    commit: 'one-phase',
    protocol,
    feed,
    trimLog: (safePoint, signal) => trimLog(cellStore, safePoint, signal),
    stampNow: () => oracle.takeToRead(),
    turnReads: (catalog) =>
      new TurnReads(oracle, latches, { catalog, snapshotAt: protocol.snapshotAt }),
    settle: (lock) => resolver.settle(lock),
    sweepLocks: async () => 0,
    requestLifeMs: 0,
    collected: (row) => latches.newest.forget(keyString(row)),
    stop: async () => {
      latches.endWaiting(new CellStoreError('closed', 'The store is being closed.'))
    },
  }
}

/** The parts of one of several processes over a store, or of one that commits in two phases. */
async function openGeneral(
  deps: Dependencies,
  owner: 'exclusive' | 'shared',
): Promise<PartsOfOwner> {
  const { log, keepsLog, pace } = deps
  const isShared = owner === 'shared'
  const oracle = await SharedOracle.open({ ...deps, isOnlyOwner: !isShared })
  const beginsAt = await openFeedBegins(deps, 'shared', oracle.lastSeen())
  const liveness = isShared
    ? await SharedLiveness.start({ ...deps, oracle })
    : new ExclusiveLiveness(deps)
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
    sweepLocks: async (safePoint, signal) => (await sweeper.sweep(safePoint, signal)).resolved,
    requestLifeMs: isShared ? REQUEST_LIFE_MS : 0,
    collected: () => {},
    pace,
    stop: async () => {
      pace?.stop()
      await feed.stop()
    },
  }
}
