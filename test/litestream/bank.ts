// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { SeededRandomness } from '../seeded-randomness.ts'

const WRITERS = 8
const ACCOUNTS = 40
const OPENING = 1_000

/** A commit that was acknowledged. */
export type Acknowledged = {
  readonly id: string
  readonly atMs: number
  readonly timestamp: number
  readonly history: string
}

type Account = { readonly id: number; readonly balance: number }
type Transfer = {
  readonly id: string
  readonly sender: number
  readonly receiver: number
  readonly amount: number
}

/** Eight writers that move amounts between accounts over HTTP; each transfer is a row of its own as well. */
export class Bank {
  readonly url: string
  readonly #random: SeededRandomness
  readonly acknowledged: Acknowledged[] = []
  /** Their connection broke before the answer came. */
  readonly inDoubt = new Set<string>()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(url: string, random: SeededRandomness) {
    this.url = url
    this.#random = random
  }

  static async create(url: string): Promise<void> {
    const accounts = Array.from({ length: ACCOUNTS }, (_, id) => `(${id}, ${OPENING})`)
    await sent(url, [
      { sql: 'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)' },
    ])
    await sent(url, [
      {
        sql:
          'CREATE TABLE transfer (id TEXT PRIMARY KEY, sender INTEGER NOT NULL, receiver INTEGER NOT NULL, ' +
          'amount INTEGER NOT NULL, note TEXT)',
      },
    ])
    await sent(url, [{ sql: 'CREATE INDEX transferByAmount ON transfer (amount)' }])
    const insert = `INSERT INTO account (id, balance) VALUES ${accounts.join(', ')}`
    await sent(url, [{ sql: insert }])
  }

  /** Until the server is gone. `name` is that of this run. */
  write(name: string): void {
    const writers = Array.from({ length: WRITERS }, (_, number) => this.#run(`${name}-${number}`))
    this.#writing = Promise.all(writers)
  }

  async ended(): Promise<void> {
    await this.#writing
  }

  async #run(name: string): Promise<void> {
    for (let round = 0; ; round += 1) {
      const id = `${name}-${round}`
      this.inDoubt.add(id)
      const answer = await sent(this.url, this.#transfer(id)).catch(() => undefined)
      if (answer === undefined) return
      this.inDoubt.delete(id)
      if (answer.status !== 200) {
        assert.ok(answer.status === 409 || answer.status === 503, JSON.stringify(answer))
        continue
      }
      const { timestamp, history } = answer
      this.acknowledged.push({ id, atMs: performance.now(), timestamp, history })
    }
  }

  #transfer(id: string) {
    const random = this.#random
    const sender = random.below(ACCOUNTS)
    const receiver = (sender + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS
    const amount = random.below(50)
    // Some values are long enough to be stored apart from their row.
    const note = random.below(5) === 0 ? 'x'.repeat(3_000 + random.below(20_000)) : null
    return [
      {
        sql: 'SET balance = balance - :amount ON account WHERE id = :sender',
        params: { amount, sender },
      },
      {
        sql: 'SET balance = balance + :amount ON account WHERE id = :receiver',
        params: { amount, receiver },
      },
      {
        sql:
          'INSERT INTO transfer (id, sender, receiver, amount, note) ' +
          'VALUES (:id, :sender, :receiver, :amount, :note)',
        params: { id, sender, receiver, amount, note },
      },
    ]
  }
}

/**
 * The ids of the transfers that are there. Fails unless each of them is whole: every balance is what the transfers
 * make of it, and so the sum is what it was.
 */
export async function wholeTransfers(url: string): Promise<ReadonlySet<string>> {
  const accounts = await rowsOf<Account>(url, 'SCAN id, balance FROM account USE PRIMARY KEY')
  const scan = 'SCAN id, sender, receiver, amount FROM transfer USE PRIMARY KEY'
  const transfers = await rowsOf<Transfer>(url, scan)
  const expected = new Map(accounts.map(({ id }) => [id, OPENING]))
  for (const { sender, receiver, amount } of transfers) {
    expected.set(sender, (expected.get(sender) ?? 0) - amount)
    expected.set(receiver, (expected.get(receiver) ?? 0) + amount)
  }
  assert.deepEqual(new Map(accounts.map(({ id, balance }) => [id, balance])), expected)
  const sum = accounts.reduce((all, { balance }) => all + balance, 0)
  assert.equal(sum, ACCOUNTS * OPENING)
  return new Set(transfers.map(({ id }) => id))
}

/** All rows, as a stream. */
export async function rowsOf<Row>(url: string, sql: string): Promise<readonly Row[]> {
  const answer = await fetch(`${url}/v1/query?format=ndjson`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  })
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(answer.status, 200, JSON.stringify(lines[0]))
  assert.equal(lines.pop()?.end?.rows, lines.length, 'the stream has its end')
  return lines.map(({ row }) => row)
}

type Statement = { readonly sql: string; readonly params?: unknown }

/** One transaction; rejects where no answer came. */
export async function sent(url: string, statements: readonly Statement[]) {
  const answer = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(statements.length === 1 ? statements[0] : { statements }),
  })
  const body = (await answer.json()) as { commitTimestamp: number; code?: string }
  const history = answer.headers.get('percolite-history') ?? ''
  return { status: answer.status, timestamp: body.commitTimestamp, history, code: body.code }
}
