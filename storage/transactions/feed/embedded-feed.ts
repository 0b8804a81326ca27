// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { EmbeddedCellStore } from '../../cells/embedded-cell-store.ts'
import { noteRowKey } from '../../cells/note.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { invariant } from '../../invariant.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import type { LatchTable } from '../one-process/latches/latch-table.ts'
import type { SynchronousOracle } from '../oracle/timestamp-oracle.ts'
import { type CommitLog, type CommitNote, NOTHING_NOTED } from '../protocol/commit-log.ts'
import {
  type ChangeFeed,
  type FeedCommit,
  type FeedFollower,
  type FeedListener,
  type FeedPage,
  type FeedReadOptions,
  positionInFuture,
  resumeTooOld,
} from './change-feed.ts'
import { Follower } from './follower.ts'
import { changedRowsOf } from './log-entry.ts'
import { commitsOfLogRow, logNote } from './log-row.ts'

type Dependencies = {
  readonly cellStore: EmbeddedCellStore
  readonly oracle: SynchronousOracle
  readonly latches: LatchTable
  /** Commits at or below it may stand in a log of another form (`feed-begins.ts`). */
  readonly beginsAt: Timestamp
}

/**
 * The feed of a process that owns its store exclusively. What is resolved is known without looking for locks:
 * everything below the smallest pending commitTs (J3, J4).
 *
 *     C3 C5   commitTs is taken; the entry travels in the batch that decides the transaction
 *     C7      settled: commitTs is pending no more
 *     C8      live followers receive what is resolved now, ascending
 *
 * Group commit and two-phase commits may settle in another order than that of their timestamps. That
 * nothing is reported above the resolved timestamp puts them right, and nothing else has to.
 */
export class EmbeddedFeed implements ChangeFeed, CommitLog {
  readonly #deps: Dependencies
  /** Commits that are not delivered yet, by commitTs, ascending because they are entered as it is taken. */
  readonly #untold: UntoldCommit[] = []
  readonly #live = new Set<Follower>()
  #newestTs: Timestamp = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** The timestamp of the newest transaction that was to be committed; 0 where there was none. */
  get newestCommit(): Timestamp {
    return this.#newestTs
  }

  noteOf(commitTs: Timestamp, rows: readonly BufferedRow[]): CommitNote {
    invariant(commitTs > this.#newestTs, 'J9', { commitTs, newest: this.#newestTs })
    this.#newestTs = commitTs
    const noted = logNote(commitTs, rows)
    if (noted !== NOTHING_NOTED) this.#untold.push({ commitTs, rows })
    return noted
  }

  settled(commitTs: Timestamp, outcome: 'committed' | 'rolledBack'): void {
    if (outcome === 'rolledBack') this.#forget(commitTs)
    this.#advance()
  }

  async resolved(): Promise<Timestamp> {
    await this.#deps.oracle.nextToRead()
    this.#advance()
    return this.#resolvedNow()
  }

  lagMicros(): number {
    const { oracle } = this.#deps
    const newest = oracle.lastSeen()
    const resolved = this.#resolvedNow()
    return resolved < newest ? Math.max(newest, oracle.wallClock.micros()) - resolved : 0
  }

  async read(position: Timestamp, { rowsMax, signal }: FeedReadOptions): Promise<FeedPage> {
    await nextTurn()
    signal?.throwIfAborted()
    return this.#page(position, rowsMax)
  }

  follow(position: Timestamp, listener: FeedListener): FeedFollower {
    const follower = new Follower(position, listener, () => this.#live.delete(follower))
    void this.#catchUp(follower)
    return follower
  }

  /** The log has commits that were made elsewhere: those who follow read them there. */
  storeGrew(): void {
    for (const follower of [...this.#live]) {
      follower.fallBehind()
      this.#live.delete(follower)
      void this.#catchUp(follower)
    }
  }

  /** Between two pages other work gets a turn; the last page and going live are one turn. */
  async #catchUp(follower: Follower): Promise<void> {
    try {
      for (;;) {
        await nextTurn()
        if (follower.isStopped) return
        this.#advance()
        const { commits, position, isCaughtUp } = this.#page(follower.position, PAGE_ROWS)
        for (const commit of commits) follower.tell(commit)
        if (follower.isStopped) return
        follower.passed(position)
        if (!isCaughtUp) continue
        follower.goLive()
        this.#live.add(follower)
        return
      }
    } catch (error) {
      follower.fail(error)
    }
  }

  /** In one turn: what is read lies between the fence and what is resolved, and both are as of now. */
  #page(position: Timestamp, rowsMax: number): FeedPage {
    const { cellStore, oracle, beginsAt } = this.#deps
    const oldest = Math.max(oracle.safePoint, beginsAt)
    if (position < oldest) throw resumeTooOld(position, oldest)
    if (position > oracle.lastSeen()) throw positionInFuture(position, oracle.lastSeen())
    const end = Math.max(position, this.#resolvedNow())
    // The commit at `end` may share a row with later ones, and one after `position` with earlier ones.
    const chunk = cellStore.view.readChunk({
      start: noteRowKey(position + 1),
      end: noteRowKey(oracle.lastSeen() + 1),
      filter: LOG_FILTER,
      rowsMax: Math.max(1, Math.min(rowsMax, CHUNK_ROWS_MAX)),
      bytesMax: CHUNK_BYTES_MAX,
    })
    const commits: FeedCommit[] = []
    let rows = 0
    for (const commit of chunk.rows.values().flatMap(commitsOfLogRow)) {
      if (commit.commitTs <= position) continue
      if (commit.commitTs > end) return { commits, position: end, isCaughtUp: true }
      if (rows >= rowsMax && commits.length > 0) return pageOf(commits, position)
      commits.push(commit)
      rows += commit.rows.length
    }
    if (chunk.rest !== undefined) return pageOf(commits, position)
    return { commits, position: end, isCaughtUp: true }
  }

  /** Delivers everything that is resolved to the live followers. */
  #advance(): void {
    const resolved = this.#resolvedNow()
    let first = this.#untold[0]
    while (first !== undefined && first.commitTs <= resolved) {
      this.#untold.shift()
      if (this.#live.size > 0) this.#tell(first)
      first = this.#untold[0]
    }
    for (const follower of this.#live) follower.passed(resolved)
  }

  /** Of a commit that was rolled back, if it is there. */
  #forget(commitTs: Timestamp): void {
    const at = this.#untold.findIndex((untold) => untold.commitTs === commitTs)
    if (at >= 0) this.#untold.splice(at, 1)
  }

  #tell({ commitTs, rows }: UntoldCommit): void {
    const commit = { commitTs, rows: changedRowsOf(rows) }
    if (commit.rows.length === 0) return // A large commit that only guards rows of tables.
    for (const follower of this.#live) follower.tell(commit)
  }

  #resolvedNow(): Timestamp {
    const { oracle, latches } = this.#deps
    return latches.resolvedTimestamp(oracle.lastSeen())
  }
}

type UntoldCommit = { readonly commitTs: Timestamp; readonly rows: readonly BufferedRow[] }

/** A page that is not the last. */
function pageOf(commits: readonly FeedCommit[], position: Timestamp): FeedPage {
  return { commits, position: commits.at(-1)?.commitTs ?? position, isCaughtUp: false }
}

const LOG_FILTER: RowFilter = [{ family: 'data' }]

/** Rows that a follower reads in one turn while it catches up. */
const PAGE_ROWS = 1_000
const CHUNK_ROWS_MAX = 1_000
const CHUNK_BYTES_MAX = 128 * 1024
