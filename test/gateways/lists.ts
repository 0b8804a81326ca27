// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { SeededRandomness } from '../seeded-randomness.ts'
import type { ListOperation } from '../simulation/checkers/history.ts'
import { checkListAppends, isForbidden } from '../simulation/checkers/list-append-checker.ts'
import type { GatewaySet } from './gateway-set.ts'
import { listHistory, type TimedListTransaction } from './list-history.ts'

const KEYS = 4
const OPERATIONS_MAX = 4
/** A list that is full is followed by a new one, so that none takes long to read. */
const ELEMENTS_MAX = 40
const PATIENCE_MS = 3_000
const PAUSE_MS_MAX = 20
const TRIES_MAX = 100

const GET = 'GET elements FROM list WHERE id = :id'
const SET = 'SET elements = :elements ON list WHERE id = :id'
/** What a commit that wrote nothing is refused with; after anything else nobody knows. */
const NOT_COMMITTED = ['write_conflict', 'snapshot_too_old', 'schema_changed', 'locked']

type Outcome = TimedListTransaction['outcome']

type Answer = {
  readonly status: number
  readonly body: {
    readonly code?: string
    readonly transaction?: string
    readonly results?: ReadonlyArray<{
      readonly rows: ReadonlyArray<{ readonly elements: string }>
    }>
  }
}

/**
 * Transactions over several requests that read lists and append to them, and reads of several lists by one request,
 * over any of the gateways. Lists show the order of their writers, so `checkListAppends` finds whatever snapshot
 * isolation forbids, without knowing a timestamp.
 */
export class Lists {
  readonly #gateways: GatewaySet
  readonly #random: SeededRandomness
  readonly #transactions: TimedListTransaction[] = []
  readonly #lengths = new Map<number, number>()
  #elements = 0
  #processes = 0
  #isEnding = false

  constructor(gateways: GatewaySet, random: SeededRandomness) {
    this.#gateways = gateways
    this.#random = random
  }

  async open(): Promise<void> {
    const sql = 'CREATE TABLE list (id INTEGER PRIMARY KEY, elements TEXT NOT NULL)'
    const { status, body } = await this.#post(this.#gateways.any(), '/v1/query', { sql })
    if (status !== 200) throw new Error(`The lists were not created: ${JSON.stringify(body)}`)
  }

  async run(clients: number): Promise<void> {
    const client = async () => {
      let process = this.#processes++
      while (!this.#isEnding) {
        const isReading = this.#random.below(2) === 0
        const outcome = await (isReading
          ? this.#readTogether(process)
          : this.#readAndAppend(process))
        if (outcome === 'unknown') process = this.#processes++
        await delay(this.#random.below(PAUSE_MS_MAX))
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
  }

  end(): void {
    this.#isEnding = true
  }

  /** What snapshot isolation forbids; reads all lists once more, so that each append is seen. */
  async check(): Promise<readonly string[]> {
    const ids = [...this.#lengths.keys()]
    const process = this.#processes++
    let tries = 1
    while ((await this.#read(ids, process)) === undefined) {
      tries += 1
      if (tries > TRIES_MAX) return ['The lists could not be read at the end.']
      await delay(PAUSE_MS_MAX)
    }
    return checkListAppends(this.#transactions)
      .filter(isForbidden)
      .map(({ name, what }) => `${name}: ${what}`)
  }

  /** All of it in EDN, for checkers of others. */
  get history(): string {
    return listHistory(this.#transactions)
  }

  get said(): string {
    const count = (outcome: Outcome) =>
      this.#transactions.filter((transaction) => transaction.outcome === outcome).length
    return (
      `${count('committed')} transactions on lists committed, ${count('rolledBack')} rolled back, ` +
      `${count('unknown')} unknown`
    )
  }

  async #readTogether(process: number): Promise<Outcome | undefined> {
    const ids = Array.from({ length: KEYS }, () => this.#list())
    return await this.#read(ids, process)
  }

  /** Undefined where nothing was read. */
  async #read(ids: readonly number[], process: number): Promise<Outcome | undefined> {
    const beganMs = performance.now()
    const statements = ids.map((id) => ({ sql: GET, params: { id } }))
    const { status, body } = await this.#post(this.#gateways.any(), '/v1/query', { statements })
    if (status !== 200) return undefined
    const operations = ids.map((id, at): ListOperation => {
      return { kind: 'read', key: String(id), elements: elementsOf(body, at) }
    })
    return this.#record('committed', { process, beganMs, operations })
  }

  async #readAndAppend(process: number): Promise<Outcome | undefined> {
    const beganMs = performance.now()
    const url = this.#gateways.any()
    const { body } = await this.#post(url, '/v1/transactions', {})
    if (body.transaction === undefined) return undefined
    const { transaction } = body
    const operations: ListOperation[] = []
    const ask = async (sql: string, params: object) => {
      const answer = await this.#post(url, '/v1/query', { transaction, sql, params })
      if (answer.status !== 200) throw new Error(answer.body.code)
      return answer.body
    }
    try {
      for (let left = 1 + this.#random.below(OPERATIONS_MAX); left > 0; left -= 1) {
        const id = this.#list()
        const elements = elementsOf(await ask(GET, { id }), 0)
        operations.push({ kind: 'read', key: String(id), elements })
        if (this.#random.below(2) === 0) continue
        const element = this.#elements++
        // Also what is rolled back, since nobody may ever see it.
        operations.push({ kind: 'append', key: String(id), element })
        await ask(SET, { id, elements: [...elements, element].join(' ') })
      }
    } catch {
      return this.#record('rolledBack', { process, beganMs, operations })
    }
    const { status, body: ended } = await this.#post(
      url,
      `/v1/transactions/${transaction}/commit`,
      {},
    )
    const isRolledBack = NOT_COMMITTED.includes(ended.code ?? '')
    const outcome = status === 200 ? 'committed' : isRolledBack ? 'rolledBack' : 'unknown'
    return this.#record(outcome, { process, beganMs, operations })
  }

  #record(
    outcome: Outcome,
    run: Pick<TimedListTransaction, 'process' | 'beganMs' | 'operations'>,
  ): Outcome {
    const id = this.#transactions.length
    this.#transactions.push({ ...run, id, outcome, endedMs: performance.now() })
    for (const operation of run.operations) {
      if (operation.kind === 'append') continue
      const { key, elements } = operation
      this.#lengths.set(Number(key), Math.max(this.#lengths.get(Number(key)) ?? 0, elements.length))
    }
    return outcome
  }

  /** One of those that are used now. */
  #list(): number {
    const place = this.#random.below(KEYS)
    let id = place
    while ((this.#lengths.get(id) ?? 0) >= ELEMENTS_MAX) id += KEYS
    return id
  }

  /** Status 0 when nobody answered. */
  async #post(url: string, path: string, body: object): Promise<Answer> {
    try {
      const answer = await fetch(`${url}${path}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      return { status: answer.status, body: (await answer.json()) as Answer['body'] }
    } catch {
      return { status: 0, body: {} }
    }
  }
}

function elementsOf({ results }: Answer['body'], at: number): number[] {
  const text = results?.[at]?.rows[0]?.elements ?? ''
  return text.split(' ').filter(Boolean).map(Number)
}
