// SPDX-License-Identifier: Apache-2.0

import { BATCH_ROWS_MAX, runBatches } from '../transactions/own-transactions.ts'
import { BackgroundLoop } from '../transactions/protocol/background-loop.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { backfillBatch } from './observer-backfill.ts'
import type { ObserverDependencies } from './observer-parts.ts'

/**
 * Notifies observers, one after the other, of the rows of before that CREATE OBSERVER and REPLAY ask for. To be woken
 * when the catalog has changed.
 */
export function observerBackfiller(deps: ObserverDependencies): BackgroundLoop {
  const { catalog, log, lookMs, backfillRowsMax: rowsMax = BATCH_ROWS_MAX } = deps
  const backfillNext = async (transaction: Transaction, signal: AbortSignal) => {
    const observers = (await catalog(transaction)).observers()
    const found = observers.find(({ observer }) => !observer.isBackfilled)
    if (found === undefined) return false
    const step = await backfillBatch(deps, transaction, found, { rowsMax, signal })
    await transaction.commit()
    if (step === 'ended') {
      log.info({ observer: found.observer.name }, 'all older rows have been notified')
    }
    return true
  }
  return new BackgroundLoop(deps, {
    pass: async (signal) => {
      await runBatches(deps, { next: (transaction) => backfillNext(transaction, signal) }, signal)
      // Only a process that died leaves one behind that another has to find.
      return lookMs === undefined ? undefined : 5 * lookMs
    },
    failureMessage: 'the notifying of older rows was interrupted',
  })
}
