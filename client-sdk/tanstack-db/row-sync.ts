// SPDX-License-Identifier: Apache-2.0
import type { SyncConfig } from '@tanstack/db'
import { sleep } from '../backoff.ts'
import type { SubscribeOptions, Subscription } from '../subscriptions/subscription.ts'
import type { SnapshotRow } from '../subscriptions/subscription-event.ts'
import type { AnyEvent } from '../subscriptions/subscription-frames.ts'
import type { ResultColumn } from '../wire.ts'
import { AppliedStamp } from './applied-stamp.ts'
import type { KeyColumns } from './key-columns.ts'
import { type CollectionKey, SyncedRows, type Write } from './synced-rows.ts'

/** What a collection is synchronized with. */
export type RowSource<R> = {
  subscribe(options: SubscribeOptions): Subscription<R, AnyEvent<R>>
  keyOf(row: R): CollectionKey
  /** Undefined where the caller tells the key of a row by a function. */
  readonly key: KeyColumns | undefined
}

/** What the library lets a source do. */
type Applied<R extends object> = Pick<
  Parameters<SyncConfig<R, CollectionKey>['sync']>[0],
  'begin' | 'write' | 'commit' | 'truncate' | 'markReady' | 'markError'
>

/**
 * How long a write waits for its commit before the server is asked how far the feed has come. A commit that changes
 * none of the rows is not told, and the library holds back all others while a write waits.
 */
const ASK_AFTER_MS = 100
const ASK_AFTER_MS_MAX = 2_000

/** Brings the rows of a subscription into a collection, from when it begins to synchronize until its cleanup. */
export class RowSync<R extends object> {
  readonly applied = new AppliedStamp()
  readonly #source: RowSource<R>
  readonly #collection: Applied<R>
  readonly #rows: SyncedRows<R>
  readonly #leaving = new AbortController()
  #subscription: Subscription<R, AnyEvent<R>> | undefined
  /** Of a snapshot whose end has not come. */
  #incoming: Array<SnapshotRow<R> | R> = []
  #isReplacing = false
  #columns: readonly ResultColumn[] = []
  #asking: Promise<void> | undefined

  constructor(source: RowSource<R>, collection: Applied<R>) {
    this.#source = source
    this.#collection = collection
    this.#rows = new SyncedRows(source.keyOf)
  }

  /** Resolves at the cleanup, and when an error has ended it, which the collection then has. */
  async run(): Promise<void> {
    const { signal } = this.#leaving
    try {
      while (!signal.aborted) await this.#follow(signal)
    } catch (error) {
      if (signal.aborted) return
      this.#leaving.abort()
      this.applied.end(error as Error)
      this.#collection.markError(error)
    }
  }

  stop(): void {
    this.#leaving.abort()
    this.applied.end()
  }

  /** Resolves when the rows are as of the stamp; see `AppliedStamp.until`. */
  async reached(stamp: number, waitMs: number): Promise<void> {
    if (stamp > this.applied.stamp) this.#asking ??= this.#ask()
    await this.applied.until(stamp, waitMs)
  }

  /** Until it has to begin again with a snapshot, because rows that do not change would keep other columns. */
  async #follow(signal: AbortSignal): Promise<void> {
    this.#subscription = this.#source.subscribe({
      snapshot: true,
      progress: true,
      keepTrying: true,
      signal,
    })
    this.#columns = []
    for await (const event of this.#subscription) {
      if (signal.aborted) return
      if (this.#hasOtherColumns(event)) {
        this.#isReplacing = true
        return
      }
      this.#apply(event)
    }
  }

  #hasOtherColumns({ kind }: AnyEvent<R>): boolean {
    const before = this.#columns
    this.#columns = this.#subscription?.columns ?? before
    if (kind !== 'commit' || before.length === 0 || before === this.#columns) return false
    return JSON.stringify(before) !== JSON.stringify(this.#columns)
  }

  #apply(event: AnyEvent<R>): void {
    switch (event.kind) {
      case 'reset':
        this.#incoming = []
        this.#isReplacing = true
        return
      case 'rows':
        for (const row of event.rows) this.#incoming.push(row)
        return
      case 'snapshot':
        this.#write(this.#whole(), this.#isReplacing)
        this.#incoming = []
        this.#isReplacing = false
        this.#collection.markReady()
        break
      case 'commit':
        this.#write(this.#rows.commit(event.changes))
        break
      case 'patch':
        this.#write(this.#rows.patch(event.splice))
    }
    this.applied.reach(event.timestamp)
  }

  #whole(): Write<R>[] {
    if (this.#subscription?.bookmark.mode === 'result') {
      return this.#rows.list(this.#incoming as R[])
    }
    const rows = this.#incoming as Array<SnapshotRow<R>>
    const [first] = rows
    if (first !== undefined) this.#source.key?.require(first.row, first.key)
    return this.#rows.snapshot(rows)
  }

  #write(writes: readonly Write<R>[], isWhole = false): void {
    const { begin, write, commit, truncate } = this.#collection
    begin()
    if (isWhole) truncate()
    for (const one of writes) write(one)
    // What it returns is when they are visible: after the writes that wait for this.
    commit()
  }

  /** Asks for as long as a write waits for a stamp that no event has reached. */
  async #ask(): Promise<void> {
    const { signal } = this.#leaving
    try {
      for (let pauseMs = ASK_AFTER_MS; ; pauseMs = Math.min(ASK_AFTER_MS_MAX, 2 * pauseMs)) {
        await sleep(pauseMs, signal)
        const { wanted } = this.applied
        if (wanted === undefined) return
        if (await this.#isSettled(wanted, signal)) this.applied.reach(wanted)
      }
    } catch {
      // The subscription itself tells what is wrong, or comes that far by itself.
    } finally {
      this.#asking = undefined
    }
  }

  /**
   * Whether the rows as they are now are those of the stamp, or of a later one. A subscription that begins where they
   * are is told at once whether anything follows:
   *
   *     the rows are as of 10, and a write at 15 waits      progress 16: they are as of 15 as well
   *                                                         commit 12: not yet, and it comes here too
   */
  async #isSettled(stamp: number, signal: AbortSignal): Promise<boolean> {
    const { bookmark } = this.#subscription ?? {}
    // A snapshot is on its way, and tells its stamp.
    if (bookmark?.since === undefined) return false
    const options = { ...bookmark, snapshot: false, progress: true, signal }
    for await (const event of this.#source.subscribe(options)) {
      if (event.kind === 'commit') return event.timestamp > stamp
      if (event.kind !== 'progress') return false
      if (event.timestamp >= stamp) return true
    }
    return false
  }
}
