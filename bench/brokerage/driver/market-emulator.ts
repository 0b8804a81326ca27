// SPDX-License-Identifier: Apache-2.0
import { TRADE_TYPE_OF } from '../population/codes.ts'
import type { CounterRandom, RowRandom } from '../population/counter-random.ts'
import { executedAt, marketDelayMs } from '../population/history/initial-order.ts'
import { RUN_STREAM_FIRST } from '../population/population.ts'
import type { PriceCurve } from '../population/price-curve.ts'
import { momentOf } from '../population/trading-calendar.ts'
import type { TickerEntry } from '../transactions/market-feed.ts'
import type { MarketOrder } from '../transactions/trade-order.ts'

const STREAM = RUN_STREAM_FIRST + 1
const FEED_ENTRIES = 20
const TRIGGER_QUANTITY = 375
const RANDOM_QUANTITIES = [325, 425] as const

/** What the market sends; each promise is fulfilled when the transaction has ended. */
export type MarketCalls = {
  tradeResult(order: MarketOrder, price: number): Promise<void>
  /** Returns the limit orders that the feed has triggered. */
  marketFeed(entries: readonly TickerEntry[]): Promise<readonly MarketOrder[]>
}

export type MarketDependencies = {
  readonly clock: MarketClock
  readonly curve: PriceCurve
  readonly random: CounterRandom
  /** All symbols; a security's number is its place. */
  readonly symbols: readonly string[]
  readonly calls: MarketCalls
  readonly failed: (error: unknown) => void
}

/**
 * The exchange. A market order is executed after about a second. A limit order waits until the price
 * curve meets its limit; then it is put on the ticker, whose next Market-Feed submits it, and then it
 * is executed like a market order. For each trade the ticker gets two lines, and twenty are a feed.
 */
export class MarketEmulator {
  readonly #deps: MarketDependencies
  readonly #numbers: ReadonlyMap<string, number>
  readonly #waiting = new Map<number, { readonly order: MarketOrder; timer?: NodeJS.Timeout }>()
  /** What went to the market in this run, so that nothing goes there twice. */
  readonly #submitted = new Set<number>()
  readonly #triggers: TickerEntry[] = []
  readonly #underWay = new Set<Promise<void>>()
  #ticker: TickerEntry[] = []
  #draws = 0
  #isClosing = false

  constructor(deps: MarketDependencies) {
    this.#deps = deps
    this.#numbers = new Map(deps.symbols.map((symbol, number) => [symbol, number]))
  }

  /** An order whose transaction has been committed. */
  accept(order: MarketOrder): void {
    if (order.type === 'TMB' || order.type === 'TMS') this.#submit(order)
    else this.#waitForPrice(order)
  }

  /** The limit orders of a security that wait and would be set going at this price. */
  triggeredAt(symbol: string, price: number): readonly MarketOrder[] {
    return [...this.#waiting.values()]
      .map(({ order }) => order)
      .filter((order) => order.symbol === symbol && isTriggered(order, price))
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Executes what was submitted, and sends no more feeds, so that it comes to an end. */
  async drain(): Promise<void> {
    this.#isClosing = true
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    this.#triggers.length = 0
    this.#ticker = []
    this.#submitted.clear()
    this.#isClosing = false
  }

  #submit(order: MarketOrder): void {
    this.#waiting.delete(order.tradeId)
    if (this.#submitted.has(order.tradeId)) return
    this.#submitted.add(order.tradeId)
    this.#track(
      new Promise<void>((resolve) => {
        setTimeout(resolve, marketDelayMs(this.#draw().next()))
      }).then(async () => {
        const market = this.#priceOf(order.symbol)
        const price = executedAt(TRADE_TYPE_OF[order.type], order.price, market)
        await this.#deps.calls.tradeResult(order, price)
        this.#report(order.symbol, price, order.quantity)
      }),
    )
  }

  #waitForPrice(order: MarketOrder): void {
    // A feed may have found it before its own customer was answered.
    if (this.#isClosing || this.#submitted.has(order.tradeId)) return
    const { clock, curve } = this.#deps
    const now = clock.tradingMs()
    const security = this.#numberOf(order.symbol)
    const dueMs =
      order.type === 'TLS'
        ? curve.firstAtLeast(security, order.price, now)
        : curve.firstAtMost(security, order.price, now)
    const timer = setTimeout(
      () => {
        this.#triggers.push({
          symbol: order.symbol,
          price: triggerPrice(order, this.#priceOf(order.symbol)),
          quantity: TRIGGER_QUANTITY,
        })
      },
      Math.max(0, (dueMs ?? now) - now),
    )
    this.#waiting.set(order.tradeId, { order, timer })
  }

  /** Two lines for the ticker: the trade, and a trigger that waits or the price of any security. */
  #report(symbol: string, price: number, quantity: number): void {
    const random = this.#draw()
    const other = this.#deps.symbols[random.below(this.#deps.symbols.length)] as string
    this.#ticker.push(
      { symbol, price, quantity },
      this.#triggers.shift() ?? {
        symbol: other,
        price: this.#priceOf(other),
        quantity: RANDOM_QUANTITIES[random.below(2)] as number,
      },
    )
    if (this.#ticker.length < FEED_ENTRIES || this.#isClosing) return
    const entries = this.#ticker.splice(0)
    this.#track(
      this.#deps.calls.marketFeed(entries).then((orders) => {
        for (const order of orders) {
          clearTimeout(this.#waiting.get(order.tradeId)?.timer)
          this.#submit(order)
        }
      }),
    )
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#deps.failed(error))
      .finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
  }

  #priceOf(symbol: string): number {
    return this.#deps.curve.priceAt(this.#numberOf(symbol), this.#deps.clock.tradingMs())
  }

  /** A symbol that nobody knows is of a made-up row. */
  #numberOf(symbol: string): number {
    return this.#numbers.get(symbol) ?? 0
  }

  #draw(): RowRandom {
    return this.#deps.random.row(STREAM, this.#draws++)
  }
}

/** Whether a limit order goes to the market at this price. */
function isTriggered({ type, price: limit }: MarketOrder, price: number): boolean {
  return type === 'TLS' ? limit <= price : limit >= price
}

/** What the ticker says when a limit order is due; by then the price may have turned already. */
function triggerPrice({ type, price: limit }: MarketOrder, price: number): number {
  return type === 'TLS' ? Math.max(price, limit) : Math.min(price, limit)
}

/** The market's time: it goes on where the history ends, as fast as the wall clock. */
export class MarketClock {
  readonly #historyMs: number
  readonly #elapsedMs: () => number
  readonly #startedMs: number

  constructor(historyMs: number, elapsedMs: () => number = () => performance.now()) {
    this.#historyMs = historyMs
    this.#elapsedMs = elapsedMs
    this.#startedMs = elapsedMs()
  }

  /** Whole milliseconds of trading, in which the price curve is asked. */
  tradingMs(): number {
    return this.#historyMs + Math.floor(this.#elapsedMs() - this.#startedMs)
  }

  /** The same as the moment that is stored. */
  now(): number {
    return momentOf(this.tradingMs())
  }
}
