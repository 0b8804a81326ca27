// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../storage/cell-store/cell.ts'
import type { Stamp, TimestampOracle } from '../storage/oracle/timestamp-oracle.ts'

/** An oracle of small numbers, so that a scenario can name the timestamps of its cells. */
export class CountingOracle implements TimestampOracle {
  #last: Timestamp
  safePoint = 0
  schemaFence = 0

  constructor(last: Timestamp) {
    this.#last = last
  }

  async next(): Promise<Stamp> {
    this.#last += 1
    return { timestamp: this.#last, safePoint: this.safePoint, schemaFence: this.schemaFence }
  }

  async currentSafePoint(): Promise<Timestamp> {
    return this.safePoint
  }

  lastSeen(): Timestamp {
    return this.#last
  }

  async raiseSafePoint(to: Timestamp): Promise<void> {
    this.safePoint = Math.max(this.safePoint, to)
  }

  async raiseSchemaFence(_schemaScopes: readonly number[], to: Timestamp): Promise<void> {
    this.schemaFence = Math.max(this.schemaFence, to)
  }

  async close(): Promise<void> {}
}
