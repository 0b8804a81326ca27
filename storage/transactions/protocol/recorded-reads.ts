// SPDX-License-Identifier: Apache-2.0
import { keyAfter } from '../../cells/row-key.ts'
import { batchesOf, type MaybePromise } from '../../maybe-promise.ts'
import type { SnapshotRow } from '../records/version.ts'
import { ReadSet } from './read-set.ts'
import type { RowBatches } from './row-batches.ts'
import type { RowWanted, SnapshotRange, SnapshotReads } from './transaction-protocol.ts'

/**
 * Reads of a snapshot, with a note of each. Of a range that is not read to its end, what lies beyond the last row that
 * was handed out has decided nothing.
 */
export class RecordedReads implements SnapshotReads {
  readonly set = new ReadSet()
  readonly prefetch?: (wanted: readonly RowWanted[]) => Promise<void>
  readonly #snapshot: SnapshotReads

  constructor(snapshot: SnapshotReads) {
    this.#snapshot = snapshot
    if (snapshot.prefetch !== undefined) this.prefetch = snapshot.prefetch.bind(snapshot)
  }

  getRow(...read: Parameters<SnapshotReads['getRow']>): ReturnType<SnapshotReads['getRow']> {
    this.set.addKey(read[0], read[1])
    return this.#snapshot.getRow(...read)
  }

  getRows(...read: Parameters<SnapshotReads['getRows']>): ReturnType<SnapshotReads['getRows']> {
    for (const key of read[0]) this.set.addKey(key, read[1])
    return this.#snapshot.getRows(...read)
  }

  *scan(
    range: SnapshotRange,
  ): Generator<MaybePromise<readonly SnapshotRow[]>, void, undefined> & RowBatches {
    let count = 0
    let last: Uint8Array | undefined
    let isWhole = false
    const noted = (batch: readonly SnapshotRow[]) => {
      count += batch.length
      this.set.rows += batch.length
      last = batch.at(-1)?.key ?? last
      return batch
    }
    try {
      for (const next of batchesOf(this.#snapshot.scan(range))) {
        yield next instanceof Promise ? next.then(noted) : noted(next)
      }
      isWhole = range.limit === undefined || count < range.limit
    } finally {
      this.#note(range, isWhole ? undefined : last)
    }
  }

  /** Nothing was read yet where `last` is absent and the range was left: then all of it counts. */
  #note({ start, end, reverse, columns }: SnapshotRange, last: Uint8Array | undefined): void {
    const { set } = this
    if (last === undefined) set.add({ start, end, columns })
    else if (reverse === true) set.add({ start: last, end, columns })
    else set.add({ start, end: keyAfter(last), columns })
  }
}
