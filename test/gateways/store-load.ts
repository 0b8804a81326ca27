// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

const TIMEOUT_MS = 1_000
const LOOKS = ['/healthz', '/metrics', '/v1/status', '/v1/gateways', '/v1/running']

// A statement that had begun may just have run for as long as it may.
const KNOWN: ReadonlySet<string> = new Set([
  ...['ok', 'store_unavailable', 'commit_outcome_unknown', 'statement_timeout'],
])

/** Clients of one gateway, and what they were answered. */
export class Load {
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

  /** Only reads: a commit that has begun is finished first, however long that takes. */
  async reader(): Promise<void> {
    while (!this.#isEnding) await this.read()
  }

  async read(): Promise<void> {
    await this.#counted(`GET * FROM item WHERE id = ${this.#next}`)
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
    return (await this.readiness()) === 'ready'
  }

  /** The code of the problem where it is not `ready`. */
  async readiness(): Promise<string> {
    const answer = await fetch(`${this.#url}/readyz`)
    const { status, code = status } = (await answer.json()) as { status: string; code?: string }
    return code
  }

  /** Ends, and compares what is there with what was answered. Rejects where they differ. */
  async check(): Promise<void> {
    const { body } = await this.query('SCAN id FROM item USE PRIMARY KEY LIMIT 100000')
    const there = new Set(body.results[0].rows.map(({ id }) => id))
    assert.deepEqual(
      [...this.acknowledged].filter((id) => !there.has(id)),
      [],
      'lost',
    )
    assert.deepEqual(
      [...this.refused].filter((id) => there.has(id)),
      [],
      'refused, and there',
    )
    assert.deepEqual(
      [...this.answers.keys()].filter((code) => !KNOWN.has(code)),
      [],
    )
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
