// SPDX-License-Identifier: Apache-2.0
import type {
  InputOf,
  NativeTransactions,
  PerformedName,
} from '../transactions/all-transactions.ts'
import type { PercoliteAsking } from './percolite/percolite-requests.ts'
import { marketFeedEntry } from './percolite-native/market-feed.ts'
import type { NativeWork } from './percolite-native/native-scripts.ts'
import { tradeResult } from './percolite-native/trade-result.ts'

/** @param requests Where those of a transaction that begins now are sent. */
export function nativeTransactions(requests: () => PercoliteAsking): NativeTransactions {
  const work = <Name extends PerformedName>(run: NativeWork<Name>) => {
    return (input: InputOf<Name>) => run(requests(), input)
  }
  return {
    'Trade-Result': work<'Trade-Result'>(tradeResult),
    'Market-Feed': work<'Market-Feed'>(marketFeedEntry),
  }
}
