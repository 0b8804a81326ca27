// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type Database, PercoliteError } from '../client-sdk/client.ts'
import type { SeededRandomness } from './seeded-randomness.ts'

export const ACCOUNTS = 40
export const OPENING = 1_000

/** What every answer allows to be said of a row of `transfer` afterwards. */
export type Expectation = 'present' | 'absent' | 'either'

/** What the clients were told, to be compared with what is there after the process was killed. */
export class Ledger {
  readonly rows = new Map<string, Expectation>()
  /** Transactions over several requests whose commit got no answer, with the row each inserts. */
  readonly inDoubt = new Map<string, string>()
  acknowledged = 0
  withoutAnswer = 0

  /** The answer said so. */
  acknowledge(id: string, told: Expectation): void {
    this.rows.set(id, told)
    this.acknowledged += 1
  }
}

/** The connection broke: the server was killed, and the client ends. */
class Killed extends Error {}

export class Client {
  readonly #db: Database
  readonly #url: string
  readonly #name: string
  readonly #random: SeededRandomness
  readonly #ledger: Ledger

  constructor(
    at: { readonly db: Database; readonly url: string },
    own: {
      readonly name: string
      readonly random: SeededRandomness
      readonly ledger: Ledger
    },
  ) {
    this.#db = at.db
    this.#url = at.url
    this.#name = own.name
    this.#random = own.random
    this.#ledger = own.ledger
  }

  async runUntilKilled(): Promise<void> {
    const inserted: string[] = []
    try {
      for (let round = 0; ; round += 1) {
        const id = `${this.#name}-${round}`
        const choice = this.#random.below(10)
        const victim = inserted.at(-1)
        if (choice < 2 && victim !== undefined) {
          await this.#delete(victim)
          inserted.pop()
        } else {
          if (choice < 5) await this.#insertInteractively(id)
          else await this.#insert(id)
          if (this.#ledger.rows.get(id) === 'present') inserted.push(id)
        }
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }

  /** One request: all of it or nothing. */
  async #insert(id: string): Promise<void> {
    try {
      await this.#db.execute(transferOf(id, this.#random))
      this.#ledger.acknowledge(id, 'present')
    } catch (error) {
      this.#notAcknowledged(error, id, 'absent')
    }
  }

  async #delete(id: string): Promise<void> {
    try {
      await this.#db.query('DELETE FROM transfer WHERE id = :id', { id })
      this.#ledger.acknowledge(id, 'absent')
    } catch (error) {
      this.#notAcknowledged(error, id, 'present')
    }
  }

  #notAcknowledged(error: unknown, id: string, refused: Expectation): void {
    if (!(error instanceof PercoliteError)) throw error
    if (error.code === 'connection_failed') {
      this.#ledger.rows.set(id, 'either')
      this.#ledger.withoutAnswer += 1
      throw new Killed()
    }
    assert.ok(error.retryable, `${error.code}: ${error.message}`)
    this.#ledger.rows.set(id, refused)
  }

  /** Several requests: begin, statements, commit; what became of it can be asked for later. */
  async #insertInteractively(id: string): Promise<void> {
    const begun = await this.#post('/v1/transactions', {})
    const transaction = String(begun.body.transaction)
    const path = `/v1/transactions/${transaction}`
    this.#ledger.rows.set(id, 'absent')
    const written = await this.#post(`${path}/query`, { statements: transferOf(id, this.#random) })
    if (!written.ok) return void (await this.#send('DELETE', path))
    // From here on it may be committed.
    this.#ledger.rows.set(id, 'either')
    this.#ledger.inDoubt.set(transaction, id)
    const committed = await this.#post(`${path}/commit`, undefined)
    this.#ledger.inDoubt.delete(transaction)
    if (committed.ok) this.#ledger.acknowledge(id, 'present')
    else this.#ledger.rows.set(id, 'absent')
  }

  #post(path: string, body: unknown) {
    return this.#send('POST', path, body)
  }

  async #send(method: string, path: string, body?: unknown) {
    let status: number
    let text: string
    try {
      const json = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: json }
      const answer = await fetch(this.#url + path, { method, ...sent })
      status = answer.status
      text = await answer.text()
    } catch {
      throw new Killed()
    }
    assert.ok(status < 300 || status === 409 || status === 503, `${path}: ${status} ${text}`)
    return { ok: status < 300, body: text === '' ? {} : JSON.parse(text) }
  }
}

function transferOf(id: string, random: SeededRandomness) {
  const from = random.below(ACCOUNTS)
  const to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS
  const amount = random.below(50)
  // Some values are long enough to have a cell of their own.
  const note = random.below(3) === 0 ? 'x'.repeat(300 + random.below(2_000)) : null
  return [
    {
      sql: 'SET balance = balance - :amount ON account WHERE id = :from',
      params: { amount, from: account(from) },
    },
    {
      sql: 'SET balance = balance + :amount ON account WHERE id = :to',
      params: { amount, to: account(to) },
    },
    {
      sql: 'INSERT INTO transfer (id, amount, note) VALUES (:id, :amount, :note)',
      params: { id, amount, note },
    },
  ]
}

export const account = (number: number) => `account-${number}`

export async function createTables(db: Database): Promise<void> {
  await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await db.query('CREATE TABLE transfer (id TEXT PRIMARY KEY, amount INTEGER NOT NULL, note TEXT)')
  await db.execute(
    Array.from({ length: ACCOUNTS }, (_, number) => ({
      sql: 'INSERT INTO account (id, balance) VALUES (:id, :balance)',
      params: { id: account(number), balance: OPENING },
    })),
  )
}
