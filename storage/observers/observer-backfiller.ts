// SPDX-License-Identifier: Apache-2.0

import { BATCH_ROWS_MAX, runBatches } from '../transaction/own-transactions.ts'
import { BackgroundLoop } from '../transaction/protocol/background-loop.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { backfillBatch } from './observer-backfill.ts'
import type { ObserverParts } from './observer-parts.ts'

/** Notifies observers, one after the other, of the rows of before that CREATE OBSERVER and REPLAY ask for. */
export class ObserverBackfiller {
  readonly #parts: ObserverParts
  readonly #loop: BackgroundLoop

  constructor(parts: ObserverParts) {
    this.#parts = parts
    this.#loop = new BackgroundLoop(parts, {
      pass: (signal) => this.#backfillAll(signal),
      failureMessage: 'the notifying of older rows was interrupted',
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks for work; to be called when the catalog has changed. */
  wake(): void {
    this.#loop.wake()
  }

  /** Ends after the batch that is under way. */
  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  async #backfillAll(signal: AbortSignal): Promise<number | undefined> {
    const next = (transaction: Transaction) => this.#backfillNext(transaction, signal)
    await runBatches(this.#parts, { next }, signal)
    return this.#parts.lookMs
  }

  async #backfillNext(transaction: Transaction, signal: AbortSignal): Promise<boolean> {
    const { catalog, log, backfillRowsMax: rowsMax = BATCH_ROWS_MAX } = this.#parts
    const observers = (await catalog(transaction)).observers()
    const found = observers.find(({ observer }) => !observer.isBackfilled)
    if (found === undefined) return false
    const step = await backfillBatch(this.#parts, transaction, found, { rowsMax, signal })
    await transaction.commit()
    if (step === 'ended') {
      log.info({ observer: found.observer.name }, 'all older rows have been notified')
    }
    return true
  }
}
