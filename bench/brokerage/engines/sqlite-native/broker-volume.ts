// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../engine.ts'
import type { BrokerVolumeInput, BrokerVolumeResult } from '../../transactions/broker-volume.ts'
import type { SqliteStatements } from '../sqlite-statements.ts'

const VOLUMES = `
  SELECT b_name AS broker, sum(tr_qty * tr_bid_price) AS volume
    FROM json_each(+?) AS asked
    JOIN broker ON b_name = asked.value
    JOIN trade_request ON tr_b_id = b_id
    JOIN security ON s_symb = tr_s_symb
    JOIN company ON co_id = s_co_id
    JOIN industry ON in_id = co_in_id
    JOIN sector ON sc_id = in_sc_id
   WHERE sc_name = +?
   GROUP BY b_name
   ORDER BY volume DESC, b_name`

export async function brokerVolume(
  transaction: Transaction,
  statements: SqliteStatements,
  { brokers, sector }: BrokerVolumeInput,
): Promise<BrokerVolumeResult> {
  type Volume = BrokerVolumeResult[number]
  const volumes = statements.all<Volume>(VOLUMES, JSON.stringify(brokers), sector)
  await transaction.commit()
  return volumes
}
