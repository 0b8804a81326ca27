// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { ServerProcess } from '../server/server-process.ts'

/** For how long etcd is stopped: `STOPPED_SECONDS=60` for the figures of `docs/testing.md`. */
const STOPPED_MS = Number(process.env.STOPPED_SECONDS ?? 8) * 1_000
const CLIENTS = 16
const TIMEOUT_MS = 1_000
/** Processors are shared with others here. */
const LATE_MS = 3_000
const LOOKS = ['/healthz', '/metrics', '/v1/status', '/v1/gateways', '/v1/running']

class Load {
  readonly acknowledged = new Set<number>()
  /** Said not to be there. */
  readonly refused = new Set<number>()
  readonly answers = new Map<string, number>()
  longestMs = 0
  longestLookMs = 0
  readonly #url: string
  #next = 0
  #isEnding = false

  constructor(url: string) {
    this.#url = url
  }

  end(): void {
    this.#isEnding = true
  }

  async query(sql: string): Promise<{ readonly code: string; readonly body: QueryBody }> {
    const body = JSON.stringify({ sql, timeoutMs: TIMEOUT_MS })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${this.#url}/v1/query`, { method: 'POST', body, headers })
    const read = (await answer.json()) as QueryBody
    return { code: answer.status === 200 ? 'ok' : String(read.code), body: read }
  }

  /** Inserts rows, reads them back, and begins transactions, one after the other. */
  async client(): Promise<void> {
    while (!this.#isEnding) {
      this.#next += 1
      const id = this.#next
      const { code } = await this.#counted(`INSERT INTO item (id) VALUES (${id})`)
      if (code === 'ok') this.acknowledged.add(id)
      else if (code !== 'commit_outcome_unknown') this.refused.add(id)
      await this.#counted(`GET * FROM item WHERE id = ${id}`)
      await this.#counted('BEGIN READ ONLY; COMMIT')
    }
  }

  /** Asks what must never wait. */
  async look(): Promise<void> {
    for (let at = 0; !this.#isEnding; at += 1) {
      const began = performance.now()
      const answer = await fetch(this.#url + LOOKS[at % LOOKS.length])
      await answer.text()
      assert.equal(answer.status, 200, answer.url)
      this.longestLookMs = Math.max(this.longestLookMs, performance.now() - began)
      await delay(20)
    }
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.#url}/readyz`)
    await answer.text()
    return answer.status === 200
  }

  async #counted(sql: string) {
    const began = performance.now()
    const answer = await this.query(sql)
    this.longestMs = Math.max(this.longestMs, performance.now() - began)
    this.answers.set(answer.code, (this.answers.get(answer.code) ?? 0) + 1)
    // As `Retry-After` asks, but sooner.
    if (answer.code !== 'ok') await delay(100)
    return answer
  }
}

type QueryBody = { readonly code?: string; readonly results: [{ readonly rows: { id: number }[] }] }

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
  const { body } = await load.query('SCAN id FROM item USE PRIMARY KEY LIMIT 100000')
  const there = new Set(body.results[0].rows.map(({ id }) => id))
  const shown = (ms: number) => `${Math.round(ms)} ms`
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(load.answers))}`)
  t.diagnostic(`longest wait: ${shown(load.longestMs)}; of ${LOOKS}: ${shown(load.longestLookMs)}`)
  t.diagnostic(
    `not ready after ${shown(unreadyMs)}; once it went on, ready after ${shown(readyMs)}`,
  )
  t.diagnostic(`${load.acknowledged.size} acknowledged, the next one after ${shown(writtenMs)}`)
  assert.deepEqual(
    [...load.acknowledged].filter((id) => !there.has(id)),
    [],
    'lost',
  )
  assert.deepEqual(
    [...load.refused].filter((id) => there.has(id)),
    [],
    'refused, and there',
  )
  const codes = new Set(load.answers.keys())
  // A statement that had begun may just have run for as long as it may.
  const known = ['ok', 'store_unavailable', 'commit_outcome_unknown', 'statement_timeout']
  for (const code of known) codes.delete(code)
  assert.deepEqual([...codes], [])
  assert.ok(load.longestLookMs < LATE_MS)
  // A commit is finished, whatever its statement may take: two calls at most.
  assert.ok(load.longestMs < 20_000 + LATE_MS)
  assert.ok(unreadyMs < 6_000 + LATE_MS)
})
