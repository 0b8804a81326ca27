// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { openEtcdCellStore } from '../../engines/etcd/etcd-engine.ts'
import { systemClock } from '../../storage/storage.ts'
import { silentLog } from '../../storage/storage-log.ts'
import { SharedOracle } from '../../storage/transactions/oracle/shared-oracle.ts'
import { DelayingProxy } from './delaying-proxy.ts'

/** With `STAMP_ROUND_TRIP_MS` waits are held to their bound too; a machine that runs other tests only counts. */
const { STAMP_ROUND_TRIP_MS } = process.env
const ROUND_TRIP_MS = Number(STAMP_ROUND_TRIP_MS ?? 100)
/** More of them where they are timed: the first ones of each gateway meet those of all others. */
const STAMPS_EACH = STAMP_ROUND_TRIP_MS === undefined ? 20 : 300
/** Some may be slower: another one has raised the counter to the clock just then, or this process did not get on. */
const QUICK_SHARE = 0.95

type Taken = { readonly stamp: number; readonly beganMs: number; readonly endedMs: number }

async function gateway(t: TestContext, member: string) {
  const cellStore = await openEtcdCellStore({
    ...{ members: [member], prefix: 'stamps/', user: undefined, tls: undefined },
  })
  t.after(() => cellStore.close())
  const oracle = await SharedOracle.open({ cellStore, clock: systemClock, log: silentLog })
  t.after(() => oracle.close())
  const sent = () => cellStore.requestsSent.get('Txn') ?? 0
  const sentBefore = sent()
  const take = async (): Promise<Taken[]> => {
    const taken: Taken[] = []
    for (let left = STAMPS_EACH; left > 0; left--) {
      const beganMs = performance.now()
      const { timestamp: stamp } = await oracle.next()
      taken.push({ stamp, beganMs, endedMs: performance.now() })
    }
    return taken
  }
  return { take, requests: () => sent() - sentBefore, oracle }
}

/** No timestamp twice, and each is larger than all that were known when it was asked for (A4). */
function requireOrder(taken: readonly Taken[]): void {
  const byEnd = taken.toSorted((a, b) => a.endedMs - b.endedMs)
  assert.equal(new Set(taken.map(({ stamp }) => stamp)).size, taken.length)
  let [largest, next] = [0, 0]
  for (const { stamp, beganMs } of taken.toSorted((a, b) => a.beganMs - b.beganMs)) {
    for (; (byEnd[next] as Taken).endedMs <= beganMs; next++) {
      largest = Math.max(largest, (byEnd[next] as Taken).stamp)
    }
    assert.ok(stamp > largest, `${stamp} was taken after ${largest}`)
  }
}

test('a timestamp is about one request, however many gateways take one at the same time', {
  skip: etcdSkipReason(),
}, async (t) => {
  for (const count of [1, 2, 4, 8]) {
    const cluster = await EtcdCluster.start(1)
    t.after(() => cluster.close())
    const proxy = await DelayingProxy.start(cluster.members[0] as string, ROUND_TRIP_MS)
    t.after(() => proxy.close())
    const gateways = await Promise.all(
      Array.from({ length: count }, () => gateway(t, proxy.address)),
    )
    // Raised while they all count: a fence has to get through.
    const fencing = delay(5 * ROUND_TRIP_MS).then(async () => {
      const beganMs = performance.now()
      const { oracle } = gateways[0] as (typeof gateways)[0]
      await oracle.raiseSchemaFence([1], oracle.lastSeen())
      return performance.now() - beganMs
    })
    const beganMs = performance.now()
    const taken = (await Promise.all(gateways.map(({ take }) => take()))).flat()
    const seconds = (performance.now() - beganMs) / 1_000
    requireOrder(taken)
    const requests = gateways.reduce((sum, one) => sum + one.requests(), 0)
    const waits = taken.map((one) => one.endedMs - one.beganMs).sort((a, b) => a - b)
    const share = (part: number) => waits[Math.ceil(part * waits.length) - 1] as number
    const fenceMs = await fencing
    const said = [
      `${count} gateways: ${(taken.length / seconds).toFixed(0)} increments a second`,
      `${(requests / taken.length).toFixed(2)} requests each`,
      `p50 ${share(0.5).toFixed(0)} ms, p95 ${share(0.95).toFixed(0)} ms, p99 ${share(0.99).toFixed(0)} ms`,
      `a fence ${fenceMs.toFixed(0)} ms`,
    ].join(', ')
    t.diagnostic(said)
    // Where each is compared with the revision known, 8 gateways need 10 requests for a timestamp.
    assert.ok(requests / taken.length < 2.5, said)
    if (STAMP_ROUND_TRIP_MS === undefined) continue
    assert.ok(share(QUICK_SHARE) < 3 * ROUND_TRIP_MS, said)
    assert.ok(fenceMs < 6 * ROUND_TRIP_MS, said)
  }
})
