// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { isEmbedded } from '../../cells/embedded-cell-store.ts'
import { listLocks, type StandingLocks } from '../lock-list.ts'
import type { CommitPace, StoppedCommit } from '../percolator/commit-pace.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { inspectRows, type RowPart, readRecords } from '../row-inspection.ts'
import { FollowedRows, type SeenStep } from './followed-rows.ts'
import { StepWatch } from './step-watch.ts'

type InspectionDependencies = {
  readonly context: ProtocolContext
  readonly pace?: CommitPace | undefined
}

/** Rows that are followed; `stop` has to be called in the end. */
type Followed = {
  readonly timestamp: Timestamp
  readonly parts: AsyncGenerator<RowPart, void, undefined>
  /** To be called when all parts have been read. */
  readonly release: () => void
  readonly stop: () => void
}

/** What lies below the rows, for those who look at it. Rejects with CellStoreError. */
export class Inspection {
  readonly #context: ProtocolContext
  readonly #pace: CommitPace | undefined
  readonly #watch: StepWatch

  constructor({ context, pace }: InspectionDependencies) {
    this.#context = context
    this.#pace = pace
    this.#watch = new StepWatch(context)
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

  /**
   * The same, and after them each mutation of these rows by this process, from that image on: none is left out in
   * between, and none comes twice. `told` is called once `release` was, and until `stop`; `leftOut` with the number of
   * mutations that could not be held until then. In a store that processes share a mutation that was
   * under way at the beginning may be missing.
   */
  async follow(
    keys: readonly Uint8Array[],
    listener: (step: SeenStep) => void,
    leftOut: (count: number) => void,
  ): Promise<Followed> {
    const rows = new FollowedRows(keys, listener, leftOut)
    const stop = () => {
      rows.stop()
      this.#watch.remove(keys, rows)
    }
    this.#watch.add(keys, rows)
    try {
      const { cellStore, oracle } = this.#context
      const [first] = keys
      // All that was sent to the engine before the watch began takes effect before this.
      if (first !== undefined && isEmbedded(cellStore)) {
        await cellStore.checkAndMutateRow(first, { when: [], ifMatched: [], otherwise: [] })
      }
      const { timestamp } = await oracle.nextToRead()
      rows.asked()
      const images = await readRecords(cellStore, keys)
      rows.answered()
      await rows.decide(images)
      const parts = partsWithoutLater(inspectRows(cellStore, keys, images), rows)
      return { timestamp, parts, release: () => rows.release(), stop }
    } catch (error) {
      stop()
      throw error
    }
  }

  /** The locks that stand now, in row order. */
  async locks(limit: number): Promise<StandingLocks> {
    return await listLocks(this.#context, limit)
  }
}

async function* partsWithoutLater(
  parts: AsyncGenerator<RowPart, void, undefined>,
  rows: FollowedRows,
): AsyncGenerator<RowPart, void, undefined> {
  for await (const part of parts) yield rows.withoutLater(part)
}
