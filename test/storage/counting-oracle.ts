// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import type {
  ReadStamp,
  Stamp,
  SynchronousOracle,
} from '../../storage/transactions/oracle/timestamp-oracle.ts'

/** An oracle of small numbers, so that a scenario can name the timestamps of its cells. */
export class CountingOracle implements SynchronousOracle {
  #last: Timestamp
  safePoint = 0
  schemaFence = 0
  /** Above it nothing is taken in a turn before `markRaised` has been waited for. */
  mark = Number.POSITIVE_INFINITY
  /** What raising the mark waits for. */
  raising: Promise<void> = Promise.resolve()

  constructor(last: Timestamp) {
    this.#last = last
  }

  /** Timestamps are the time. */
  readonly wallClock = { micros: () => this.#last, offsetMicros: 0 }

  /** So much is issued meanwhile. */
  leap(by: number): void {
    this.#last += by
  }

  async next(): Promise<Stamp> {
    this.#last += 1
    const { safePoint, schemaFence } = this
    return { timestamp: this.#last, safePoint, schemaFence }
  }

  take(): Timestamp | undefined {
    if (this.#last >= this.mark) return undefined
    this.#last += 1
    return this.#last
  }

  takeToRead(): ReadStamp | undefined {
    const timestamp = this.take()
    return timestamp === undefined ? undefined : { timestamp, safePoint: this.safePoint }
  }

  nextToRead(): Promise<ReadStamp> {
    return this.next()
  }

  async markRaised(): Promise<void> {
    await this.raising
    this.mark = Number.POSITIVE_INFINITY
  }

  known() {
    return { timestamp: this.#last, safePoint: this.safePoint }
  }

  async currentSafePoint(): Promise<Timestamp> {
    return this.safePoint
  }

  schemaFenceOf(): Timestamp {
    return this.schemaFence
  }

  lastSeen(): Timestamp {
    return this.#last
  }

  approximateNow(): Timestamp {
    return this.#last
  }

  async raiseSafePoint(to: Timestamp): Promise<void> {
    this.safePoint = Math.max(this.safePoint, to)
  }

  async raiseSchemaFence(schemaScopes: readonly number[], to: Timestamp): Promise<void> {
    this.fenceSchemas(schemaScopes, to)
  }

  fenceSchemas(_schemaScopes: readonly number[], to: Timestamp): void {
    this.schemaFence = Math.max(this.schemaFence, to)
  }

  async close(): Promise<void> {}
}
