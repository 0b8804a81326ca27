// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'

const OPENING = 1_000
const OPENED_AT_ONCE = 500
/** A gateway that is paused holds its clients: they ask another one. */
const PATIENCE_MS = 3_000
const SUM_PAUSE_MS = 100
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

/** Where the bank is. */
export type BankAddresses = {
  /** The URL of a server that runs, or that seems to. */
  any(): string
}

/** At random, from 0 to below the bound. */
type Chance = { below(bound: number): number }

type BankOptions = {
  readonly accounts?: number
  /** Between two sums of all accounts. */
  readonly sumPauseMs?: number
  /** Ends every request that is still being tried again. */
  readonly signal?: AbortSignal
}

/** Transfers between accounts over any of its servers, and sums of all accounts at once. */
export class Bank {
  readonly #servers: BankAddresses
  readonly #random: Chance
  readonly #accounts: number
  readonly #sumPauseMs: number
  readonly #signal: AbortSignal | undefined
  readonly #faults: string[] = []
  readonly #commits = new Map<string, number>()
  readonly #timestamps = new Map<number, string>()
  #transfers = 0
  #newestAcknowledged = 0
  #sums = 0
  #newestSum = 0
  #asked = 0
  #isEnding = false
  /** When each transfer was acknowledged, as `performance.now()` tells the time. */
  readonly acknowledgedMs: number[] = []
  /** Requests that were sent again, and why. */
  readonly failedRequests: Array<{ readonly atMs: number; readonly why: string }> = []
  readonly beganMs = performance.now()

  constructor(servers: BankAddresses, random: Chance, options: BankOptions = {}) {
    this.#servers = servers
    this.#random = random
    this.#accounts = options.accounts ?? 30
    this.#sumPauseMs = options.sumPauseMs ?? SUM_PAUSE_MS
    this.#signal = options.signal
  }

  async open(): Promise<void> {
    for (const sql of [
      'CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)',
      'CREATE TABLE IF NOT EXISTS transfer (id TEXT PRIMARY KEY, source INTEGER, target INTEGER, amount INTEGER)',
    ]) {
      await this.#query(sql)
    }
    for (let first = 0; first < this.#accounts; first += OPENED_AT_ONCE) {
      const count = Math.min(OPENED_AT_ONCE, this.#accounts - first)
      const values = Array.from({ length: count }, (_, at) => `(${first + at}, ${OPENING})`)
      const sql = `INSERT INTO account (id, balance) VALUES ${values.join(', ')}`
      await this.#query(sql, {}, `opening-${first}`)
    }
  }

  /** Until `end`: so many clients, and one that sums. */
  async run(clients: number): Promise<void> {
    this.#isEnding = false
    const client = async () => {
      while (!this.#isEnding) await this.#transfer()
    }
    const summer = async () => {
      while (!this.#isEnding) {
        await this.#sum()
        await delay(this.#sumPauseMs)
      }
    }
    await Promise.all([...Array.from({ length: clients }, client), summer()])
  }

  /** For so long. */
  async runFor(seconds: number, clients: number): Promise<void> {
    const running = this.run(clients)
    try {
      await delay(seconds * 1_000, undefined, { signal: this.#signal })
    } finally {
      this.end()
      await running
    }
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
    const balances = Array.from({ length: this.#accounts }, () => OPENING)
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

  get sumWords(): string {
    return `${this.#accounts} accounts have ${this.#newestSum} together, as at the beginning`
  }

  /** The longest time in ms without an acknowledged transfer. */
  longestGapMs(): number {
    let longest = 0
    for (const [at, ms] of this.acknowledgedMs.entries()) {
      longest = Math.max(longest, ms - (this.acknowledgedMs[at - 1] ?? this.beganMs))
    }
    return longest
  }

  async #transfer(): Promise<void> {
    const from = this.#random.below(this.#accounts)
    const to = (from + 1 + this.#random.below(this.#accounts - 1)) % this.#accounts
    const id = `transfer-${this.#transfers++}`
    const transfer: Transfer = { id, from, to, amount: this.#random.below(20) }
    const acknowledgedBefore = this.#newestAcknowledged
    const { commitTimestamp = 0 } = await this.#query(TRANSFER, transfer, id)
    this.acknowledgedMs.push(performance.now())
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
    this.#newestSum = sum
    if (balances.size !== this.#accounts || sum !== this.#accounts * OPENING) {
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
      this.#signal?.throwIfAborted()
      this.#asked += 1
      try {
        const answer = await fetch(`${this.#servers.any()}/v1/query`, {
          ...{ method: 'POST', headers, body: JSON.stringify({ sql, params }) },
          signal: AbortSignal.timeout(PATIENCE_MS),
        })
        const body = (await answer.json()) as QueryAnswer & Problem
        if (answer.ok) return body
        last = body
        if (body.retryable !== true) break
        this.#sendsAgain(body.code ?? `status ${answer.status}`)
      } catch (error) {
        last = error
        this.#sendsAgain(whyOf(error))
      }
      await delay(20 + this.#random.below(50))
    }
    throw new Error(`${sql}: ${JSON.stringify(last)} ${last}`)
  }

  #sendsAgain(why: string): void {
    this.failedRequests.push({ atMs: performance.now(), why })
  }
}

type Problem = { readonly code?: string; readonly retryable?: boolean }

/** The system's name of what became of the connection, where it has one. */
function whyOf(error: unknown): string {
  const { name, cause } = error as Error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? name
}
