// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
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
import { isCode, type JoinedTail, mayPass, TailFollowers } from './tail-followers.ts'

/**
 * The feed over a store that processes share. A timestamp is resolved when it was taken and every lock that was then on
 * a row of the log has been settled: a transaction that commits at or below it held all of its locks before (I2), its
 * log row's among them. So a snapshot of the log at that timestamp has them all.
 *
 * Whoever follows reads page by page from its position on, and then joins those who are told by one reader of the end
 * of the log (`log-tail.ts`). That looks at once for commits of this process. For those of others it looks when the
 * engine hears of them, or soon after it found some, and ever more seldom while it finds none.
 */
export class SharedFeed implements ChangeFeed, SharedCommitLog {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver
  /** Commits at or below it may stand in a log of another form (`feed-begins.ts`). */
  readonly #beginsAt: Timestamp
  readonly #tail: TailFollowers
  readonly #stopping = new AbortController()
  readonly #running = new Map<Follower, Promise<void>>()

  constructor(context: ProtocolContext, resolver: LockResolver, beginsAt: Timestamp) {
    this.#context = context
    this.#resolver = resolver
    this.#beginsAt = beginsAt
    this.#tail = new TailFollowers(context, resolver, (position) => this.#checkKept(position))
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

  committed(logRow: Uint8Array, commitTs: Timestamp): void {
    this.#tail.committed(logRow, commitTs)
  }

  async resolved(): Promise<Timestamp> {
    // On a full disk that is the last one that was taken, which is as good here.
    const { timestamp } = await this.#context.oracle.nextToRead()
    if (!(await this.#tail.toldUpTo(timestamp))) await this.#commitsBetween(timestamp, timestamp)
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
    const stopped = () => this.#tail.leave(follower)
    const follower: Follower = new Follower(position, listener, stopped, options)
    const running = this.#run(follower).finally(() => this.#running.delete(follower))
    this.#running.set(follower, running)
    return follower
  }

  /** Ends all following, without calling `failed`. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const follower of this.#running.keys()) follower.stop()
    await Promise.all(this.#running.values())
    await this.#tail.ended()
  }

  async #run(follower: Follower): Promise<void> {
    let isNear = false
    while (!follower.isStopped) {
      try {
        // The last page is read while the tail stands still, so that nothing comes in between.
        const joined: JoinedTail | undefined = isNear
          ? await this.#tail.join(follower, () => this.#catchUp(follower))
          : undefined
        await joined?.left
        isNear = joined === undefined && (await this.#catchUp(follower))
      } catch (error) {
        if (!mayPass(error)) follower.fail(error)
        else await this.#retryPause()
      }
    }
  }

  /** Ends early when the feed is stopped. */
  async #retryPause(): Promise<void> {
    const { signal } = this.#stopping
    await this.#context.clock.sleep(RETRY_MS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  /** Tells one more page; resolves to whether that was everything that was resolved. */
  async #catchUp(follower: Follower): Promise<boolean> {
    const page = await this.#read(follower.position, { rowsMax: PAGE_ROWS })
    for (const commit of page.commits) follower.tell(commit, commit.hinted)
    follower.passed(page.position)
    return page.isCaughtUp
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
    const filter: RowFilter = [
      { family: 'lock', timestamps: { until: until + 1 } },
      { family: 'write', timestamps: { from: after + 1, until: until + 1 } },
    ]
    const commits: LoggedCommit[] = []
    const add = async (images: readonly Row[]) => {
      const columns = new Set(images.flatMap(({ cells }) => cells.map((cell) => cell.qualifier)))
      const rows = await snapshot.fetch(await snapshot.settle(images, [...columns]))
      for (const row of rows) {
        const commit = row && commitOfSharedLogRow(row)
        if (commit !== null && commit.commitTs > after) commits.push(commit)
      }
    }
    const ranges = sharedLogRanges(after - NOTED_BEFORE_MAX, until)
    let images: Row[] = []
    for await (const row of this.#context.cellStore.scanRanges(ranges, filter)) {
      images.push(row)
      if (images.length < SNAPSHOT_ROWS) continue
      await add(images)
      images = []
    }
    await add(images)
    await snapshot.checkReadable()
    return commits.sort((a, b) => a.commitTs - b.commitTs)
  }
}

type LoggedPage = Omit<FeedPage, 'commits'> & { readonly commits: readonly LoggedCommit[] }

type PageRequest = {
  readonly position: Timestamp
  readonly rowsMax: number
  readonly signal: AbortSignal | undefined
}

/** Milliseconds before the next attempt of a follower whose store did not respond. */
const RETRY_MS = 500
/** Rows that a follower reads at once. */
const PAGE_ROWS = 1_000
const SNAPSHOT_ROWS = 256
/** The shortest time that is read at once, in microseconds. */
const SPAN_MIN = 1_000_000
