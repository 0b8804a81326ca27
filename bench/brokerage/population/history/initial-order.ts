// SPDX-License-Identifier: Apache-2.0
import { QUANTITIES, TRADE_TYPE_OF, type TradeType, type TradeTypeId } from '../codes.ts'
import { tradeIdentifier } from '../identifiers.ts'
import { type Account, CustomerChoice, type Population, STREAMS } from '../population.ts'
import { PRICE_MAX, PRICE_MIN, PriceCurve } from '../price-curve.ts'
import { TRADING_DAY_MS } from '../trading-calendar.ts'

/** An order of the history with what the market makes of it; times are trading milliseconds. */
export type InitialOrder = {
  readonly id: number
  readonly account: Account
  readonly security: number
  readonly type: TradeType
  readonly quantity: number
  readonly isCash: boolean
  readonly isLifo: boolean
  readonly executor: string
  readonly bidPrice: number
  readonly tradePrice: number
  readonly orderedMs: number
  /** When a limit order is triggered; a market order is submitted at once. */
  readonly submittedMs: number
  readonly completedMs: number
}

/** Market orders 60 percent, half of them sales; of the limit orders half buy. */
const TYPE_SHARES: readonly (readonly [TradeTypeId, number])[] = [
  ['TMB', 0.3],
  ['TMS', 0.6],
  ['TLB', 0.8],
  ['TLS', 0.9],
  ['TSL', 1],
]
const MARGIN_OF_BUYS = 0.16
const LIFO = 0.35
const OWNER_EXECUTES = 0.9

const MARKET_DELAY_MEAN_MS = 1_000
const MARKET_DELAY_MAX_MS = 5_000

type Trader = { readonly account: Account; readonly basket: readonly number[] }

/** The orders of the history by their numbers; each is computed alone. */
export class InitialOrders {
  readonly #population: Population
  readonly #choice: CustomerChoice
  readonly #curve: PriceCurve
  /** Computed once: an account trades about a dozen times a day. */
  readonly #traders = new Map<number, Trader>()

  constructor(population: Population) {
    this.#population = population
    this.#choice = new CustomerChoice(population)
    this.#curve = new PriceCurve(population.profile)
  }

  /** @param number 0 to `profile.trades` - 1. */
  order(number: number): InitialOrder {
    const { profile, random } = this.#population
    const gapMs = (profile.days * TRADING_DAY_MS) / profile.trades
    const draws = random.row(STREAMS.trade, number)
    const orderedMs = Math.floor((number + draws.next()) * gapMs)
    const customer = this.#choice.choose(draws)
    const { account, basket } = this.#trader(customer.number, draws.below(customer.accounts))
    const security = basket[draws.below(basket.length)] as number
    const share = draws.next()
    const [typeId] = TYPE_SHARES.find(([, upTo]) => share < upTo) as (typeof TYPE_SHARES)[number]
    const type = TRADE_TYPE_OF[typeId]
    const quantity = draws.pick(QUANTITIES)
    const onMargin = draws.chance(MARGIN_OF_BUYS)
    const isLifo = draws.chance(LIFO)
    const byOwner = draws.chance(OWNER_EXECUTES)
    const [owner, agent = owner] = account.permissions
    const executor = byOwner ? owner : agent
    const limit = draws.between(PRICE_MIN, PRICE_MAX)
    const bidPrice = type.isMarket ? this.#curve.priceAt(security, orderedMs) : limit
    const submittedMs = this.#triggered(type, security, bidPrice, orderedMs)
    const completedMs = submittedMs + marketDelayMs(draws.next())
    const marketPrice = this.#curve.priceAt(security, completedMs)
    return {
      ...{ id: tradeIdentifier(number), account, security, type, quantity, isLifo, bidPrice },
      isCash: type.isSell || !onMargin,
      executor: `${executor.firstName} ${executor.lastName}`,
      tradePrice: executedAt(type, bidPrice, marketPrice),
      ...{ orderedMs, submittedMs, completedMs },
    }
  }

  /** The curve comes to every limit within a period. */
  #triggered({ id, isMarket }: TradeType, security: number, limit: number, fromMs: number): number {
    if (isMarket) return fromMs
    const found =
      id === 'TLS'
        ? this.#curve.firstAtLeast(security, limit, fromMs)
        : this.#curve.firstAtMost(security, limit, fromMs)
    return found as number
  }

  #trader(customerNumber: number, ordinal: number): Trader {
    const key = customerNumber * 10 + ordinal
    const known = this.#traders.get(key)
    if (known !== undefined) return known
    const customer = this.#population.customer(customerNumber)
    const account = this.#population.account(customer, ordinal)
    const trader = { account, basket: this.#population.basket(customer, ordinal) }
    this.#traders.set(key, trader)
    return trader
  }
}

/** Exponentially distributed with a mean of a second, but at most five. */
export function marketDelayMs(share: number): number {
  return Math.min(MARKET_DELAY_MAX_MS, Math.round(-MARKET_DELAY_MEAN_MS * Math.log(1 - share)))
}

/** A limit is never executed at a worse price than it says; a stop-loss at what the market gives. */
export function executedAt({ id }: Pick<TradeType, 'id'>, bid: number, market: number): number {
  if (id === 'TLB') return Math.min(bid, market)
  if (id === 'TLS') return Math.max(bid, market)
  return market
}
