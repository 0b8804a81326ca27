// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../engine.ts'
import { type BrokerFoldResult, DELTAS_MAX } from '../transactions/broker-fold.ts'

/** How often a broker is looked after whose trades have left something behind. */
const FOLD_MS = 1_000

export type FoldFigures = {
  readonly rows: number
  readonly runs: number
  /** Ages of the oldest row that each run found, in milliseconds. */
  readonly lagP50: number
  readonly lagP99: number
}

export type BrokerFolderParts = {
  readonly fold: (session: Session, brokerId: number) => Promise<BrokerFoldResult | undefined>
  /** Lends a session for a piece of work. */
  readonly lend: (work: (session: Session) => Promise<void>) => Promise<void>
  readonly now: () => number
}

/**
 * Folds the side table into the brokers' rows, as the paper proposes: when an observer says so, or,
 * where there is none, once in a second one broker after the other.
 */
export class BrokerFolder {
  readonly #parts: BrokerFolderParts
  readonly #waiting = new Set<number>()
  #ages: RecordableHistogram = createHistogram()
  #rows = 0
  #runs = 0

  constructor(parts: BrokerFolderParts) {
    this.#parts = parts
  }

  /** Until nothing is left of the broker that was there when this began. */
  async fold(session: Session, brokerId: number): Promise<void> {
    const { fold, now, lend } = this.#parts
    const done = await fold(session, brokerId)
    if (done?.oldest === undefined) return
    this.#runs += 1
    this.#rows += done.folded
    this.#ages.record(Math.max(1, now() - done.oldest))
    // An observer's session is for one transaction that commits.
    if (done.folded === DELTAS_MAX) await lend((another) => this.fold(another, brokerId))
  }

  /** A trade of this broker has left a row. */
  wake(brokerId: number): void {
    this.#waiting.add(brokerId)
  }

  /** Once in a second, until the signal; what is left then is for `finish`. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.finish()
      await delay(FOLD_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Folds what is left of those that were waked. */
  async finish(): Promise<void> {
    for (const brokerId of this.#waiting) {
      this.#waiting.delete(brokerId)
      await this.#parts.lend((session) => this.fold(session, brokerId))
    }
  }

  /** Since the last call. */
  takeFigures(): FoldFigures {
    const [ages, rows, runs] = [this.#ages, this.#rows, this.#runs]
    this.#ages = createHistogram()
    this.#rows = 0
    this.#runs = 0
    const lag = (percentile: number) => (runs === 0 ? 0 : ages.percentile(percentile))
    return { rows, runs, lagP50: lag(50), lagP99: lag(99) }
  }
}
