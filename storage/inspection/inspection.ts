// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { listLocks, type StandingLocks } from '../transaction/lock-list.ts'
import type { CommitPace, StoppedCommit } from '../transaction/percolator/commit-pace.ts'
import type { ProtocolContext } from '../transaction/protocol/protocol-context.ts'
import { inspectRows, type RowPart } from '../transaction/row-inspection.ts'

type InspectionParts = {
  readonly context: ProtocolContext
  readonly pace?: CommitPace | undefined
}

/** What lies below the rows, for those who look at it. Rejects with CellStoreError. */
export class Inspection {
  readonly #context: ProtocolContext
  readonly #pace: CommitPace | undefined

  constructor({ context, pace }: InspectionParts) {
    this.#context = context
    this.#pace = pace
  }

  /** Whether commits are slowed down, and so can be made to stand still. */
  get isPaced(): boolean {
    return this.#pace !== undefined
  }

  /**
   * Makes the commit of the transaction that began then stand still for good, as if its process had died; its outcome
   * is `unknown`. Undefined where there is none.
   */
  killCommit(startTs: Timestamp): StoppedCommit | undefined {
    return this.#pace?.kill(startTs)
  }

  /**
   * Every cell of some rows in every family, records decoded, in parts: the paper's Figure 4 of these rows, now.
   * Whatever had committed at `timestamp` is in it.
   */
  async rows(keys: readonly Uint8Array[]): Promise<{
    readonly timestamp: Timestamp
    readonly parts: AsyncGenerator<RowPart, void, undefined>
  }> {
    const { cellStore, oracle } = this.#context
    const { timestamp } = await oracle.nextToRead()
    return { timestamp, parts: inspectRows(cellStore, keys) }
  }

  /** The locks that stand now, in row order. */
  async locks(limit: number): Promise<StandingLocks> {
    return await listLocks(this.#context, limit)
  }
}
