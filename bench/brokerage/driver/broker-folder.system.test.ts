// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { get, type Session, scan } from '../engine.ts'
import type { EngineName } from '../engines/engine-kinds.ts'
import { testOnEngine } from '../engines/engine-tests.ts'
import { identifier } from '../population/identifiers.ts'
import { brokerFold } from '../transactions/broker-fold.ts'
import { BrokerFolder } from './broker-folder.ts'

const BROKER = identifier(0)
const TRADES = 5

async function creditOf(session: Session) {
  const transaction = await session.begin({ readOnly: true })
  const [broker, deltas] = await transaction.read(
    get('broker', [BROKER], ['b_num_trades', 'b_comm_total']),
    scan('broker_delta', [], ['bd_t_id']),
  )
  await transaction.commit()
  assert.ok(broker !== undefined)
  return { trades: broker.b_num_trades, commission: broker.b_comm_total, left: deltas.length }
}

/** A trade that leaves its commission in the side table. */
async function leaveDelta(session: Session, trade: number): Promise<void> {
  const transaction = await session.begin({})
  transaction.insert('broker_delta', { bd_b_id: BROKER, bd_t_id: trade, bd_comm: 10, bd_dts: 0 })
  transaction.notify('broker', [BROKER])
  await transaction.commit()
}

for (const name of ['percolite-embedded', 'percolite-ws'] satisfies EngineName[]) {
  testOnEngine(name, 'its weak observer folds what trades leave, each once', async (engine) => {
    const session = await engine.connect()
    const folder = new BrokerFolder({
      fold: async (own, brokerId) => await brokerFold(await own.begin({}), { brokerId }),
      lend: async (work) => await work(session),
      now: () => 7,
    })
    const before = await creditOf(session)
    const observation = await engine.observe?.(
      'broker',
      (own, [brokerId]) => folder.fold(own, Number(brokerId)),
      assert.ifError,
    )
    assert.ok(observation !== undefined)
    for (let trade = 0; trade < TRADES; trade += 1) await leaveDelta(session, trade)
    let after = await creditOf(session)
    // What is read at once leaves no turn to an observer of the same process.
    for (; after.left > 0; after = await creditOf(session)) await delay(2)
    await observation.stop()
    const { trades, commission } = before
    assert.deepEqual(after, {
      trades: trades + TRADES,
      commission: commission + 10 * TRADES,
      left: 0,
    })
    const { rows, runs, lagP99 } = folder.takeFigures()
    assert.equal(rows, TRADES)
    assert.ok(runs >= 1 && runs <= TRADES)
    assert.equal(lagP99, 7)
  })
}
