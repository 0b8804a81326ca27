// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { ScanMark } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { keyString } from '../../cells/row-key.ts'
import { invariant } from '../../invariant.ts'
import type { LockResolver } from '../percolator/lock-resolver.ts'
import { fetchValues } from '../percolator/value-fetch.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type { LockedColumn } from '../records/lock.ts'
import { type SettledRow, type Version, versionsOf } from '../records/version.ts'
import {
  commitOfSharedLogRow,
  type LoggedCommit,
  NOTED_BEFORE_MAX,
  notedAtOf,
  sharedLogRanges,
} from './shared-log-row.ts'

/** A row of the log whose transaction is not decided, as far as is known. */
type OpenRow = {
  readonly key: Uint8Array
  /** Its commitTs, if it gets one, is above this one. */
  readonly floor: Timestamp
  readonly waitMs: number
  readonly lookAtMs: number
}

/** What `LogTail.read` found. */
export type TailPage = {
  /** Ascending. */
  readonly commits: readonly LoggedCommit[]
  /** Whether anything had changed. */
  readonly isNews: boolean
  /** Whether another read would find more commits certain, though nothing else changes. */
  readonly isMoreKnown: boolean
}

/**
 * The end of the log, from a position on: each of its rows is read as it changes, and once for all who follow. Between
 * two reads it keeps the rows that are locked and not decided, and the commits above one of these.
 *
 *     the newest timestamp known is 20
 *     a read finds      log row of 11, locked    log row of 12, committed at 18     resolved 10: 11 may commit at 11
 *     the next one      log row of 11, committed at 19                              resolved 20: 18, 19 are handed out
 *
 * A timestamp that was known before a read began is **resolved** by it: who commits at or below that held all locks
 * when it was issued (I2), its log row's among them, so the read has seen the row. No timestamp is taken for it: those
 * of commits that are in the log have been issued as well.
 *
 * A row may be prewritten long after the timestamp in its key was taken, and so among rows that were read long ago. So
 * each read asks for all that has changed in the last minute before the position (`NOTED_BEFORE_MAX`); an engine that
 * knows leaves out what has not (`ScanMark`), and the filter of the others leaves out commits up to the position.
 */
export class LogTail {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver
  readonly #mark: ScanMark = {}
  readonly #open = new Map<string, OpenRow>()
  readonly #certain = new Map<string, LoggedCommit>()
  readonly #own = new Map<string, Timestamp>()
  #position: Timestamp
  /** The newest timestamp that was found in the log. */
  #newest: Timestamp = 0

  /** Everything up to the position has been read. */
  constructor(context: ProtocolContext, resolver: LockResolver, position: Timestamp) {
    this.#context = context
    this.#resolver = resolver
    this.#position = position
  }

  /** Up to where everything is settled and was returned. */
  get position(): Timestamp {
    return this.#position
  }

  /** Whether a transaction that is not decided holds back what was read. */
  get isWaiting(): boolean {
    return this.#open.size > 0
  }

  /** A commit of this process, whose log row may be locked for a while. */
  committed(key: Uint8Array, commitTs: Timestamp): void {
    this.#own.set(keyString(key), commitTs)
    if (this.#own.size <= OWN_MAX) return
    for (const [oldest] of this.#own.entries().take(1)) this.#own.delete(oldest)
  }

  /**
   * Reads what has changed. Rejects with CellStoreError, and may be repeated then; with `TailTooLong` when more waits
   * than is kept.
   */
  async read(): Promise<TailPage> {
    const known = Math.max(this.#context.oracle.lastSeen(), this.#newest, this.#position)
    const isNews = await this.#scan()
    await this.#lookAtOpen()
    if (this.#open.size + this.#certain.size > ROWS_MAX) throw new TailTooLong()
    const floors = [...this.#open.values()].map(({ floor }) => floor)
    const until = floors.reduce((least, floor) => Math.min(least, floor), known)
    invariant(until >= this.#position, 'J8', { until, position: this.#position })
    const commits = this.#take(until)
    this.#position = until
    const isMoreKnown = this.#open.size === 0 && this.#certain.size > 0
    return { commits, isNews, isMoreKnown }
  }

  async #scan(): Promise<boolean> {
    let isNews = false
    const filter: RowFilter = [
      { family: 'lock' },
      { family: 'write', timestamps: { from: this.#position + 1 } },
    ]
    const after = this.#position - NOTED_BEFORE_MAX
    const ranges = sharedLogRanges(after, Number.MAX_SAFE_INTEGER - 1)
    for await (const row of this.#context.cellStore.scanRanges(ranges, filter, this.#mark)) {
      if (await this.#saw(row)) isNews = true
      if (this.#open.size + this.#certain.size > ROWS_MAX) throw new TailTooLong()
    }
    return isNews
  }

  /** Resolves to whether it was not known. */
  async #saw({ key, cells }: Row): Promise<boolean> {
    const name = keyString(key)
    this.#newest = Math.max(this.#newest, notedAtOf(key))
    const { versions, hiding } = versionsOf(key, cells)
    if (hiding.length === 0) return await this.#isCommitted(name, { key, versions })
    const commitTs = this.#own.get(name)
    if (commitTs !== undefined) {
      return await this.#isCommitted(name, { key, versions: versionsAt(hiding, commitTs) })
    }
    if (this.#open.has(name) || this.#certain.has(name)) return false
    // It was not there in the read before, or this process would know it: so it was prewritten after that began.
    const floor = Math.max(this.#position, notedAtOf(key))
    const lookAtMs = this.#context.clock.monotonicMs() + LOOK_MS_MIN
    this.#open.set(name, { key, floor, waitMs: LOOK_MS_MIN, lookAtMs })
    return true
  }

  async #isCommitted(name: string, row: SettledRow): Promise<boolean> {
    this.#open.delete(name)
    const [version] = row.versions.values()
    if (version === undefined) return false
    const { commitTs } = version
    this.#newest = Math.max(this.#newest, commitTs)
    // The lock of one that was returned may be there for a while.
    if (commitTs <= this.#position || this.#certain.has(name)) return false
    const [fetched] = await fetchValues(this.#context, [row], commitTs)
    if (fetched == null) return false
    this.#certain.set(name, commitOfSharedLogRow(fetched))
    return true
  }

  /** A lock that was erased is not told by every engine, and that of a process that has ended stays. */
  async #lookAtOpen(): Promise<void> {
    const nowMs = this.#context.clock.monotonicMs()
    const due = [...this.#open].filter(([, { lookAtMs }]) => lookAtMs <= nowMs)
    if (due.length === 0) return
    const keys = due.map(([, { key }]) => key)
    const filter: RowFilter = [{ family: 'lock' }, { family: 'write' }]
    const images = await this.#context.cellStore.readRows(keys, filter)
    for (const [at, [name, row]] of due.entries()) {
      await this.#settle(name, row, images[at] ?? { key: row.key, cells: [] })
    }
  }

  async #settle(name: string, row: OpenRow, { key, cells }: Row): Promise<void> {
    const { versions, hiding } = versionsOf(key, cells)
    const [first] = hiding
    if (first === undefined) {
      await this.#isCommitted(name, { key, versions })
      return
    }
    const resolution = await this.#resolver.settle(first.lock)
    if (resolution.kind === 'alive') {
      const waitMs = Math.min(2 * row.waitMs, LOOK_MS_MAX)
      const lookAtMs = this.#context.clock.monotonicMs() + waitMs
      this.#open.set(name, { ...row, waitMs, lookAtMs })
      return
    }
    this.#context.background.start('clear a met lock', () =>
      this.#resolver.clear(key, first.lock, resolution),
    )
    if (resolution.kind === 'rolledBack') this.#open.delete(name)
    else {
      const settled = { key, versions: versionsAt(hiding, resolution.commitTs) }
      await this.#isCommitted(name, settled)
    }
  }

  #take(until: Timestamp): LoggedCommit[] {
    const commits: LoggedCommit[] = []
    for (const [name, commit] of this.#certain) {
      if (commit.commitTs > until) continue
      this.#certain.delete(name)
      commits.push(commit)
    }
    return commits.sort((a, b) => a.commitTs - b.commitTs)
  }
}

/** More rows wait than are kept in memory: who follows reads the log page by page. */
class TailTooLong extends Error {
  override readonly name = 'TailTooLong'
}

/** What a transaction that committed has put into these columns. */
function versionsAt(locks: readonly LockedColumn[], commitTs: Timestamp): Map<string, Version> {
  const versions = new Map<string, Version>()
  for (const { column, lock } of locks) {
    const { startTs, content } = lock
    if (content.kind === 'guard' || content.kind === 'delete') continue
    versions.set(column, { startTs, commitTs, content })
  }
  return versions
}

/** Rows of the log that are locked, or committed above such a one. */
const ROWS_MAX = 10_000
const OWN_MAX = 1_000
/** Milliseconds between two looks at a row that stays locked. */
const LOOK_MS_MIN = 50
const LOOK_MS_MAX = 1_000
