// SPDX-License-Identifier: Apache-2.0
import { scan, type Transaction } from '../engine.ts'

export type BrokerFoldResult = {
  readonly folded: number
  /** When the oldest of them was written; undefined when there was none. */
  readonly oldest: number | undefined
}

export const DELTAS_MAX = 1_000

/**
 * Adds what the trades of a broker have left in the side table to the broker's row. A delta that is
 * committed after this transaction began is not seen, stays, and is folded the next time.
 */
export async function brokerFold(
  transaction: Transaction,
  { brokerId }: { readonly brokerId: number },
): Promise<BrokerFoldResult> {
  const [deltas] = await transaction.read(
    scan('broker_delta', [brokerId], ['bd_t_id', 'bd_comm', 'bd_dts'], { limit: DELTAS_MAX }),
  )
  if (deltas.length > 0) {
    const commission = deltas.reduce((sum, delta) => sum + delta.bd_comm, 0)
    transaction.update('broker', [brokerId], {
      add: { b_num_trades: deltas.length, b_comm_total: commission },
    })
    for (const { bd_t_id } of deltas) transaction.delete('broker_delta', [brokerId, bd_t_id])
  }
  await transaction.commit()
  const times = deltas.map((delta) => delta.bd_dts)
  return { folded: deltas.length, oldest: times.length === 0 ? undefined : Math.min(...times) }
}
