// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'

export const ACCOUNTS = 40
export const OPENING = 1_000

/** What every answer allows to be said of a row of `transfer` afterwards. */
export type Expectation = 'present' | 'absent' | 'either'

/** Rows that are there before the first kill, so that an index takes a while to build. */
export const EARLY_TRANSFERS = 6_000

/** What the clients were told, to be compared with what is there after the process was killed. */
export class Ledger {
  readonly rows = new Map<string, Expectation>()
  /** Transactions over several requests whose commit got no answer, with the row each inserts. */
  readonly inDoubt = new Map<string, string>()
  acknowledged = 0
  withoutAnswer = 0
  /** Inserts that were refused since another row had their slot. */
  slotsTaken = 0

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
          const slot = this.#slotOf(id, round)
          if (choice < 5) await this.#insertInteractively(id, slot)
          else await this.#insert(id, slot)
          if (this.#ledger.rows.get(id) === 'present') inserted.push(id)
        }
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }

  /** Now and then one that all clients of this round want; a unique index lets one of them have it. */
  #slotOf(id: string, round: number): string {
    const [cycle] = this.#name.split('-')
    return this.#random.below(3) === 0 ? `${cycle}/${round % 50}` : id
  }

  /** One request: all of it or nothing. */
  async #insert(id: string, slot: string): Promise<void> {
    try {
      await this.#db.execute(transferOf(id, slot, this.#random))
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
    if (error.code === 'unique_violation') this.#ledger.slotsTaken += 1
    else assert.ok(error.retryable, `${error.code}: ${error.message}`)
    this.#ledger.rows.set(id, refused)
  }

  /** Several requests: begin, statements, commit; what became of it can be asked for later. */
  async #insertInteractively(id: string, slot: string): Promise<void> {
    const begun = await this.#post('/v1/transactions', {})
    const transaction = String(begun.body.transaction)
    const path = `/v1/transactions/${transaction}`
    this.#ledger.rows.set(id, 'absent')
    const statements = transferOf(id, slot, this.#random)
    const written = await this.#post(`${path}/query`, { statements })
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

/** Creates an index, waits until it is built and drops it, over and over; a kill may hit any of these. */
export class Definer {
  readonly #db: Database
  #isBuilding = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Whether an index is being built, as far as it was looked at. */
  get isBuilding(): boolean {
    return this.#isBuilding
  }

  async runUntilKilled(): Promise<void> {
    const db = this.#db
    try {
      for (let round = 0; ; round += 1) {
        const { what, index, columns } = BUILT[round % BUILT.length] as (typeof BUILT)[number]
        await patiently(() => db.query(`DROP INDEX IF EXISTS ${index}`))
        await patiently(() =>
          db.query(`CREATE ${what} IF NOT EXISTS ${index} ON transfer ${columns}`),
        )
        do {
          this.#isBuilding = (await indexStates(db)).get(index) === 'building'
          await delay(5)
        } while (this.#isBuilding)
        // Each change of the definition ends the transactions that are open; some must come through.
        await delay(200)
      }
    } catch (error) {
      if (!(error instanceof PercoliteError) || error.code !== 'connection_failed') throw error
    }
  }
}

/** The server gives up after some conflicts with other changes of definitions; here nobody hurries. */
async function patiently(define: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await define())
    } catch (error) {
      if (!(error instanceof PercoliteError) || !error.retryable) throw error
      if (error.code === 'connection_failed') throw error
    }
  }
}

const BUILT = [
  { what: 'UNIQUE INDEX', index: 'slotAgain', columns: '(slot DESC)' },
  { what: 'INDEX', index: 'amountAndNote', columns: '(amount DESC) STORING (slot)' },
] as const

/** By name. */
export async function indexStates(db: Database): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; state: string }>('SHOW INDEXES FROM transfer')
  return new Map(rows.map(({ name, state }) => [name, state]))
}

function transferOf(id: string, slot: string, random: SeededRandomness) {
  const from = random.below(ACCOUNTS)
  const to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS
  const amount = random.below(50)
  // Some values are long enough to have a cell of their own.
  const note = random.below(3) === 0 ? 'x'.repeat(1_300 + random.below(2_000)) : null
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
      sql: 'INSERT INTO transfer (id, slot, amount, note) VALUES (:id, :slot, :amount, :note)',
      params: { id, slot, amount, note },
    },
  ]
}

export const account = (number: number) => `account-${number}`

export async function createTables(db: Database, ledger: Ledger): Promise<void> {
  await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await db.query(
    'CREATE TABLE transfer (id TEXT PRIMARY KEY, slot TEXT, amount INTEGER NOT NULL, note TEXT, FAMILY big (note))',
  )
  await db.query('CREATE UNIQUE INDEX transferBySlot ON transfer (slot)')
  await db.query('CREATE INDEX transferByAmount ON transfer (amount, note)')
  await db.execute(
    Array.from({ length: ACCOUNTS }, (_, number) => ({
      sql: 'INSERT INTO account (id, balance) VALUES (:id, :balance)',
      params: { id: account(number), balance: OPENING },
    })),
  )
  for (let first = 0; first < EARLY_TRANSFERS; first += 500) {
    const ids = Array.from({ length: 500 }, (_, position) => `early-${first + position}`)
    const values = ids.map((id) => `('${id}', '${id}', ${id.length}, NULL)`).join(', ')
    await db.query(`INSERT INTO transfer (id, slot, amount, note) VALUES ${values}`)
    for (const id of ids) ledger.rows.set(id, 'present')
  }
}
