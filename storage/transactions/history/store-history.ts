// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { StorageError } from '../../errors.ts'
import { intact } from '../../invariant.ts'
import { type EpochId, Epochs } from './epochs.ts'

/**
 * Timestamps that this history does not have, both ends excluded: a copy of the store was put back whose
 * last commit was at `after` or before it, and what it gives out since begins at `until`.
 */
export type HistoryGap = { readonly after: Timestamp; readonly until: Timestamp }

export type HistoryId = string

/**
 * What a client may say of a timestamp that it sends: the id of the history that gave it, and the epoch in which it
 * did: `5f3c….0006…`. Clients of earlier versions know the id alone.
 */
type HistoryName = string

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
 * without an id is judged by `from` and the gaps, and one with an epoch by that too. 0 lies before all commits of
 * every history.
 */
export class StoreHistory {
  readonly id: HistoryId
  /** The first timestamp that could be given out under this id; 0 for a store older than histories. */
  readonly from: Timestamp
  /** Ascending. Before the first gap lies what the store had when it was renewed for the first time. */
  readonly gaps: readonly HistoryGap[]
  /** How clients are told of it. */
  readonly name: HistoryName
  readonly #epochs: Epochs

  /** Throws on violations of H1. */
  constructor(
    id: HistoryId,
    from: Timestamp,
    gaps: readonly HistoryGap[],
    epochs = Epochs.decode(undefined),
  ) {
    let last = 0
    for (const { after, until } of gaps) {
      intact(last <= after && after < until, 'H1', { after, until, last })
      last = until
    }
    const isSound = ID.test(id) && Number.isSafeInteger(from) && from >= 0 && last <= from
    intact(isSound, 'H1', { id, from, lastGap: last })
    this.id = id
    this.from = from
    this.gaps = gaps
    this.#epochs = epochs
    this.name = epochs.current === undefined ? id : `${id}.${epochs.current}`
  }

  /** The same history, in these epochs. */
  within(epochs: Epochs): StoreHistory {
    return new StoreHistory(this.id, this.from, this.gaps, epochs)
  }

  /** Throws StorageError `history_replaced` where the client means another history, or an epoch that it has not. */
  requireName(given: HistoryName | undefined): void {
    if (given === undefined || given === this.name || given === this.id) return
    const { id, epoch } = partsOf(given)
    if (id === this.id && this.#epochs.endOf(epoch) !== undefined) return
    throw this.#replaced(`The request is about the history ${given}; this store's is ${this.name}.`)
  }

  /** Throws StorageError `history_replaced` for a timestamp that this history has not given out. */
  require(timestamp: Timestamp, given?: HistoryName): void {
    const gap = this.gaps.find(({ after, until }) => after < timestamp && timestamp < until)
    if (given !== undefined && given !== this.name && given !== this.id) {
      this.#requireNamed(timestamp, given, gap)
    }
    if (gap !== undefined) {
      const detail = `A copy of the store was put back that ends at ${gap.after}: what was at ${timestamp} is lost, and its history goes on at ${gap.until}.`
      throw this.#replaced(detail, timestamp, gap)
    }
    if (timestamp >= this.from || timestamp === 0 || this.gaps.length > 0) return
    const detail = `The timestamp ${timestamp} is from before this store was made; its first one is ${this.from}.`
    throw this.#replaced(detail, timestamp)
  }

  #requireNamed(timestamp: Timestamp, given: HistoryName, gap: HistoryGap | undefined): void {
    const { id, epoch } = partsOf(given)
    const end = id === this.id ? this.#epochs.endOf(epoch) : undefined
    if (end === undefined) {
      const detail = `The timestamp ${timestamp} is of the history ${given}; this store's is ${this.name}.`
      throw this.#replaced(detail, timestamp, gap)
    }
    if (timestamp <= end) return
    const detail = `A copy of the store was put back that has nothing of the epoch ${epoch} after ${end}: what was at ${timestamp} is lost.`
    throw this.#replaced(detail, timestamp, gap)
  }

  #replaced(detail: string, timestamp?: Timestamp, gap?: HistoryGap): StorageError {
    const { name: history, from } = this
    return new StorageError('history_replaced', detail, {
      history,
      from,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(gap === undefined ? {} : { gap }),
    })
  }
}

function partsOf(name: HistoryName): { readonly id: HistoryId; readonly epoch: EpochId } {
  const [id = '', epoch = ''] = name.split('.')
  return { id, epoch }
}
