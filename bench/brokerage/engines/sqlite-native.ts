// SPDX-License-Identifier: Apache-2.0
import type { Session, Transaction } from '../engine.ts'
import {
  type InputOf,
  type NativeTransactions,
  type PerformedName,
  type ResultOf,
  TRANSACTIONS,
  transact,
} from '../transactions/all-transactions.ts'
import { brokerVolume } from './sqlite-native/broker-volume.ts'
import { customerPosition } from './sqlite-native/customer-position.ts'
import { marketFeedEntry } from './sqlite-native/market-feed.ts'
import { marketWatch } from './sqlite-native/market-watch.ts'
import { securityDetail } from './sqlite-native/security-detail.ts'
import { tradeLookup } from './sqlite-native/trade-lookup.ts'
import { tradeOrder } from './sqlite-native/trade-order.ts'
import { tradeResult } from './sqlite-native/trade-result.ts'
import { tradeStatus } from './sqlite-native/trade-status.ts'
import { tradeUpdate } from './sqlite-native/trade-update.ts'
import type { SqliteStatements } from './sqlite-statements.ts'

// A transaction as SQLite would have it: what belongs together is read by one query with joins, and what
// is computed from it is computed here, which is where SQLite's callers compute.

/** `statements` work within the transaction. */
type NativeWork<Name extends PerformedName> = (
  transaction: Transaction,
  statements: SqliteStatements,
  input: InputOf<Name>,
) => Promise<ResultOf<Name>>

export function nativeTransactions(
  session: Pick<Session, 'begin'>,
  statements: SqliteStatements,
): NativeTransactions {
  const native = <Name extends PerformedName>(name: Name, work: NativeWork<Name>) => ({
    [name]: async (input: InputOf<Name>) =>
      await transact(session, TRANSACTIONS[name].options, (transaction) =>
        work(transaction, statements, input),
      ),
  })
  return {
    ...native('Trade-Status', tradeStatus),
    ...native('Market-Watch', marketWatch),
    ...native('Security-Detail', securityDetail),
    ...native('Customer-Position', customerPosition),
    ...native('Trade-Order', tradeOrder),
    ...native('Trade-Result', tradeResult),
    ...native('Trade-Lookup', tradeLookup),
    ...native('Broker-Volume', brokerVolume),
    ...native('Trade-Update', tradeUpdate),
    ...native('Market-Feed', marketFeedEntry),
  }
}
