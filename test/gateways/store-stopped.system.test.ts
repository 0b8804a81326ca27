// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { ServerProcess } from '../server/server-process.ts'
import { Load } from './store-load.ts'

/** For how long etcd is stopped: `STOPPED_SECONDS=60` for the figures of `docs/testing.md`. */
const STOPPED_MS = Number(process.env.STOPPED_SECONDS ?? 8) * 1_000
const CLIENTS = 16
/** Processors are shared with others here. */
const LATE_MS = 3_000

test('etcd is stopped under load and goes on: every answer says what became of it, and nothing is lost', {
  skip: etcdSkipReason(),
}, async (t) => {
  const cluster = await EtcdCluster.start(1)
  const [etcd] = cluster.processIds()
  t.after(async () => {
    process.kill(etcd as number, 'SIGCONT')
    await cluster.close()
  })
  const [member] = cluster.members
  const server = await ServerProcess.start(undefined, ['--engine', 'etcd', '--etcd', `${member}`])
  t.after(() => server.stop())
  const load = new Load(server.url)
  await load.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  // A list that was never answered is waited for.
  await fetch(`${server.url}/v1/gateways`)
  const clients = Array.from({ length: CLIENTS }, () => load.client())
  const looking = load.look()
  await delay(2_000)
  process.kill(etcd as number, 'SIGSTOP')
  const stopped = performance.now()
  while (await load.isReady()) await delay(50)
  const unreadyMs = performance.now() - stopped
  await delay(STOPPED_MS - unreadyMs)
  const before = load.acknowledged.size
  process.kill(etcd as number, 'SIGCONT')
  const continued = performance.now()
  while (!(await load.isReady())) await delay(20)
  const readyMs = performance.now() - continued
  while (load.acknowledged.size === before) await delay(20)
  const writtenMs = performance.now() - continued
  await delay(2_000)
  load.end()
  await Promise.all([...clients, looking])
  const shown = (ms: number) => `${Math.round(ms)} ms`
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(load.answers))}`)
  t.diagnostic(
    `longest wait: ${shown(load.longestMs)}; of what never waits: ${shown(load.longestLookMs)}`,
  )
  t.diagnostic(
    `not ready after ${shown(unreadyMs)}; once it went on, ready after ${shown(readyMs)}`,
  )
  t.diagnostic(`${load.acknowledged.size} acknowledged, the next one after ${shown(writtenMs)}`)
  await load.check()
  assert.ok(load.longestLookMs < LATE_MS)
  // A commit is finished, whatever its statement may take: two calls at most.
  assert.ok(load.longestMs < 20_000 + LATE_MS)
  assert.ok(unreadyMs < 6_000 + LATE_MS)
})
