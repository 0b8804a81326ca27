// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { StorageError } from '../errors.ts'
import { invariant } from '../invariant.ts'

/**
 * Timestamps that this history does not have, both ends excluded: a copy of the store was put back whose
 * last commit was at `after` or before it, and what it gives out since begins at `until`.
 */
export type HistoryGap = { readonly after: Timestamp; readonly until: Timestamp }

/** What a client may say of a timestamp that it sends: the id of the history that gave it. */
export type HistoryId = string

/** 128 random bits in hexadecimal. */
const ID = /^[0-9a-f]{32}$/

/**
 * The identity of a store: which timestamps are its own. Timestamps of two stores look alike, and those of a store that
 * was removed, or of what a restored copy has lost, would otherwise be taken for positions in this one, and a client
 * would keep rows for ever that were never written here.
 *
 *     store A   made at 100, id a      from 100                     own: 100 and later
 *     copied at 150; A goes on to 180
 *     the copy is put back, renewed    from 200, gap (150, 200)     own: 100 to 150, 200 and later
 *
 * A client that names the id of a history is believed only where it is this one. A timestamp that comes
 * without an id is judged by `from` and the gaps. 0 lies before all commits of every history.
 */
export class StoreHistory {
  readonly id: HistoryId
  /** The first timestamp that could be given out under this id; 0 for a store older than histories. */
  readonly from: Timestamp
  /** Ascending. Before the first gap lies what the store had when it was renewed for the first time. */
  readonly gaps: readonly HistoryGap[]

  /** Throws on violations of H1. */
  constructor(id: HistoryId, from: Timestamp, gaps: readonly HistoryGap[]) {
    let last = 0
    for (const { after, until } of gaps) {
      invariant(last <= after && after < until, 'H1', { after, until, last })
      last = until
    }
    const isSound = ID.test(id) && Number.isSafeInteger(from) && from >= 0 && last <= from
    invariant(isSound, 'H1', { id, from, lastGap: last })
    this.id = id
    this.from = from
    this.gaps = gaps
  }

  /** Throws StorageError `history_replaced` where the client means another history. */
  requireId(given: HistoryId | undefined): void {
    if (given === undefined || given === this.id) return
    throw this.#replaced(`The request is about the history ${given}; this store's is ${this.id}.`)
  }

  /** Throws StorageError `history_replaced` for a timestamp that this history has not given out. */
  require(timestamp: Timestamp, given?: HistoryId): void {
    const gap = this.gaps.find(({ after, until }) => after < timestamp && timestamp < until)
    if (given !== undefined && given !== this.id) {
      const detail = `The timestamp ${timestamp} is of the history ${given}; this store's is ${this.id}.`
      throw this.#replaced(detail, timestamp, gap)
    }
    if (gap !== undefined) {
      const detail = `A copy of the store was put back that ends at ${gap.after}: what was at ${timestamp} is lost, and its history goes on at ${gap.until}.`
      throw this.#replaced(detail, timestamp, gap)
    }
    if (timestamp >= this.from || timestamp === 0 || this.gaps.length > 0) return
    const detail = `The timestamp ${timestamp} is from before this store was made; its first one is ${this.from}.`
    throw this.#replaced(detail, timestamp)
  }

  #replaced(detail: string, timestamp?: Timestamp, gap?: HistoryGap): StorageError {
    const { id: history, from } = this
    return new StorageError('history_replaced', detail, {
      history,
      from,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(gap === undefined ? {} : { gap }),
    })
  }
}
