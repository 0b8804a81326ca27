// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scan } from '../engine.ts'
import { NullEngine } from './null-engine.ts'

test('the engine without a database remembers the limit orders that wait, and no others', async () => {
  const session = await new NullEngine().connect()
  const order = (tr_t_id: number, tr_bid_price: number) => {
    const rest = { tr_tt_id: 'TLB', tr_s_symb: 'S', tr_qty: 100, tr_b_id: 1 }
    return { tr_t_id, tr_bid_price, ...rest }
  }
  const placing = await session.begin({})
  placing.insert('trade_request', order(1, 2_500))
  placing.insert('trade_request', order(2, 2_600))
  placing.insert('trade_history', { th_t_id: 1, th_st_id: 'PNDG', th_dts: 0 })
  await placing.commit()
  const triggeredAt = async (price: number) => {
    const transaction = await session.begin({ readOnly: true })
    const index = 'trade_request_security'
    const [rows] = await transaction.read(
      scan('trade_request', ['S', 'TLB'], ['tr_t_id'], { index, atLeast: price }),
    )
    return rows.map((row) => row.tr_t_id)
  }
  assert.deepEqual(await triggeredAt(2_550), [2])
  assert.deepEqual(await triggeredAt(2_500), [1, 2])
  const taking = await session.begin({})
  taking.delete('trade_request', [2])
  await taking.commit()
  assert.deepEqual(await triggeredAt(2_500), [1])
})
