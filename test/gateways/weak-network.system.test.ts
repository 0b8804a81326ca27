// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { ServerProcess } from '../server/server-process.ts'
import { Load } from './store-load.ts'
import { WeakNetwork, type Weakness } from './weak-network.ts'

const CLIENTS = 8
const READERS = 2
/** For how long the way is weak each time: longer than one call to the store may wait. */
const WEAK_MS = Number(process.env.WEAK_SECONDS ?? 12) * 1_000
const SLOW_MS = 2_000
/** Processors are shared with others here. */
const LATE_MS = 3_000
/** After the way is whole again. */
const RECOVERS_MS_MAX = 15_000

test('the way to etcd is slow, or cut in one direction: answers say so within their bound, and all goes on', {
  skip: etcdSkipReason(),
}, async (t) => {
  const cluster = await EtcdCluster.start(1)
  t.after(() => cluster.close())
  const network = await WeakNetwork.start(t, { target: `${cluster.members[0]}`, slowMs: SLOW_MS })
  const flags = ['--engine', 'etcd', '--etcd', network.address]
  const server = await ServerProcess.start(undefined, flags)
  t.after(() => server.killNine())
  const load = new Load(server.url)
  await load.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  // A list that was never answered is waited for.
  await fetch(`${server.url}/v1/gateways`)
  const clients = [
    ...Array.from({ length: CLIENTS }, () => load.client()),
    ...Array.from({ length: READERS }, () => load.reader()),
  ]
  const looking = load.look()
  await delay(1_000)

  const weaken = async (weakness: Weakness) => {
    load.answers.clear()
    const readiness = new Set<string>()
    network.become(weakness)
    for (
      const beganMs = performance.now();
      performance.now() - beganMs < WEAK_MS;
      await delay(50)
    ) {
      const said = await load.readiness()
      // Who comes now does not wait for a call that was under way at the cut.
      if (said === 'store_unavailable' && !readiness.has(said)) await load.read()
      readiness.add(said)
    }
    network.become('none')
    const wholeMs = performance.now()
    const acknowledged = load.acknowledged.size
    while (!(await load.isReady()) || load.acknowledged.size === acknowledged) {
      assert.ok(performance.now() - wholeMs < RECOVERS_MS_MAX, 'it goes on without a restart')
      await delay(20)
    }
    const recoveredMs = Math.round(performance.now() - wholeMs)
    const answers = Object.fromEntries(load.answers)
    t.diagnostic(
      `${weakness}: ${JSON.stringify(answers)}, /readyz ${[...readiness]}, goes on after ${recoveredMs} ms`,
    )
    return { answers, readiness }
  }

  const slow = await weaken('slow')
  assert.ok((slow.answers.store_unavailable ?? 0) > 0)
  for (const way of ['requests', 'answers'] as const) {
    const { answers, readiness } = await weaken(way)
    assert.ok((answers.store_unavailable ?? 0) > 0, way)
    assert.ok(readiness.has('store_unavailable'), '/readyz says that the store is away')
  }
  load.end()
  await Promise.all([...clients, looking])
  await load.check()
  t.diagnostic(
    `${load.acknowledged.size} acknowledged, ${load.refused.size} refused; longest wait ${Math.round(load.longestMs)} ms`,
  )
  assert.ok(load.longestLookMs < LATE_MS)
  // A commit is finished, whatever its statement may take: two calls at most.
  assert.ok(load.longestMs < 20_000 + LATE_MS)
})
