// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { SeededRandomness } from '../seeded-randomness.ts'
import type { GatewaySet } from './gateway-set.ts'

const ACCOUNTS = 30
const OPENING = 1_000
/** A gateway that is paused holds its clients: they ask another one. */
const PATIENCE_MS = 3_000
/** How long a request may take over all gateways, outages included. */
const GIVEN_UP_MS = 60_000

const TRANSFER = `
  SET balance = balance - :amount ON account WHERE id = :from;
  SET balance = balance + :amount ON account WHERE id = :to;
  INSERT INTO transfer (id, source, target, amount) VALUES (:id, :from, :to, :amount)`

const PAGE_ROWS = 1_000
const TRANSFERS_BEHIND = `SCAN id, source, target, amount FROM transfer WHERE id > :last LIMIT ${PAGE_ROWS}`

type Transfer = {
  readonly id: string
  readonly from: number
  readonly to: number
  readonly amount: number
}

type QueryAnswer = {
  readonly commitTimestamp?: number
  readonly results: ReadonlyArray<{
    readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  }>
}

/** Transfers between accounts over any of the gateways, and sums of all accounts at once. */
export class Bank {
  readonly #gateways: GatewaySet
  readonly #random: SeededRandomness
  readonly #faults: string[] = []
  readonly #commits = new Map<string, number>()
  readonly #timestamps = new Map<number, string>()
  #transfers = 0
  #newestAcknowledged = 0
  #sums = 0
  #asked = 0
  #isEnding = false
  /** When each transfer was acknowledged, in ms since the beginning. */
  readonly acknowledgedMs: number[] = []
  readonly #beganMs = performance.now()

  constructor(gateways: GatewaySet, random: SeededRandomness) {
    this.#gateways = gateways
    this.#random = random
  }

  async open(): Promise<void> {
    for (const sql of [
      'CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)',
      'CREATE TABLE IF NOT EXISTS transfer (id TEXT PRIMARY KEY, source INTEGER, target INTEGER, amount INTEGER)',
    ]) {
      await this.#query(sql)
    }
    const values = Array.from({ length: ACCOUNTS }, (_, id) => `(${id}, ${OPENING})`).join(', ')
    await this.#query(`INSERT INTO account (id, balance) VALUES ${values}`, {}, 'opening')
  }

  /** Until `end`: so many clients, and one that sums. */
  async run(clients: number): Promise<void> {
    const client = async () => {
      while (!this.#isEnding) await this.#transfer()
    }
    const summer = async () => {
      while (!this.#isEnding) {
        await this.#sum()
        await delay(100)
      }
    }
    await Promise.all([...Array.from({ length: clients }, client), summer()])
  }

  end(): void {
    this.#isEnding = true
  }

  /** Compares what is there with what was acknowledged. */
  async check(): Promise<readonly string[]> {
    await this.#sum()
    const there = await this.#applied()
    for (const id of this.#commits.keys()) {
      if (!there.has(id)) this.#faults.push(`transfer ${id} was acknowledged and is lost`)
    }
    const balances = Array.from({ length: ACCOUNTS }, () => OPENING)
    for (const row of there.values()) {
      const [source, target, amount] = [row.source, row.target, row.amount] as number[]
      balances[source as number] = (balances[source as number] as number) - (amount as number)
      balances[target as number] = (balances[target as number] as number) + (amount as number)
    }
    const found = await this.#balances()
    for (const [id, balance] of balances.entries()) {
      if (found.get(id) === balance) continue
      this.#faults.push(`account ${id} has ${found.get(id)}, and its transfers say ${balance}`)
    }
    return this.#faults
  }

  /** The transfers that are there, page by page. */
  async #applied(): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    const applied = new Map<string, Readonly<Record<string, unknown>>>()
    for (let last = ''; ; ) {
      const { results } = await this.#query(TRANSFERS_BEHIND, { last })
      const rows = results[0]?.rows ?? []
      for (const row of rows) applied.set(row.id as string, row)
      if (rows.length < PAGE_ROWS) return applied
      last = rows.at(-1)?.id as string
    }
  }

  get said(): string {
    return `${this.#commits.size} transfers acknowledged in ${this.#asked} requests, ${this.#sums} sums`
  }

  /** The longest time in ms without an acknowledged transfer. */
  longestGapMs(): number {
    let longest = 0
    for (const [at, ms] of this.acknowledgedMs.entries()) {
      longest = Math.max(longest, ms - (this.acknowledgedMs[at - 1] ?? 0))
    }
    return longest
  }

  async #transfer(): Promise<void> {
    const from = this.#random.below(ACCOUNTS)
    const to = (from + 1 + this.#random.below(ACCOUNTS - 1)) % ACCOUNTS
    const id = `transfer-${this.#transfers++}`
    const transfer: Transfer = { id, from, to, amount: this.#random.below(20) }
    const acknowledgedBefore = this.#newestAcknowledged
    const { commitTimestamp = 0 } = await this.#query(TRANSFER, transfer, id)
    this.acknowledgedMs.push(performance.now() - this.#beganMs)
    this.#commits.set(id, commitTimestamp)
    const other = this.#timestamps.get(commitTimestamp)
    if (other !== undefined) this.#faults.push(`${id} and ${other} have one timestamp`)
    this.#timestamps.set(commitTimestamp, id)
    if (commitTimestamp <= acknowledgedBefore) {
      this.#faults.push(
        `${id} committed at ${commitTimestamp}, and ${acknowledgedBefore} was known before it was sent`,
      )
    }
    this.#newestAcknowledged = Math.max(this.#newestAcknowledged, commitTimestamp)
  }

  async #sum(): Promise<void> {
    const balances = await this.#balances()
    const sum = [...balances.values()].reduce((total, balance) => total + balance, 0)
    this.#sums += 1
    if (balances.size !== ACCOUNTS || sum !== ACCOUNTS * OPENING) {
      this.#faults.push(`${balances.size} accounts have ${sum} together`)
    }
  }

  async #balances(): Promise<Map<number, number>> {
    const { results } = await this.#query('SCAN id, balance FROM account USE PRIMARY KEY')
    return new Map(
      (results[0]?.rows ?? []).map(({ id, balance }) => [id as number, balance as number]),
    )
  }

  /** Asks one gateway after the other until one of them has an answer; with a key a write happens once. */
  async #query(sql: string, params: object = {}, key?: string): Promise<QueryAnswer> {
    const deadlineMs = performance.now() + GIVEN_UP_MS
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    let last: unknown
    while (performance.now() < deadlineMs) {
      this.#asked += 1
      try {
        const answer = await fetch(`${this.#gateways.any()}/v1/query`, {
          ...{ method: 'POST', headers, body: JSON.stringify({ sql, params }) },
          signal: AbortSignal.timeout(PATIENCE_MS),
        })
        const body = (await answer.json()) as QueryAnswer & { readonly retryable?: boolean }
        if (answer.ok) return body
        last = body
        if (body.retryable !== true) break
      } catch (error) {
        last = error
      }
      await delay(20 + this.#random.below(50))
    }
    throw new Error(`${sql}: ${JSON.stringify(last)} ${last}`)
  }
}
