// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { freePorts } from '../../bench/servers/child-server.ts'
import { connect, type Database } from '../../client-sdk/client.ts'
import { ServerProcess } from '../server/server-process.ts'
import { writeCertificate } from '../server/test-certificate.ts'
import { testFolder } from '../test-folder.ts'
import { type BalancerName, balancerSkipReason, startBalancer } from './balancer.ts'

// One for both: of two with the same name TLS would take the first.
const certificate = await writeCertificate(await testFolder({ after }, 'certificate'))
tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.pem])

const GATEWAYS = 3
const CLIENTS = 6
const DRAIN_MS = 3_000

/** Gateways at ports that stay theirs over a restart. */
class Gateways {
  readonly #flags: readonly string[]
  #ports: readonly number[] = []
  readonly #running: ServerProcess[] = []

  constructor(flags: readonly string[]) {
    this.#flags = flags
  }

  async start(ports: readonly number[]): Promise<void> {
    this.#ports = ports
    for (const at of ports.keys()) this.#running.push(await this.#start(at))
  }

  get hosts(): readonly string[] {
    return this.#ports.map((port) => `127.0.0.1:${port}`)
  }

  /** Resolves to how long it was away. */
  async restart(at: number): Promise<number> {
    assert.equal(await this.#running[at]?.stop(), 0)
    const beganMs = performance.now()
    this.#running[at] = await this.#start(at)
    return performance.now() - beganMs
  }

  /** Of all that run, by what became of them. */
  async forwarded(): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (const { url } of this.#running) {
      const text = await (await fetch(`${url}/metrics`)).text()
      const lines = text.matchAll(/^percolite_forwarded_requests_total\{outcome="(\w+)"\} (\d+)/gm)
      for (const [, name = '', count] of lines) {
        counts.set(name, (counts.get(name) ?? 0) + Number(count))
      }
    }
    return counts
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((gateway) => gateway.stop()))
  }

  #start(at: number): Promise<ServerProcess> {
    const own = ['--port', String(this.#ports[at]), '--drain', `${DRAIN_MS}ms`]
    return ServerProcess.start(undefined, [...this.#flags, ...own])
  }
}

async function scene(t: TestContext, name: BalancerName) {
  const ends: Array<() => Promise<unknown>> = []
  // The last one first: gateways that stop wait for their store.
  t.after(async () => {
    for (const end of ends.reverse()) await end()
  })
  const folder = await testFolder(t, 'balancer')
  const cluster = await EtcdCluster.start(1)
  ends.push(() => cluster.close())
  const gateways = new Gateways(['--engine', 'etcd', '--etcd', `${cluster.members[0]}`])
  ends.push(() => gateways.close())
  await gateways.start(await freePorts(GATEWAYS))
  const balancer = await startBalancer(name, { folder, certificate, gateways: gateways.hosts })
  ends.push(() => balancer.close())
  return { gateways, url: balancer.url }
}

function client(t: TestContext, url: string) {
  const requests = { count: 0 }
  const counting: typeof fetch = (...call) => {
    requests.count += 1
    return fetch(...call)
  }
  const db = connect({ url, fetch: counting })
  t.after(() => db.close())
  return { db, requests }
}

/** Increments a row of its own, and reads it, until `isEnding` says so. */
async function work(db: Database, id: number, isEnding: () => boolean) {
  const seen = {
    committed: 0,
    retried: new Map<string, number>(),
    failed: [] as string[],
    longestMs: 0,
  }
  while (!isEnding()) {
    const beganMs = performance.now()
    try {
      await db.transaction(
        async (tx) => {
          const { rows } = await tx.query<{ n: number }>('GET n FROM item WHERE id = $1', [id])
          await tx.query('SET n = $2 ON item WHERE id = $1', [id, (rows[0]?.n ?? 0) + 1])
        },
        { onRetry: ({ code }) => seen.retried.set(code, (seen.retried.get(code) ?? 0) + 1) },
      )
      seen.committed += 1
    } catch (error) {
      seen.failed.push(String(error))
    }
    seen.longestMs = Math.max(seen.longestMs, performance.now() - beganMs)
  }
  return seen
}

/** Follows all rows; `wrong` has each change that is not the next one of its row. */
function watch(db: Database, signal: AbortSignal) {
  const seen = {
    commits: [] as number[],
    hasSnapshot: false,
    newest: new Map<number, number>(),
    wrong: [] as string[],
    reconnects: 0,
    ended: Promise.resolve(),
  }
  const follow = async () => {
    const onReconnect = () => {
      seen.reconnects += 1
    }
    const events = db.subscribe<Item>('SCAN * FROM item USE PRIMARY KEY', undefined, {
      signal,
      onReconnect,
    })
    for await (const event of events) {
      if (event.kind === 'snapshot') seen.hasSnapshot = true
      // A client may have committed before the subscription began. A later snapshot would hide what was missed.
      if (event.kind === 'rows' && !seen.hasSnapshot) {
        for (const { row } of event.rows) seen.newest.set(row.id, row.n)
      }
      if (event.kind !== 'commit') continue
      seen.commits.push(event.timestamp)
      for (const { row } of event.changes) {
        const { id, n } = row as Item
        const before = seen.newest.get(id) ?? 0
        if (n !== before + 1) seen.wrong.push(`row ${id}: ${n} after ${before}`)
        seen.newest.set(id, n)
      }
    }
  }
  seen.ended = follow().catch((error) => {
    if (!signal.aborted) seen.wrong.push(String(error))
  })
  return seen
}

type Item = { readonly id: number; readonly n: number }

/** BEGIN, two statements and COMMIT are a request each, wherever they land. */
async function assertFourRequests(
  t: TestContext,
  {
    gateways,
    db,
    requests,
  }: { readonly gateways: Gateways; readonly db: Database; readonly requests: { count: number } },
): Promise<void> {
  requests.count = 0
  for (let run = 0; run < 10; run += 1) {
    await db.transaction(async (tx) => {
      await tx.query('GET * FROM item WHERE id = 1')
      await tx.query('SET n = n + 0 ON item WHERE id = 1')
    })
  }
  const handedOn = (await gateways.forwarded()).get('answered') ?? 0
  t.diagnostic(`${requests.count} requests of 10 transactions, ${handedOn} of them handed on`)
  assert.equal(requests.count, 40)
  assert.ok(handedOn > 0, 'some landed elsewhere')
}

test('behind haproxy with TLS one gateway after the other is restarted, and no client notices', {
  skip: etcdSkipReason() || balancerSkipReason('haproxy'),
}, async (t) => {
  const { gateways, url } = await scene(t, 'haproxy')
  const { db, requests } = client(t, url)
  await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  for (let id = 1; id <= CLIENTS; id += 1)
    await db.query('INSERT INTO item (id, n) VALUES ($1, 0)', [id])

  await assertFourRequests(t, { gateways, db, requests })
  let isEnding = false
  const leaving = new AbortController()
  const watched = watch(client(t, url).db, leaving.signal)
  const working = Array.from({ length: CLIENTS }, (_, at) =>
    work(client(t, url).db, at + 1, () => isEnding),
  )
  for (let at = 0; at < GATEWAYS; at += 1) {
    await delay(1_000)
    const awayMs = await gateways.restart(at)
    t.diagnostic(`gateway ${at + 1} was away for ${Math.round(awayMs)} ms`)
  }
  await delay(2_000)
  isEnding = true
  const seen = await Promise.all(working)
  const sum = (of: (one: (typeof seen)[number]) => number) =>
    seen.reduce((all, one) => all + of(one), 0)
  const retried: Record<string, number> = {}
  for (const one of seen) {
    for (const [code, count] of one.retried) retried[code] = (retried[code] ?? 0) + count
  }
  const longest = Math.max(...seen.map(({ longestMs }) => longestMs))
  t.diagnostic(
    `${sum(({ committed }) => committed)} committed, run again: ${JSON.stringify(retried)}`,
  )
  const forwarded = JSON.stringify([...(await gateways.forwarded())])
  t.diagnostic(`the longest took ${Math.round(longest)} ms; handed on since: ${forwarded}`)
  assert.deepEqual(
    seen.flatMap(({ failed }) => failed),
    [],
  )
  const { rows } = await db.query<Item>('SCAN * FROM item USE PRIMARY KEY')
  assert.deepEqual(
    rows.map(({ n }) => n),
    seen.map(({ committed }) => committed),
    'none is lost, and none done twice',
  )
  const newest = () => rows.every(({ id, n }) => (watched.newest.get(id) ?? 0) === n)
  for (let waits = 0; !newest() && waits < 600; waits += 1) await delay(100)
  leaving.abort()
  await watched.ended
  t.diagnostic(
    `a subscriber was told ${watched.commits.length} commits, and reconnected ${watched.reconnects} times`,
  )
  assert.deepEqual(watched.newest, new Map(rows.map(({ id, n }) => [id, n])))
  assert.deepEqual(watched.wrong, [], 'each commit is told once, in order')
  assert.ok(watched.reconnects > 0)
})
/** It does not ask gateways how they are, so clients notice when one is restarted: deploy/nginx.conf says so. */
test('behind nginx with TLS a transaction is four requests, and a subscriber is told all', {
  skip: etcdSkipReason() || balancerSkipReason('nginx'),
}, async (t) => {
  const { gateways, url } = await scene(t, 'nginx')
  const { db, requests } = client(t, url)
  await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  await db.query('INSERT INTO item (id, n) VALUES (1, 0)')
  await assertFourRequests(t, { gateways, db, requests })
  const leaving = new AbortController()
  const watched = watch(client(t, url).db, leaving.signal)
  await delay(1_000)
  for (let n = 1; n <= 20; n += 1) await db.query('SET n = $1 ON item WHERE id = 1', [n])
  for (let waits = 0; watched.newest.get(1) !== 20 && waits < 300; waits += 1) await delay(100)
  leaving.abort()
  await watched.ended
  assert.deepEqual(watched.wrong, [], 'each commit is told once, in order')
  assert.equal(watched.newest.get(1), 20)
})
