// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../cells/cell.ts'
import { hashOfKey } from '../../../cells/row-hash.ts'
import { keyString } from '../../../cells/row-key.ts'
import { type Slotted, SlottedSet } from '../../../collections/slotted-set.ts'
import { InvariantViolation, invariant } from '../../../invariant.ts'
import { type HashedRow, LatchedRows } from './latched-rows.ts'
import { NewestRecords } from './newest-records.ts'
import { RecentWrites } from './recent-writes.ts'
import { WrittenRows } from './written-rows.ts'

/** A row that a transaction latches: `guard` where it guards the row and changes no value in it. */
export type LatchRequest = HashedRow & {
  readonly kind: 'write' | 'guard'
  /** The columns that are written or guarded; the whole row when absent. */
  readonly columns?: ReadonlyArray<{ readonly column: string }>
}

/** A transaction that holds latches. */
export type LatchOwner = {
  readonly startTs: Timestamp
  /** Undefined until commitTs has been taken. */
  readonly commitTs: Timestamp | undefined
}

type Owner = Slotted & {
  readonly startTs: Timestamp
  commitTs: Timestamp | undefined
  /** The rows that it writes, ascending; those that have been released may still be among them. */
  readonly written: string[]
  /** The same rows for scans; created when a scan first meets its commit timestamp, after which none are added (J4). */
  searched: WrittenRows | undefined
  held: number
  isSettled: boolean
  /** Created when something waits for a release. */
  released: PromiseWithResolvers<void> | undefined
}

type Latch = HashedRow & {
  readonly owner: Owner
  readonly kind: LatchRequest['kind']
  readonly columns: LatchRequest['columns'] | undefined
  next: Latch | undefined
}

/**
 * The locks of this process in memory. A latch is a Percolator lock whose cell never reaches the disk: it is held from
 * the turn in which its transaction is queued until the outcome is durable and in the view (J5). No lock is on disk
 * (J1), so this table has all locks, and lock cells are never looked for.
 *
 * The first entry of `pending` is the transaction with the smallest commit timestamp among those whose outcome is not
 * settled: they are entered as their timestamps are taken (J4).
 */
export class LatchTable {
  readonly #latches = new LatchedRows<Latch>()
  readonly #owners = new SlottedSet<Owner>()
  readonly #pending: Owner[] = []
  readonly #recentWrites = new RecentWrites()
  /** Records that a read may take instead of asking the view. */
  readonly newest: NewestRecords
  #newestPending: Timestamp = 0
  #closing: Error | undefined

  /** `rowCacheBytes` bounds the records of `newest`. */
  constructor(rowCacheBytes?: number) {
    this.newest = new NewestRecords(this.#recentWrites, rowCacheBytes)
  }

  /** The number of latched rows. */
  get size(): number {
    return this.#latches.size
  }

  /** Latches rows that are not latched, for a transaction that has no commit timestamp yet. */
  latch(startTs: Timestamp, rows: readonly LatchRequest[]): LatchOwner {
    const owner: Owner = {
      startTs,
      commitTs: undefined,
      written: [],
      searched: undefined,
      held: 0,
      isSettled: false,
      released: undefined,
      slot: 0,
    }
    this.#owners.add(owner)
    this.add(owner, rows)
    return owner
  }

  /** Latches more rows for a transaction that still has no commit timestamp. */
  add(owner: LatchOwner, rows: readonly LatchRequest[]): void {
    const holder = owner as Owner
    const { startTs, written } = holder
    invariant(holder.commitTs === undefined && this.#owners.has(holder), 'J4', { startTs })
    let isSorted = true
    for (const { text, hash, kind, columns } of rows) {
      const isLatched = this.#latches.get(text, hash) !== undefined
      if (isLatched) throw new InvariantViolation('J2', { startTs, row: hexOf(text) })
      this.#latches.add({ text, hash, owner: holder, kind, columns, next: undefined })
      if (kind === 'guard') continue
      isSorted &&= written.length === 0 || (written.at(-1) as string) < text
      written.push(text)
    }
    holder.held += rows.length
    if (!isSorted) written.sort() // One character a byte: this is the order of the row keys.
  }

  /** Records the commit timestamp, in the turn in which it was taken (J4). */
  stamp(owner: LatchOwner, commitTs: Timestamp): void {
    const { startTs } = owner
    invariant(commitTs > this.#newestPending && commitTs > startTs, 'J4', { startTs, commitTs })
    this.#newestPending = commitTs
    const holder = owner as Owner
    const holds = this.#owners.has(holder) && holder.commitTs === undefined
    invariant(holds, 'J4', { startTs, commitTs })
    holder.commitTs = commitTs
    this.#pending.push(holder)
  }

  /** Records that the outcome is certain: this transaction no longer holds back the resolved timestamp. */
  settle(owner: LatchOwner): void {
    const settled = owner as Owner
    settled.isSettled = true
    while (this.#pending[0]?.isSettled) this.#pending.shift()
  }

  /** Releases these latches: the outcome of their rows is durable and in the view (J5). */
  release(owner: LatchOwner, rows: readonly LatchRequest[]): void {
    const holder = owner as Owner
    const { startTs, commitTs } = holder
    for (const { text, hash } of rows) {
      const latch = this.#latches.get(text, hash)
      if (latch?.owner !== holder) {
        throw new InvariantViolation('J5', { startTs, row: hexOf(text) })
      }
      this.#latches.delete(latch)
      if (commitTs !== undefined) this.#recentWrites.committed(hash, commitTs)
      this.newest.forget(text, hash)
    }
    holder.held -= rows.length
    if (holder.held === 0) this.#owners.delete(holder)
    const { released } = holder
    holder.released = undefined
    released?.resolve()
  }

  /** Rows that another store's groups have changed, by commits at or below this timestamp, and that are in the view. */
  writtenElsewhere(rows: readonly Uint8Array[], newest: Timestamp): void {
    for (const row of rows) {
      const hash = hashOfKey(row)
      this.#recentWrites.committed(hash, newest)
      this.newest.forget(keyString(row), hash)
    }
  }

  /** Resolves when the owner releases any latch; then the caller checks again. */
  nextRelease(owner: LatchOwner): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(this.#closing)
    const holder = owner as Owner
    holder.released ??= Promise.withResolvers<void>()
    return holder.released.promise
  }

  /** Rejects all waits with this error: a store that is being closed may never release some latches. */
  endWaiting(reason: Error): void {
    this.#closing = reason
    for (const owner of this.#owners) owner.released?.reject(reason)
  }

  /** The owner of the latch of the row with this key in the form of `keyString`, or undefined. */
  ownerOf(text: string, hash?: number): LatchOwner | undefined {
    return this.#latches.get(text, hash)?.owner
  }

  /** Whether the latch of a row shares a column with this request. */
  meets({ text, hash, columns }: LatchRequest): boolean {
    const latched = this.#latches.get(text, hash)?.columns
    if (latched === undefined || columns === undefined) return true
    return latched.some(({ column }) => columns.some((own) => own.column === column))
  }

  /**
   * Whether a row with this hash may have a version or a guard's stamp at `startTs` or later. If this is false, a row
   * that is not latched has none: a write is latched until it is in the view (J3), and is remembered from the turn in
   * which its latch is released.
   */
  mayBeWrittenSince(hash: number, startTs: Timestamp): boolean {
    return this.#recentWrites.mayBeSince(hash, startTs)
  }

  /**
   * The owner that hides the row from a snapshot, or undefined: the snapshot must see its write, which may not be in
   * the view yet.
   */
  hiding(row: Uint8Array, readTs: Timestamp): LatchOwner | undefined {
    if (this.#latches.size === 0) return undefined
    const hash = hashOfKey(row)
    if (!this.#latches.mayHave(hash)) return undefined
    const latch = this.#latches.get(keyString(row), hash)
    if (latch === undefined || latch.kind === 'guard') return undefined
    return isVisibleAt(latch.owner, readTs) ? latch.owner : undefined
  }

  /** As `hiding`, for all rows of [start, end), whether or not the view has them. */
  hidingBetween(
    start: Uint8Array,
    end: Uint8Array | undefined,
    readTs: Timestamp,
  ): LatchOwner | undefined {
    if (this.#latches.size === 0) return undefined
    const from = keyString(start)
    const to = end === undefined ? undefined : keyString(end)
    for (const owner of this.#owners) {
      if (isVisibleAt(owner, readTs) && this.#writesBetween(owner, from, to)) return owner
    }
    return undefined
  }

  /** The resolved timestamp: every transaction that commits at it or before is settled and in the view. */
  resolvedTimestamp(lastIssued: Timestamp): Timestamp {
    const commitTs = this.#pending[0]?.commitTs
    return commitTs === undefined ? lastIssued : commitTs - 1
  }

  /** A search, since a transaction may have very many rows. */
  #writesBetween(owner: Owner, from: string, to: string | undefined): boolean {
    owner.searched ??= new WrittenRows(owner.written)
    return owner.searched.isAnyHeld(from, to, (text) => this.#latches.get(text)?.owner === owner)
  }
}

/** A timestamp that is not taken yet will be larger than all that were issued before. */
function isVisibleAt({ commitTs }: LatchOwner, readTs: Timestamp): boolean {
  return commitTs !== undefined && commitTs <= readTs
}

function hexOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex')
}
