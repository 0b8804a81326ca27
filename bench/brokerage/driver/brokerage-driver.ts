// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Pool } from '../../load/pool.ts'
import type { Engine, Session } from '../engine.ts'
import { CounterRandom } from '../population/counter-random.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { symbolOf } from '../population/names.ts'
import { type Population, RUN_STREAM_FIRST } from '../population/population.ts'
import { PriceCurve } from '../population/price-curve.ts'
import { historyMs } from '../population/trading-calendar.ts'
import type { RunFacts } from '../run-facts.ts'
import { tradeCleanup } from '../transactions/trade-cleanup.ts'
import { Deck } from './customers/customer-emulator.ts'
import { MarketClock, MarketEmulator } from './market-emulator.ts'
import { Tally } from './tally.ts'
import { RunLedger, Workload } from './workload.ts'

const CALLS_STREAM = RUN_STREAM_FIRST
const BACKOFF_STREAM = RUN_STREAM_FIRST + 3
const DECK_STREAM = RUN_STREAM_FIRST + 4
/** Calls of one user at most; each has random numbers of its own. */
const CALLS_PER_USER = 2 ** 22
/** Of all customer calls, those that end in a trade result: 100 of 890. */
const CALLS_PER_RESULT = 8.9
/** The market has half as many connections as customers: every tenth transaction is its own. */
const MARKET_SESSIONS_MIN = 4

export type DriverSettings = {
  readonly engine: Engine
  readonly population: Population
  /** Customers that call at once. */
  readonly users: number
  /** Trade results per second that customers aim at; as fast as they can when absent. */
  readonly pace?: number | undefined
}

/** Customers and market of one store, for one run after the other. */
export class BrokerageDriver {
  readonly #settings: DriverSettings
  readonly #random: CounterRandom
  readonly #ledger = new RunLedger()
  readonly #clock: MarketClock
  readonly #workload: Workload
  readonly #market: MarketEmulator
  readonly #customers: Pool<Session>
  readonly #others: Pool<Session>
  readonly #decks: readonly Deck[]
  readonly #calls: number[]
  #tally = new Tally()
  #failure: { readonly error: unknown } | undefined
  #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #down: Promise<void> | undefined

  private constructor(settings: DriverSettings, customers: Pool<Session>, others: Pool<Session>) {
    const { population, users } = settings
    const { profile } = population
    this.#settings = settings
    this.#customers = customers
    this.#others = others
    this.#random = new CounterRandom(population.seed)
    this.#clock = new MarketClock(historyMs(profile))
    this.#decks = Array.from({ length: users }, (_, user) => {
      return new Deck(this.#random.row(DECK_STREAM, user))
    })
    this.#calls = Array.from({ length: users }, () => 0)
    this.#workload = new Workload({
      population,
      tally: () => this.#tally,
      backOff: this.#random.row(BACKOFF_STREAM, 0),
      engineUp: async () => {
        this.#throwFailure()
        await this.#down
      },
      random: this.#random,
      clock: this.#clock,
      ledger: this.#ledger,
      order: (order) => this.#market.accept(order),
      triggeredAt: (symbol, price) => this.#market.triggeredAt(symbol, price),
    })
    this.#market = new MarketEmulator({
      clock: this.#clock,
      curve: new PriceCurve(profile),
      random: this.#random,
      symbols: Array.from({ length: profile.securities }, (_, number) => symbolOf(number)),
      calls: {
        tradeResult: async (order, price) => {
          const intendedMs = performance.now()
          await others.use((session) =>
            this.#workload.tradeResult(session, order, { price, intendedMs }),
          )
        },
        marketFeed: async (entries) => {
          const intendedMs = performance.now()
          return await others.use((session) =>
            this.#workload.marketFeed(session, entries, intendedMs),
          )
        },
      },
      failed: (error) => this.#failed(error),
    })
  }

  static async open(settings: DriverSettings): Promise<BrokerageDriver> {
    const { engine, users } = settings
    const others = Math.max(MARKET_SESSIONS_MIN, Math.ceil(users / 2))
    return new BrokerageDriver(
      settings,
      await openSessions(engine, users),
      await openSessions(engine, others),
    )
  }

  /** What the checks are to compare the store with. */
  get facts(): RunFacts {
    return this.#ledger
  }

  /** Limit orders that wait for their price. */
  get waiting(): number {
    return this.#market.waiting
  }

  /** Trade-Cleanup; nothing else may run. Returns how many orders it cancelled. */
  async cleanUp(): Promise<number> {
    const { profile } = this.#settings.population
    const cancelled = await this.#others.use((session) =>
      tradeCleanup(session, {
        firstTradeId: firstRunTradeIdentifier(profile.trades),
        now: this.#clock.now(),
      }),
    )
    this.#ledger.isCleanedUp = true
    return cancelled
  }

  /** Lets customers call, until `finish`. */
  start(): void {
    // From now on orders may be open.
    this.#ledger.isCleanedUp = false
    this.#stop = new AbortController()
    const { users, pace } = this.#settings
    const calls =
      pace === undefined
        ? Array.from({ length: users }, (_, user) => this.#callOneByOne(user))
        : [this.#callOnSchedule(pace * CALLS_PER_RESULT)]
    const all = calls.map((work) => work.catch((error: unknown) => this.#failed(error)))
    this.#running = Promise.all(all).then(() => {})
  }

  /** Returns what was counted since the last call. Throws what went wrong meanwhile. */
  takeTally(): Tally {
    this.#throwFailure()
    const taken = this.#tally
    this.#tally = new Tally()
    return taken
  }

  /** Lets this time pass while customers call. Rejects as soon as something goes wrong. */
  async letRun(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal: AbortSignal.any([signal, this.#stop.signal]) }).catch(
      (error: unknown) => {
        this.#throwFailure()
        throw error
      },
    )
    this.#throwFailure()
  }

  /** No more calls; what has been ordered is executed. */
  async finish(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#market.drain()
    this.#throwFailure()
  }

  /** Nothing is asked of the engine until this is done; what was under way fails and is tried again. */
  async whileDown(work: () => Promise<void>): Promise<void> {
    this.#down = work()
    try {
      await this.#down
    } finally {
      this.#down = undefined
    }
  }

  /** Also in the middle of a run, which then comes to its end: nothing is tried again after a failure. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#market.drain()
    const sessions = [...this.#customers.all, ...this.#others.all]
    await Promise.all(sessions.map((session) => session.close()))
  }

  async #callOneByOne(user: number): Promise<void> {
    await this.#customers.use(async (session) => {
      while (!this.#stop.signal.aborted) {
        const name = (this.#decks[user] as Deck).draw()
        await this.#workload.call(name, session, this.#nextRandom(user), performance.now())
        // Where the engine never waits, the market's timers would never have their turn.
        await nextTurn()
      }
    })
  }

  /**
   * Evenly spaced, whether or not earlier calls have ended; those wait for a free connection. What still
   * waits when the run is over is not called any more.
   */
  async #callOnSchedule(callsPerSecond: number): Promise<void> {
    const startedMs = performance.now()
    const underWay = new Set<Promise<void>>()
    for (let sequence = 0; !this.#stop.signal.aborted; sequence += 1) {
      const intendedMs = startedMs + (sequence * 1000) / callsPerSecond
      const early = intendedMs - performance.now()
      if (early > 0) await delay(early, undefined, { signal: this.#stop.signal }).catch(() => {})
      if (this.#stop.signal.aborted) break
      const user = sequence % this.#settings.users
      const name = (this.#decks[user] as Deck).draw()
      const call = this.#customers
        .use(async (session) => {
          if (this.#stop.signal.aborted) return
          await this.#workload.call(name, session, this.#nextRandom(user), intendedMs)
        })
        .catch((error: unknown) => this.#failed(error))
        .finally(() => underWay.delete(call))
      underWay.add(call)
    }
    await Promise.all(underWay)
  }

  #nextRandom(user: number) {
    const call = this.#calls[user] as number
    this.#calls[user] = call + 1
    return this.#random.row(CALLS_STREAM, user * CALLS_PER_USER + call)
  }

  #failed(error: unknown): void {
    this.#failure ??= { error }
    this.#stop.abort()
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

async function openSessions(engine: Engine, count: number): Promise<Pool<Session>> {
  return new Pool(await Promise.all(Array.from({ length: count }, () => engine.connect())))
}
