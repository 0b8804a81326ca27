// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { CellStore, RowScan } from '../../cells/cell-store.ts'
import { isNoteRow, noteRowKey } from '../../cells/note.ts'
import { hasRow } from '../../cells/row-pages.ts'
import { InvariantViolation } from '../../invariant.ts'
import type { FeedCommit } from '../../transactions/feed/change-feed.ts'
import { readFeedBegins } from '../../transactions/feed/feed-begins.ts'
import { isLoggedColumn, isLoggedRow } from '../../transactions/feed/log-entry.ts'
import { commitsOfLogRow } from '../../transactions/feed/log-row.ts'
import { sharedLogRanges } from '../../transactions/feed/shared-log-row.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { passDamage, unlessDamaged } from './damage.ts'
import { cellOfInterval, problemAt, type RowImage } from './row-image.ts'
import { readFences } from './store-rows.ts'

/**
 * J9 where one process owns the store: above the safe point the log has an entry of every commit, and every entry is of
 * one. Where processes share the store, the log's rows are rows like all others, and their keys do not follow from
 * commitTs.
 */
export class LogCheck {
  readonly #cellStore: CellStore
  readonly #isShared: boolean
  /** What committed at or below it may stand in a log of the other form (J12). */
  readonly #beginsAt: Timestamp
  /** Commits that the log has: of each of its rows that was looked at, because many stand in one. */
  readonly #found = new Set<Timestamp>()

  private constructor(cellStore: CellStore, isShared: boolean, beginsAt: Timestamp) {
    this.#cellStore = cellStore
    this.#isShared = isShared
    this.#beginsAt = beginsAt
  }

  static async open(cellStore: CellStore): Promise<LogCheck> {
    // One that cannot be read is reported with the row itself.
    const begins = await readFeedBegins(cellStore).catch(passDamage)
    if (begins !== undefined) return new LogCheck(cellStore, begins.kind === 'shared', begins.at)
    // A store from before there was such a row.
    const ranges = sharedLogRanges(0, Number.MAX_SAFE_INTEGER - 1)
    const isShared = await hasRow(cellStore, ranges, [{ family: 'lock' }, { family: 'write' }])
    return new LogCheck(cellStore, isShared, 0)
  }

  /** The entry can be read, and the rows that it names have versions of this commit. */
  async checkEntry(row: Row): Promise<ConsistencyProblem[]> {
    let commits: readonly FeedCommit[]
    try {
      commits = commitsOfLogRow(row)
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error
      return [{ rule: 'J9', row: row.key, message: `The entry cannot be read: ${error.message}` }]
    }
    const problems: ConsistencyProblem[] = []
    for (const commit of commits) problems.push(...(await this.#checkCommit(commit)))
    return problems
  }

  async #checkCommit(commit: FeedCommit): Promise<ConsistencyProblem[]> {
    const missing = await this.#withoutVersion(commit)
    // Versions may have been collected since the entry was read; then the safe point has passed it.
    if (missing.length === 0 || (await this.#isBelowSafePoint(commit.commitTs))) return []
    return missing.map((key) => {
      const message = `The log names this row, which has no version of ${commit.commitTs}.`
      return { rule: 'J9', row: key, message }
    })
  }

  /** The versions of a row of the feed are in the log. */
  async checkVersions(image: RowImage): Promise<ConsistencyProblem[]> {
    if (this.#isShared || !isLoggedRow(image.key)) return []
    const problems: ConsistencyProblem[] = []
    for (const interval of image.intervals) {
      const { column, commitTs, content } = interval
      if (content.kind === 'guard' || !isLoggedColumn(column)) continue
      if (commitTs <= this.#beginsAt) continue
      if (await this.#hasEntry(commitTs)) continue
      if (await this.#isBelowSafePoint(commitTs)) continue
      const message = 'The log has no entry of the transaction that committed this version.'
      problems.push(problemAt(image.key, cellOfInterval(interval), 'J9', message))
    }
    return problems
  }

  /** A row that is still locked by a two-phase commit gets its version yet. */
  async #withoutVersion({ commitTs, rows }: FeedCommit): Promise<Uint8Array[]> {
    const keys = rows.map(({ key }) => key)
    const images = await this.#cellStore.readRows(keys, [
      { family: 'write', timestamps: { from: commitTs, until: commitTs + 1 } },
      { family: 'lock' },
    ])
    return keys.filter((_, at) => {
      const cells = images[at]?.cells ?? []
      if (cells.some(({ family }) => family === 'lock')) return false
      return rows[at]?.columns.some((column) => !cells.some((one) => one.qualifier === column))
    })
  }

  async #hasEntry(commitTs: Timestamp): Promise<boolean> {
    if (this.#found.has(commitTs)) return true
    if (this.#found.size >= FOUND_MAX) this.#found.clear()
    const start = noteRowKey(commitTs)
    const end = noteRowKey(Number.MAX_SAFE_INTEGER)
    const scan: RowScan = { start, end, filter: [{ family: 'data' }], limit: 1 }
    for await (const row of this.#cellStore.scanRows(scan)) {
      if (!isNoteRow(row.key)) continue
      const commits = unlessDamaged(() => commitsOfLogRow(row)) ?? []
      for (const found of commits) this.#found.add(found.commitTs)
    }
    return this.#found.has(commitTs)
  }

  async #isBelowSafePoint(commitTs: Timestamp): Promise<boolean> {
    return commitTs <= (await readFences(this.#cellStore)).safePoint
  }
}

/** A few mebibytes of memory. */
const FOUND_MAX = 100_000
