// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { compareRowKeys, hasPrefix, systemRowKey } from '../../cells/row-key.ts'
import type { StoreReplication, StreamPosition } from '../../cells/store-replication.ts'
import { CATALOG_VERSION_KEY } from '../../tables/bytes/catalog-codec.ts'
import type { EmbeddedFeed } from '../../transactions/feed/embedded-feed.ts'
import { EPOCHS_ROW } from '../../transactions/history/epochs.ts'
import type { LatchTable } from '../../transactions/one-process/latches/latch-table.ts'
import type { StandbyOracle } from '../../transactions/oracle/standby-oracle.ts'
import type { ReplicationFrame } from './primary.ts'

const HISTORY_PREFIX = systemRowKey('history/')

type Dependencies = {
  readonly replication: StoreReplication
  readonly oracle: StandbyOracle
  readonly latches: LatchTable
  readonly feed: EmbeddedFeed
}

/** A frame as it came, its groups one after the other. */
export type ReceivedFrame = Pick<ReplicationFrame, 'visible' | 'newest' | 'safePoint' | 'last'> & {
  readonly groups: Buffer
}

/** A store that follows another: it reads, and what is written comes from there. */
export class Standby {
  readonly #deps: Dependencies
  readonly #replaced = Promise.withResolvers<void>()
  #last = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#last = deps.replication.position?.number ?? 0
  }

  /** What it has, durably. */
  get position(): StreamPosition | undefined {
    return this.#deps.replication.position
  }

  /** How many groups its primary had more when it was last heard of. */
  get groupsBehind(): number {
    return Math.max(0, this.#last - (this.position?.number ?? 0))
  }

  /** Every commit up to here is seen by its reads. */
  get visible(): Timestamp {
    return this.#deps.oracle.lastSeen()
  }

  /** Resolves when the store has another history or epoch, as of each start of a primary: it has to be opened again. */
  get historyReplaced(): Promise<void> {
    return this.#replaced.promise
  }

  /** Resolves when its reads see everything up to this timestamp. Rejects with the signal's reason. */
  async reached(timestamp: Timestamp, signal: AbortSignal): Promise<void> {
    await this.#deps.oracle.reached(timestamp, signal)
  }

  /**
   * Applies groups durably, all or none, and then lets reads see as much as is whole. In one turn, as the release of
   * the latches of one's own commit (J5): what memory has of the rows is dropped, and the timestamp raised. Rejects
   * with CellStoreError.
   */
  async apply({ groups, visible, newest, safePoint, last }: ReceivedFrame): Promise<void> {
    const { replication, oracle, latches, feed } = this.#deps
    this.#last = last
    oracle.passSafePoint(safePoint)
    const rows = groups.length === 0 ? [] : await replication.replay(groups)
    latches.writtenElsewhere(rows, newest)
    const catalog = rows.some((row) => compareRowKeys(row, CATALOG_VERSION_KEY) === 0)
    if (rows.some(isOfHistory)) this.#replaced.resolve()
    oracle.show(visible ?? 0, { catalogUpTo: catalog ? newest : undefined })
    feed.storeGrew()
  }
}

function isOfHistory(row: Uint8Array): boolean {
  return hasPrefix(row, HISTORY_PREFIX) || compareRowKeys(row, EPOCHS_ROW) === 0
}
