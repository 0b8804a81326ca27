// SPDX-License-Identifier: Apache-2.0
import type {
  InputOf,
  NativeTransactions,
  PerformedName,
} from '../transactions/all-transactions.ts'
import type { PercoliteAsking } from './percolite/percolite-requests.ts'
import { brokerVolume } from './percolite-native/broker-volume.ts'
import { customerPosition } from './percolite-native/customer-position.ts'
import { marketFeedEntry } from './percolite-native/market-feed.ts'
import { marketWatch } from './percolite-native/market-watch.ts'
import type { NativeWork } from './percolite-native/native-scripts.ts'
import { securityDetail } from './percolite-native/security-detail.ts'
import { tradeLookup } from './percolite-native/trade-lookup.ts'
import { tradeOrder } from './percolite-native/trade-order.ts'
import { tradeResult } from './percolite-native/trade-result.ts'
import { tradeStatus } from './percolite-native/trade-status.ts'
import { tradeUpdate } from './percolite-native/trade-update.ts'

/** @param requests Where those of a transaction that begins now are sent. */
export function nativeTransactions(requests: () => PercoliteAsking): NativeTransactions {
  const work = <Name extends PerformedName>(run: NativeWork<Name>) => {
    return (input: InputOf<Name>) => run(requests(), input)
  }
  return {
    'Trade-Status': work<'Trade-Status'>(tradeStatus),
    'Market-Watch': work<'Market-Watch'>(marketWatch),
    'Security-Detail': work<'Security-Detail'>(securityDetail),
    'Customer-Position': work<'Customer-Position'>(customerPosition),
    'Trade-Order': work<'Trade-Order'>(tradeOrder),
    'Trade-Result': work<'Trade-Result'>(tradeResult),
    'Trade-Lookup': work<'Trade-Lookup'>(tradeLookup),
    'Broker-Volume': work<'Broker-Volume'>(brokerVolume),
    'Trade-Update': work<'Trade-Update'>(tradeUpdate),
    'Market-Feed': work<'Market-Feed'>(marketFeedEntry),
  }
}
