// SPDX-License-Identifier: Apache-2.0
import { type BeginOptions, type Session, type Transaction, TransactionAborted } from '../engine.ts'
import { brokerVolume } from './broker-volume.ts'
import { customerPosition } from './customer-position.ts'
import { marketFeedEntry } from './market-feed.ts'
import { marketWatch } from './market-watch.ts'
import { securityDetail } from './security-detail.ts'
import { tradeLookup } from './trade-lookup.ts'
import { tradeOrder } from './trade-order.ts'
import { tradeResult } from './trade-result.ts'
import { tradeStatus } from './trade-status.ts'
import { tradeUpdate } from './trade-update.ts'

const READS: BeginOptions = { readOnly: true }
const WRITES: BeginOptions = {}

/** Every transaction as the one text that runs on each engine; of a Market-Feed one of its twenty. */
const TRANSACTIONS = {
  'Trade-Status': { options: READS, run: tradeStatus },
  'Market-Watch': { options: READS, run: marketWatch },
  'Security-Detail': { options: READS, run: securityDetail },
  'Customer-Position': { options: READS, run: customerPosition },
  'Trade-Order': { options: { insertsOnly: true }, run: tradeOrder },
  'Trade-Result': { options: WRITES, run: tradeResult },
  'Trade-Lookup': { options: READS, run: tradeLookup },
  'Broker-Volume': { options: READS, run: brokerVolume },
  'Trade-Update': { options: WRITES, run: tradeUpdate },
  'Market-Feed': { options: WRITES, run: marketFeedEntry },
} as const satisfies Readonly<Record<string, AnyTransaction>>

type AnyTransaction = {
  readonly options: BeginOptions
  readonly run: (transaction: Transaction, input: never) => Promise<unknown>
}

type Transactions = typeof TRANSACTIONS
export type PerformedName = keyof Transactions
export type InputOf<Name extends PerformedName> = Parameters<Transactions[Name]['run']>[1]
export type ResultOf<Name extends PerformedName> = Awaited<ReturnType<Transactions[Name]['run']>>

/** One transaction from its beginning to its commit; it is over in any case afterwards. */
export async function perform<Name extends PerformedName>(
  session: Pick<Session, 'begin'>,
  name: Name,
  input: InputOf<Name>,
): Promise<ResultOf<Name>> {
  const { options, run }: AnyTransaction = TRANSACTIONS[name]
  const transaction = await session.begin(options)
  try {
    return (await run(transaction, input as never)) as ResultOf<Name>
  } catch (error) {
    // Left open it would keep others waiting, where there is one writer. What fails here is over already.
    if (!(error instanceof TransactionAborted)) await transaction.rollback().catch(() => {})
    throw error
  }
}
