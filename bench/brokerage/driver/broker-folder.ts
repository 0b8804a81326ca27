// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrokerFoldResult } from '../transactions/broker-fold.ts'

/** How often a broker is looked after whose trades have left something behind. */
const FOLD_MS = 1_000

export type FoldFigures = {
  readonly rows: number
  readonly runs: number
  /** Ages of the oldest row that each run found, in milliseconds. */
  readonly lagP50: number
  readonly lagP99: number
}

/** Folds the side table into the brokers' rows, one broker after the other, as the paper proposes. */
export class BrokerFolder {
  readonly #fold: (brokerId: number) => Promise<BrokerFoldResult | undefined>
  readonly #now: () => number
  readonly #waiting = new Set<number>()
  #ages: RecordableHistogram = createHistogram()
  #rows = 0
  #runs = 0

  constructor(
    fold: (brokerId: number) => Promise<BrokerFoldResult | undefined>,
    now: () => number,
  ) {
    this.#fold = fold
    this.#now = now
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

  /** Folds until nothing is left. */
  async finish(): Promise<void> {
    for (const brokerId of this.#waiting) {
      this.#waiting.delete(brokerId)
      const done = await this.#fold(brokerId)
      if (done?.oldest === undefined) continue
      this.#runs += 1
      this.#rows += done.folded
      this.#ages.record(Math.max(1, this.#now() - done.oldest))
      // There may be more than one transaction takes.
      this.#waiting.add(brokerId)
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
