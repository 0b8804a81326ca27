// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { StorageError, type StorageErrorCode } from '../../errors.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { LockResolver } from '../percolator/lock-resolver.ts'
import { Snapshot } from '../percolator/snapshot.ts'
import type { LoggedRequest, LogRow, SharedCommitLog } from '../protocol/commit-log.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import {
  type ChangeFeed,
  type FeedFollower,
  type FeedListener,
  type FeedPage,
  type FeedReadOptions,
  type FollowOptions,
  positionInFuture,
  resumeTooOld,
} from './change-feed.ts'
import { Follower } from './follower.ts'
import { changedRowsOf, hintedRowsOf } from './log-entry.ts'
import {
  commitOfSharedLogRow,
  type LoggedCommit,
  NOTED_BEFORE_MAX,
  sharedLogRanges,
  sharedLogRow,
} from './shared-log-row.ts'

/**
 * The feed over a store that processes share. A timestamp is resolved when it was taken and every lock that was then on
 * a row of the log has been settled: a transaction that commits at or below it held all of its locks before (I2), its
 * log row's among them. So a snapshot of the log at that timestamp has them all.
 *
 * Followers look at once for commits of this process. For those of others they look again soon after they found some,
 * and ever more seldom, down to twice a second, while they find none.
 */
export class SharedFeed implements ChangeFeed, SharedCommitLog {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver
  /** Commits at or below it may stand in a log of another form (`feed-begins.ts`). */
  readonly #beginsAt: Timestamp
  readonly #following = new Map<Follower, Promise<void>>()
  /** Ends the pauses of live followers. */
  #wake = new AbortController()
  #told = Promise.withResolvers<void>()

  constructor(context: ProtocolContext, resolver: LockResolver, beginsAt: Timestamp) {
    this.#context = context
    this.#resolver = resolver
    this.#beginsAt = beginsAt
  }

  async rowFor({ startTs, rows, hints }: LoggedRequest): Promise<LogRow | undefined> {
    const named = [...changedRowsOf(rows), ...hintedRowsOf(hints)]
    if (named.length === 0) return undefined
    const { oracle } = this.#context
    // That of its beginning will do while the commit has most of its time left: it saves a call.
    const isYoung = oracle.approximateNow() - startTs < NOTED_BEFORE_MAX / 2
    const notedAt = isYoung ? startTs : (await oracle.next()).timestamp
    const row = sharedLogRow({ notedAt, startTs }, named)
    return { row, commitTsMax: notedAt + NOTED_BEFORE_MAX }
  }

  committed(): void {
    this.#wake.abort()
  }

  async resolved(): Promise<Timestamp> {
    // On a full disk that is the last one that was taken, which is as good here.
    const { timestamp } = await this.#context.oracle.nextToRead()
    await this.#commitsBetween(timestamp, timestamp)
    while (this.#isAnyLiveBefore(timestamp)) {
      this.#wake.abort()
      await this.#told.promise
    }
    return timestamp
  }

  lagMicros(): undefined {
    return undefined
  }

  async read(position: Timestamp, options: FeedReadOptions): Promise<FeedPage> {
    const page = await this.#read(position, options)
    const commits = page.commits.filter(({ rows }) => rows.length > 0)
    return { commits, position: page.position, isCaughtUp: page.isCaughtUp }
  }

  async #read(position: Timestamp, { rowsMax, signal }: FeedReadOptions): Promise<LoggedPage> {
    await nextTurn()
    const { timestamp: resolved } = await this.#context.oracle.nextToRead()
    if (position > resolved) throw positionInFuture(position, resolved)
    try {
      const page = await this.#pageUpTo(resolved, { position, rowsMax, signal })
      await this.#checkKept(position)
      return page
    } catch (error) {
      if (isCode(error, 'snapshot_too_old')) await this.#checkKept(position)
      throw error
    }
  }

  follow(position: Timestamp, listener: FeedListener, options?: FollowOptions): FeedFollower {
    const follower = new Follower(position, listener, () => this.#wake.abort(), options)
    const running = this.#run(follower).finally(() => this.#following.delete(follower))
    this.#following.set(follower, running)
    return follower
  }

  /** Ends all following, without calling `failed`. */
  async stop(): Promise<void> {
    for (const follower of this.#following.keys()) follower.stop()
    await Promise.all(this.#following.values())
  }

  async #run(follower: Follower): Promise<void> {
    let pollMs = POLL_MS_MIN
    while (!follower.isStopped) {
      const wake = this.#wake
      try {
        const page = await this.#read(follower.position, { rowsMax: PAGE_ROWS })
        for (const commit of page.commits) follower.tell(commit, commit.hinted)
        follower.passed(page.position)
        pollMs = page.commits.length > 0 ? POLL_MS_MIN : Math.min(2 * pollMs, POLL_MS_MAX)
        if (!page.isCaughtUp || follower.isStopped) continue
        if (follower.everyMs === undefined) follower.goLive()
      } catch (error) {
        if (mayPass(error)) follower.fallBehind()
        else follower.fail(error)
      }
      this.#hasTold()
      if (follower.everyMs === undefined) await this.#pause(wake, pollMs)
      else await this.#pauseWhole(follower, follower.everyMs)
    }
    this.#hasTold()
  }

  /** Until a commit of this process, or until one of another may have come. */
  async #pause(wake: AbortController, forMs: number): Promise<void> {
    const { signal } = wake
    await this.#context.clock.sleep(forMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (signal.aborted && this.#wake === wake) this.#wake = new AbortController()
  }

  /** Commits of this process do not end it. */
  async #pauseWhole(follower: Follower, forMs: number): Promise<void> {
    const { clock } = this.#context
    const untilMs = clock.monotonicMs() + forMs
    for (let leftMs = forMs; leftMs >= 1 && !follower.isStopped; ) {
      await this.#pause(this.#wake, leftMs)
      leftMs = untilMs - clock.monotonicMs()
    }
  }

  #hasTold(): void {
    this.#told.resolve()
    this.#told = Promise.withResolvers()
  }

  #isAnyLiveBefore(timestamp: Timestamp): boolean {
    for (const { isLive, position } of this.#following.keys()) {
      if (isLive && position < timestamp) return true
    }
    return false
  }

  /** As rule F2: of what lies below the safe point, some may have been missing from the log. */
  async #checkKept(position: Timestamp): Promise<void> {
    const safePoint = await this.#context.oracle.currentSafePoint()
    const oldest = Math.max(safePoint, this.#beginsAt)
    if (position < oldest) throw resumeTooOld(position, oldest)
  }

  /** Reads ever longer spans, so that neither a busy hour is read at once nor an idle day in small parts. */
  async #pageUpTo(
    resolved: Timestamp,
    { position, rowsMax, signal }: PageRequest,
  ): Promise<LoggedPage> {
    const commits: LoggedCommit[] = []
    let rows = 0
    let from = position
    for (let span = SPAN_MIN; from < resolved; span *= 2) {
      signal?.throwIfAborted()
      const to = Math.min(from + span, resolved)
      for (const commit of await this.#commitsBetween(from, to)) {
        commits.push(commit)
        rows += commit.rows.length + commit.hinted.length
        if (rows >= rowsMax) return { commits, position: commit.commitTs, isCaughtUp: false }
      }
      from = to
    }
    return { commits, position: resolved, isCaughtUp: true }
  }

  /** The commits in (after, until], ascending; `until` has been issued. Waits for those under way. */
  async #commitsBetween(after: Timestamp, until: Timestamp): Promise<LoggedCommit[]> {
    const snapshot = new Snapshot(this.#context, this.#resolver, until)
    const suspects = await this.#suspects(after, until)
    const commits: LoggedCommit[] = []
    for (let at = 0; at < suspects.keys.length; at += SNAPSHOT_ROWS) {
      const keys = suspects.keys.slice(at, at + SNAPSHOT_ROWS)
      for (const row of await snapshot.getRows(keys, suspects.columns)) {
        if (row === null) continue
        const commit = commitOfSharedLogRow(row)
        if (commit.commitTs > after) commits.push(commit)
      }
    }
    return commits.sort((a, b) => a.commitTs - b.commitTs)
  }

  /** Rows of the log that committed after the position or may still do so, and all columns of theirs. */
  async #suspects(after: Timestamp, until: Timestamp) {
    const filter: RowFilter = [
      { family: 'lock', timestamps: { until: until + 1 } },
      { family: 'write', timestamps: { from: after + 1, until: until + 1 } },
    ]
    const keys: Uint8Array[] = []
    const columns = new Set<string>()
    const ranges = sharedLogRanges(after - NOTED_BEFORE_MAX, until)
    for await (const row of this.#context.cellStore.scanRanges(ranges, filter)) {
      keys.push(row.key)
      for (const { qualifier } of row.cells) columns.add(qualifier)
    }
    return { keys, columns: [...columns] }
  }
}

type LoggedPage = Omit<FeedPage, 'commits'> & { readonly commits: readonly LoggedCommit[] }

type PageRequest = {
  readonly position: Timestamp
  readonly rowsMax: number
  readonly signal: AbortSignal | undefined
}

function isCode(error: unknown, code: StorageErrorCode): boolean {
  return error instanceof StorageError && error.code === code
}

/** Whether the next attempt may succeed: the store did not respond, or a lock's owner still lives. */
function mayPass(error: unknown): boolean {
  return error instanceof CellStoreError ? error.kind !== 'closed' : isCode(error, 'locked')
}

/** Milliseconds between two looks of a live follower for the commits of other processes. */
const POLL_MS_MIN = 50
const POLL_MS_MAX = 500
/** Rows that a follower reads at once. */
const PAGE_ROWS = 1_000
const SNAPSHOT_ROWS = 256
/** The shortest time that is read at once, in microseconds. */
const SPAN_MIN = 1_000_000
