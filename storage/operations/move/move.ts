// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { setPlain } from '../../cells/plain-row.ts'
import { endOfPrefix } from '../../cells/row-key.ts'
import { rowPages } from '../../cells/row-pages.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import type { ChangeFeed } from '../../transactions/feed/change-feed.ts'
import { encodeFeedBegins, FEED_BEGINS_ROW } from '../../transactions/feed/feed-begins.ts'
import type { StoreHistory } from '../../transactions/history/store-history.ts'
import {
  createOracleRow,
  type OracleCounter,
  raiseCounter,
  readOracleState,
} from '../../transactions/oracle/oracle-row.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import {
  COPIED_FAMILIES,
  changedAfter,
  digestOf,
  isCopied,
  PAGE_ROWS,
  PLAIN_PREFIXES,
  type SpaceDigest,
} from './copied-rows.ts'
import {
  type MoveSource,
  movedAway,
  readMovedTo,
  readMoveSource,
  writeMovedTo,
  writeMoveSource,
} from './move-rows.ts'
import { noteCommits } from './noted-commits.ts'
import { cellsOf, RowWriter, type RowWriterDependencies, sentUntilApplied } from './row-writer.ts'
import type { WriteGate } from './write-gate.ts'

export type MoveOptions = {
  /** The other store, for people. */
  readonly to: string
  /** Where clients find a server of it; empty when that is not known. */
  readonly url: string
  /** Whether commits are taken while the rows are copied; they are then followed. */
  readonly follow: boolean
  /** Whether all cells are compared before the store is closed for good. */
  readonly compare: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: MoveProgress) => void
}

export type MoveProgress = {
  readonly phase: 'copying' | 'following' | 'closing' | 'comparing' | 'done'
  readonly rows: number
  readonly bytes: number
}

export type MoveReport = {
  /** Positions of subscriptions from here on go on in the other store. */
  readonly from: Timestamp
  /** The newest timestamp; all of the store's own are at or below it. */
  readonly at: Timestamp
  readonly rows: number
  readonly cells: number
  readonly bytes: number
  /** For so long no commit was taken before it was sent on, in milliseconds. */
  readonly closedMs: number
  readonly elapsedMs: number
  /** Of both stores, when they were compared. */
  readonly spaces: readonly SpaceDigest[] | undefined
}

export type MoveDependencies = {
  /** Of the store that is moved. */
  readonly context: ProtocolContext
  readonly target: CellStore
  readonly history: StoreHistory
  readonly feed: ChangeFeed
  readonly gate: WriteGate
  /** Whether all commits pass the gate. */
  readonly isOnlyOwner: boolean
  /** Ends the collections of garbage, until the answer is called. */
  readonly holdCollections: () => Promise<() => void>
  /** Resolves when no lock is left, while the gate is closed. */
  readonly settled: () => Promise<unknown>
}

/**
 * Moves a store's cells into another store, with their timestamps: ETags, bookmarks, snapshots and cursors stay valid,
 * and positions of the feed from the beginning of the move on. One run of it; a run that was cut off is repeated, and
 * goes on where it was.
 *
 * 1. copy every row, while transactions go on;
 * 2. copy what was committed meanwhile, again and again, until that takes no time worth mentioning;
 * 3. refuse commits, copy the rest, raise the other store's counters, and compare all cells;
 * 4. mark this store as moved, and then the other one as whole: at no time do both take writes.
 */
export class Move {
  readonly #deps: MoveDependencies
  readonly #options: MoveOptions
  readonly #to: RowWriterDependencies
  readonly #writer: RowWriter

  constructor(deps: MoveDependencies, options: MoveOptions) {
    this.#deps = deps
    this.#options = options
    this.#to = { ...deps.context, cellStore: deps.target }
    this.#writer = new RowWriter(this.#to)
  }

  /**
   * Rejects with StorageError `already_exists` where the other store is not empty, `limit_exceeded` for a row that it
   * cannot hold, with CellStoreError, and with the signal's reason. Commits are taken again then.
   */
  async run(): Promise<MoveReport> {
    const { context, gate, holdCollections, isOnlyOwner } = this.#deps
    invariant(isOnlyOwner, 'M1', { moved: 'a store that other processes write to' })
    const beganMs = context.clock.monotonicMs()
    const moved = await readMovedTo(context.cellStore)
    const source = await this.#begin(moved?.to)
    const release = await holdCollections()
    try {
      if (!this.#options.follow && moved === undefined) await gate.close(ending())
      await this.#copyAll(source)
      let position = source.from
      if (this.#options.follow && moved === undefined) position = await this.#follow(position)
      const closedMs = context.clock.monotonicMs()
      if (moved === undefined) await gate.close(ending())
      const { at, spaces } = await this.#finish(source, position)
      const { to, url } = this.#options
      await writeMovedTo(context, { to, url, at })
      await gate.close(movedAway({ to, url, at }))
      invariant(gate.refusal?.code === 'moved', 'M1', { open: to })
      await writeMoveSource(this.#to, { ...source, isDone: true })
      const nowMs = context.clock.monotonicMs()
      const report = { closedMs: nowMs - closedMs, elapsedMs: nowMs - beganMs, spaces }
      this.#progress('done')
      return { from: source.from, at, ...this.#writer.sent, ...report }
    } catch (error) {
      if ((await readMovedTo(context.cellStore)) === undefined) gate.open()
      throw error
    } finally {
      release()
    }
  }

  /** Requires an empty store, or one into which this one was being moved. */
  async #begin(movedTo: string | undefined): Promise<MoveSource> {
    const { context, target, history, feed } = this.#deps
    const { to } = this.#options
    if (movedTo !== undefined && movedTo !== to) {
      throw new StorageError('already_exists', `The store has already been moved: to ${movedTo}.`)
    }
    const found = await readMoveSource(target)
    if (found?.isDone) {
      const isThis = movedTo !== undefined && found.history === history.id
      const what = isThis ? 'This store' : 'Another store'
      throw new StorageError('already_exists', `${what} has already been moved to ${to}.`)
    }
    if (found !== undefined && found.history === history.id) return found
    if (found !== undefined || (await hasRows(target))) {
      throw new StorageError(
        'already_exists',
        `${to} is not empty: a store is moved into an empty one, as a new table or prefix.`,
      )
    }
    const from = await feed.resolved()
    const source = { history: history.id, from, copiedTo: '', isDone: false }
    await writeMoveSource(this.#to, source)
    context.log.info({ to, from }, 'a move begins')
    return source
  }

  async #copyAll(source: MoveSource): Promise<void> {
    const { context } = this.#deps
    const { signal } = this.#options
    const scan = { filter: COPIED_FAMILIES, pageRows: PAGE_ROWS, signal }
    const start = Buffer.from(source.copiedTo, 'hex')
    let pages = 0
    for await (const page of rowPages(context.cellStore, { ...scan, start })) {
      for (const { key, cells } of page) if (isCopied(key)) await this.#writer.write(key, cells)
      pages += 1
      this.#progress('copying')
      const last = page.at(-1)
      if (last === undefined || pages % PAGES_NOTED !== 0) continue
      await this.#writer.flush()
      await writeMoveSource(this.#to, {
        ...source,
        copiedTo: Buffer.from(last.key).toString('hex'),
      })
    }
    await this.#writer.flush()
  }

  /** Until a pass is quick, or does not become quicker any more. */
  async #follow(from: Timestamp): Promise<Timestamp> {
    const { clock } = this.#deps.context
    let position = from
    for (let lastMs = Infinity; ; ) {
      const beganMs = clock.monotonicMs()
      position = await this.#copyChanged(position, 'following')
      const tookMs = clock.monotonicMs() - beganMs
      if (tookMs < QUICK_MS || tookMs > lastMs * SHRINKS_BY) return position
      lastMs = tookMs
    }
  }

  /** Resolves to the position up to which the other store has everything. */
  async #copyChanged(after: Timestamp, phase: MoveProgress['phase']): Promise<Timestamp> {
    const { context, feed } = this.#deps
    const { cellStore } = context
    const { signal } = this.#options
    // Before the scan: what commits during it is for the next pass.
    const until = await feed.resolved()
    const scan = { filter: changedAfter(after), pageRows: PAGE_ROWS, signal }
    for await (const page of rowPages(cellStore, scan)) {
      await this.#copyRows(page.map(({ key }) => key).filter(isCopied))
      this.#progress(phase)
    }
    for (const prefix of PLAIN_PREFIXES) {
      const end = endOfPrefix(prefix) as Uint8Array
      const rows = cellStore.scanRows({ start: prefix, end, filter: COPIED_FAMILIES })
      for await (const { key } of rows) await this.#copyRows([key])
    }
    const noted = await noteCommits({ cellStore, feed }, this.#writer, after, signal)
    await this.#writer.flush()
    return Math.min(until, noted)
  }

  /** Makes these rows what they are here: cells may have gone since they were copied. */
  async #copyRows(keys: readonly Uint8Array[]): Promise<void> {
    const { context, target } = this.#deps
    const here = await context.cellStore.readRows(keys, COPIED_FAMILIES)
    const there = await target.readRows(keys, COPIED_FAMILIES)
    for (const [index, key] of keys.entries()) {
      await this.#writer.write(key, cellsOf(here[index]), cellsOf(there[index]))
    }
  }

  /** What is left to do while no commit is taken. */
  async #finish(source: MoveSource, position: Timestamp) {
    const { context, target, settled } = this.#deps
    await settled()
    await this.#copyChanged(position, 'closing')
    const state = await readOracleState(context.cellStore)
    const at = Math.max(state.timestamp, context.oracle.lastSeen())
    await createOracleRow(target)
    for (const [counter, value] of Object.entries({ ...state, timestamp: at })) {
      await raiseCounter(target, counter as OracleCounter, value)
    }
    const begins = setPlain(encodeFeedBegins({ kind: 'shared', at: source.from }))
    await sentUntilApplied(this.#to, [{ row: FEED_BEGINS_ROW, mutations: [begins] }])
    const spaces = this.#options.compare ? await this.#compare() : undefined
    return { at, spaces }
  }

  async #compare(): Promise<SpaceDigest[]> {
    const { context, target } = this.#deps
    const { signal } = this.#options
    const show = () => this.#progress('comparing')
    const [here, there] = await Promise.all([
      digestOf(context.cellStore, signal, show),
      digestOf(target, signal, show),
    ])
    const isAlike = JSON.stringify(here) === JSON.stringify(there)
    if (isAlike) return here
    const other = here.find((one, index) => JSON.stringify(one) !== JSON.stringify(there[index]))
    throw new StorageError(
      'invalid_definition',
      `The stores differ: ${other?.space ?? 'their tables'}. Empty the other one and begin again.`,
      { here: other, there: there.find(({ space }) => space === other?.space) },
    )
  }

  #progress(phase: MoveProgress['phase']): void {
    const { rows, bytes } = this.#writer.sent
    this.#options.onProgress?.({ phase, rows, bytes })
  }
}

async function hasRows(cellStore: CellStore): Promise<boolean> {
  const filter = [...COPIED_FAMILIES, { family: 'lock' } as const]
  for await (const _ of cellStore.scanRows({ start: new Uint8Array(), filter, limit: 1 }))
    return true
  return false
}

function ending(): StorageError {
  return new StorageError(
    'moving',
    'The store is being moved, and takes no writes at the end of it. Try again in a moment.',
  )
}

/** The position is written down so often. */
const PAGES_NOTED = 20
const QUICK_MS = 500
const SHRINKS_BY = 0.7
