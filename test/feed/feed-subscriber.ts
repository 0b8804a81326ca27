// SPDX-License-Identifier: Apache-2.0
import type { Frame } from '../server/socket-client.ts'
import { shortenedRow, type WatchedQuery } from './watched-table.ts'

/** Where a subscriber begins, the first time. */
export type Beginning = { readonly snapshot: true } | { readonly since: number } | 'now'

export type ReceivedChange = {
  readonly op: string
  readonly key: readonly unknown[]
  readonly row?: Readonly<Record<string, unknown>>
}

/** A commit that came whole, put together from its frames. */
export type ReceivedCommit = {
  readonly commitTs: number
  readonly changes: readonly ReceivedChange[]
}

/** What a subscriber was told, whatever happened to its connections meanwhile. */
export type SubscriberRecord = {
  readonly query: WatchedQuery
  readonly beginning: Beginning
  /** The position that the first `subscribed` told. */
  readonly begunAt: number | undefined
  /** As of `begunAt`. */
  readonly snapshot: ReadonlyArray<Omit<ReceivedChange, 'op'>> | undefined
  readonly commits: readonly ReceivedCommit[]
  /** Frames that should never have come. */
  readonly violations: readonly string[]
}

/**
 * One subscriber as `docs/websocket-protocol.md` tells clients to be: it keeps the newest timestamp up
 * to which it knows everything, drops a commit whose last frame it has not seen when its connection
 * breaks, and comes back with what it kept.
 */
export class FeedSubscriber implements SubscriberRecord {
  readonly query: WatchedQuery
  readonly commits: ReceivedCommit[] = []
  readonly violations: string[] = []
  beginning: Beginning
  begunAt: number | undefined
  snapshot: Array<Omit<ReceivedChange, 'op'>> | undefined
  /** How often it came back. */
  resumed = 0
  /** Bookmarks that were told between commits. */
  progress = 0
  #position: number | undefined
  #rows: Array<Omit<ReceivedChange, 'op'>> | undefined
  #open: { commitTs: number; changes: ReceivedChange[]; frames: number } | undefined
  #isSubscribed = false
  /** Commits of several frames. */
  longCommits = 0
  /** Commits that broke off in their middle. */
  brokenCommits = 0

  /** How often it was to come back later, before it had begun. */
  refused = 0
  /** Whether it was the last time. */
  isRefused = false

  /** Whether it was told that its position is too old, and has not asked for a snapshot so far. */
  isToRestart = false
  readonly #mayBeTooOld: boolean

  /** `mayBeTooOld`: its position may become too old, and then it restarts with a snapshot. */
  constructor(query: WatchedQuery, beginning: Beginning, mayBeTooOld = false) {
    this.query = query
    this.beginning = beginning
    this.#mayBeTooOld = mayBeTooOld
  }

  /** Up to here it knows everything; undefined before its first bookmark. */
  get position(): number | undefined {
    return this.#position
  }

  /** Of the commit that comes now some frames are missing. */
  get isInsideCommit(): boolean {
    return this.#open !== undefined
  }

  /** The fields of `subscribe`, on whichever connection comes next. */
  request(): Readonly<Record<string, unknown>> {
    const { sql, params = [] } = this.query
    this.isToRestart = false
    this.isRefused = false
    if (this.#position !== undefined) return { sql, params, since: this.#position }
    return { sql, params, ...(this.beginning === 'now' ? {} : this.beginning) }
  }

  take(frame: Frame): void {
    const { type } = frame
    if (this.#open !== undefined && type !== 'change') this.#violated(`${type} inside a commit`)
    if (type === 'error' && frame.code === 'resume_too_old' && this.#mayBeTooOld) this.#restart()
    else if (frame.code === 'client_overloaded' && !this.#isSubscribed) this.#refused()
    else if (type === 'subscribed') this.#subscribed(frame.timestamp)
    else if (!this.#isSubscribed) this.#violated(`${type} before subscribed`)
    else if (type === 'rows') this.#rows?.push(...frame.rows.map(shortenedChange))
    else if (type === 'snapshotEnd') this.#snapshotEnded(frame.timestamp)
    else if (type === 'change') this.#changed(frame)
    else if (type === 'progress') this.#progressed(frame.timestamp)
    else this.#violated(`${type} ${frame.code ?? ''} ${frame.detail ?? ''}`)
  }

  /** Nothing more comes on this connection. */
  disconnected(): void {
    if (this.#open !== undefined) this.brokenCommits += 1
    if (this.#isSubscribed) this.resumed += 1
    this.#isSubscribed = false
    this.#open = undefined
    this.#rows = undefined
  }

  /** Too many subscribe at the same moment: the bound on those that wait is less than there are here. */
  #refused(): void {
    this.refused += 1
    this.isRefused = true
  }

  /** What it was told so far was checked after each kill. */
  #restart(): void {
    this.isToRestart = true
    this.beginning = { snapshot: true }
    this.commits.length = 0
    this.snapshot = undefined
    this.begunAt = undefined
    this.#position = undefined
  }

  #subscribed(timestamp: number): void {
    this.#isSubscribed = true
    const wanted = this.#position ?? (this.beginning as { since?: number }).since
    if (wanted !== undefined && timestamp !== wanted) {
      this.#violated(`asked since ${wanted}, subscribed at ${timestamp}`)
    }
    if (this.#position !== undefined) return
    this.begunAt = timestamp
    const hasSnapshot = this.beginning !== 'now' && 'snapshot' in this.beginning
    if (hasSnapshot) this.#rows = []
    else this.#position = timestamp
  }

  #snapshotEnded(timestamp: number): void {
    if (this.#rows === undefined) this.#violated('a snapshot that nobody asked for')
    if (timestamp !== this.begunAt) this.#violated(`a snapshot of ${this.begunAt} and ${timestamp}`)
    this.snapshot = this.#rows
    this.#rows = undefined
    this.#position = timestamp
  }

  #changed({ commitTimestamp, changes, last }: Frame): void {
    if (this.#rows !== undefined) this.#violated('a change inside the snapshot')
    this.#open ??= { commitTs: commitTimestamp, changes: [], frames: 0 }
    if (this.#open.commitTs !== commitTimestamp) {
      this.#violated(`${commitTimestamp} inside the commit ${this.#open.commitTs}`)
      this.#open = { commitTs: commitTimestamp, changes: [], frames: 0 }
    }
    this.#open.frames += 1
    this.#open.changes.push(...changes.map(shortenedChange))
    if (!last) return
    if (this.#open.frames > 1) this.longCommits += 1
    this.commits.push({ commitTs: commitTimestamp, changes: this.#open.changes })
    this.#open = undefined
    this.#position = commitTimestamp
  }

  #progressed(timestamp: number): void {
    this.progress += 1
    if (timestamp < (this.#position ?? 0)) {
      this.#violated(`progress ${timestamp} behind ${this.#position}`)
    }
    this.#position = timestamp
  }

  #violated(what: string): void {
    this.violations.push(what)
  }
}

function shortenedChange<Change extends Omit<ReceivedChange, 'op'>>(change: Change): Change {
  return change.row === undefined ? change : { ...change, row: shortenedRow(change.row) }
}
