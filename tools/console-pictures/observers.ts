// SPDX-License-Identifier: Apache-2.0
import {
  type DefinedObserver,
  defineObserver,
} from '../../server/live/observers/define-observer.ts'

/** What watches the brokerage on the pictures; the last one has nobody to run it. */
export const OBSERVER_STATEMENTS = [
  'CREATE OBSERVER count_trades ON trade (quantity)',
  'CREATE OBSERVER mail_customer ON trade (customer)',
  'CREATE WEAK OBSERVER fold_prices ON security (price)',
]

const WITHOUT_ADDRESS = 7

export const OBSERVERS: readonly DefinedObserver[] = [
  defineObserver({
    observer: 'count_trades',
    run: async (tx, { row }) => {
      await tx.query('GET cash FROM customer WHERE id = $1', [row?.customer ?? 1])
    },
  }),
  defineObserver({
    observer: 'mail_customer',
    run: async (_tx, { row }) => {
      if (row?.customer === WITHOUT_ADDRESS) throw new Error('550 no such mailbox')
    },
  }),
]
