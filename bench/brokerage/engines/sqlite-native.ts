// SPDX-License-Identifier: Apache-2.0
import type { Session } from '../engine.ts'
import {
  type InputOf,
  type NativeTransactions,
  type PerformedName,
  TRANSACTIONS,
  transact,
} from '../transactions/all-transactions.ts'
import { brokerVolume } from './sqlite-native/broker-volume.ts'
import { customerPosition } from './sqlite-native/customer-position.ts'
import { marketFeedEntry } from './sqlite-native/market-feed.ts'
import { marketWatch } from './sqlite-native/market-watch.ts'
import type { NativeRead, NativeWrite } from './sqlite-native/native-work.ts'
import { securityDetail } from './sqlite-native/security-detail.ts'
import { tradeLookup } from './sqlite-native/trade-lookup.ts'
import { tradeOrder } from './sqlite-native/trade-order.ts'
import { tradeResult } from './sqlite-native/trade-result.ts'
import { tradeStatus } from './sqlite-native/trade-status.ts'
import { tradeUpdate } from './sqlite-native/trade-update.ts'
import type { SqliteStatements } from './sqlite-statements.ts'

export function nativeTransactions(
  session: Pick<Session, 'begin'>,
  statements: SqliteStatements,
): NativeTransactions {
  const writes = <Name extends PerformedName>(name: Name, work: NativeWrite<Name>) => ({
    [name]: async (input: InputOf<Name>) =>
      await transact(session, TRANSACTIONS[name].options, (transaction) =>
        work(transaction, statements, input),
      ),
  })
  const reads = <Name extends PerformedName>(name: Name, work: NativeRead<Name>) =>
    writes(name, (transaction, _statements, input) => {
      const result = work(statements, input)
      return transaction.commit().then(() => result)
    })
  return {
    ...reads('Trade-Status', tradeStatus),
    ...reads('Market-Watch', marketWatch),
    ...reads('Security-Detail', securityDetail),
    ...reads('Customer-Position', customerPosition),
    ...writes('Trade-Order', tradeOrder),
    ...writes('Trade-Result', tradeResult),
    ...reads('Trade-Lookup', tradeLookup),
    ...reads('Broker-Volume', brokerVolume),
    ...writes('Trade-Update', tradeUpdate),
    ...writes('Market-Feed', marketFeedEntry),
  }
}
