// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonLines } from '../feed/json-lines.ts'
import type { AnswerBody } from '../server/test-server.ts'

const WAIT_MS = 20_000

/** The statements of Figure 4: 7 dollars from Bob to Joe. Bob's row comes first, so it is the primary. */
const TRANSFER = `SET balance = balance - 7 ON account WHERE id = 'bob';
  SET balance = balance + 7 ON account WHERE id = 'joe'`

type Answered = { readonly status: number; readonly body: AnswerBody }

/** Asks a server with the accounts of Figure 4. */
export class BankClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<Answered> {
    const answer = await fetch(this.#url + path)
    return { status: answer.status, body: await answer.json() }
  }

  async post(path: string, json?: unknown): Promise<Answered> {
    const headers = { 'content-type': 'application/json' }
    const sent = json === undefined ? {} : { body: JSON.stringify(json), headers }
    const answer = await fetch(this.#url + path, { method: 'POST', ...sent })
    return { status: answer.status, body: await answer.json() }
  }

  /** Returns the rows of the last statement. */
  async run(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody[]> {
    const { status, body } = await this.post('/v1/query', { sql, ...more })
    assert.ok(status < 300, `${sql}: ${JSON.stringify(body)}`)
    return body.results.at(-1).rows
  }

  transfer(): Promise<Answered> {
    return this.post('/v1/query', { sql: TRANSFER })
  }

  /** Begins a transaction over several requests that runs `sql`. Returns its path. */
  async begin(sql: string): Promise<string> {
    const { body } = await this.post('/v1/transactions', {})
    const path = `/v1/transactions/${body.transaction}`
    assert.equal((await this.post(`${path}/query`, { sql })).status, 200)
    return path
  }

  async balances(): Promise<readonly number[]> {
    const rows = await this.run('SCAN balance FROM account')
    return rows.map(({ balance }) => balance)
  }

  /** The cells of one account by family, as Figure 4 draws them. */
  async cells(id: string): Promise<AnswerBody> {
    return (await this.get(`/v1/tables/account/cells/${id}`)).body
  }

  /** How many locks, write records and rollback records an account has. */
  async counts(id: string): Promise<readonly [locks: number, writes: number, rollbacks: number]> {
    const { lock, write, rollback } = await this.cells(id)
    return [lock.length, write.length, rollback.length]
  }

  /** The first change that a subscriber is sent after `act`. */
  async changeAfter(act: () => Promise<unknown>): Promise<AnswerBody> {
    const path = `/v1/changes?${new URLSearchParams({ sql: 'SCAN * FROM account' })}`
    const { body } = await fetch(this.#url + path, { signal: AbortSignal.timeout(WAIT_MS) })
    assert.ok(body !== null)
    let acted: Promise<unknown> | undefined
    for await (const lines of jsonLines(body)) {
      acted ??= act()
      const found = lines.find(({ type }) => type === 'change')
      if (found === undefined) continue
      await acted
      return found
    }
    return assert.fail('the stream of changes ended')
  }
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const beganMs = performance.now(); !(await isSo()); await sleep(20)) {
    assert.ok(performance.now() - beganMs < WAIT_MS, `not within ${WAIT_MS} ms: ${what}`)
  }
}
