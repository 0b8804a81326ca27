// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { type CellStore, requireAnswers } from '../../cells/cell-store.ts'
import { readPlainRow, replacePlainRow, setPlain } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { hasRow } from '../../cells/row-pages.ts'
import { readFeedBegins } from '../../transactions/feed/feed-begins.ts'
import { NOTED_BEFORE_MAX, sharedLogRanges } from '../../transactions/feed/shared-log-row.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import { decodeStartTs, encodeStartTs } from '../../transactions/records/write-record.ts'

/**
 * How far collections of a store that processes share have come: the safe point up to which all has been collected, 0
 * while one deletes; a timestamp of when; and which gateway said so.
 *
 *     00 "gc/last"   1795705461084001 (8 bytes), 1795791861084001 (8 bytes), 5f3c… (16 bytes)
 */
export const MARK_ROW = systemRowKey('gc/last')
export const MARK_BYTES = 8 + 8 + 16

/** What the log does not note (rollback records, guards, answers that were kept) is looked for this often. */
const WHOLE_EVERY_MICROS = 24 * 3600 * 1_000_000

/** That a change of the store is in the log: a row that was written, or is being written. */
const NOTED = [{ family: 'write', newest: 1 }, { family: 'lock' }] as const

/** Spares gateways from walking a store in which nothing has become garbage since the last walk (G3). */
export class CollectionMark {
  readonly #cellStore: CellStore
  readonly #owner: Buffer

  constructor({ cellStore, liveness }: Pick<ProtocolContext, 'cellStore' | 'liveness'>) {
    this.#cellStore = cellStore
    this.#owner = Buffer.from(liveness.incarnation, 'hex')
  }

  /** To be awaited before anything is deleted: what notes it may go first. Rejects with CellStoreError. */
  async begin(): Promise<void> {
    const mutations = [setPlain(this.#value(0, 0))]
    requireAnswers(await this.#cellStore.mutateRows([{ row: MARK_ROW, mutations }]))
  }

  /** All has been collected, unless another collection has begun meanwhile. Rejects with CellStoreError. */
  async ended(safePoint: Timestamp, now: Timestamp): Promise<void> {
    const ended = this.#value(safePoint, now)
    await replacePlainRow(this.#cellStore, MARK_ROW, this.#value(0, 0), ended)
  }

  /**
   * Whether a collection at this safe point would find nothing: one has ended lately, and no commit is noted above the
   * safe point that it had. What was written later is no garbage yet. Rejects with CellStoreError.
   */
  async isUpToDate(safePoint: Timestamp, now: Timestamp): Promise<boolean> {
    const mark = await readPlainRow(this.#cellStore, MARK_ROW)
    if (mark === undefined) return false
    const [upTo, at] = [decodeStartTs(mark.subarray(0, 8)), decodeStartTs(mark.subarray(8, 16))]
    if (upTo === 0 || now - at > WHOLE_EVERY_MICROS) return false
    if (safePoint <= upTo) return true
    // A log that began later does not say.
    const begins = await readFeedBegins(this.#cellStore)
    if (begins === undefined || begins.at > upTo) return false
    // A commit after it may have been noted a little before.
    const ranges = sharedLogRanges(upTo - NOTED_BEFORE_MAX, safePoint)
    return !(await hasRow(this.#cellStore, ranges, NOTED))
  }

  #value(safePoint: Timestamp, at: Timestamp): Uint8Array {
    return Buffer.concat([encodeStartTs(safePoint), encodeStartTs(at), this.#owner])
  }
}
