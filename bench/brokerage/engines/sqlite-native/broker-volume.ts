// SPDX-License-Identifier: Apache-2.0
import type { NativeRead } from './native-work.ts'

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

export const brokerVolume: NativeRead<'Broker-Volume'> = (statements, { brokers, sector }) =>
  statements.all(VOLUMES, JSON.stringify(brokers), sector)
