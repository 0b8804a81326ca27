// SPDX-License-Identifier: Apache-2.0
import { QUANTITIES, type TradeTypeId } from '../../population/codes.ts'
import type { RowRandom } from '../../population/counter-random.ts'
import { accountIdentifier, identifier, tradeIdentifier } from '../../population/identifiers.ts'
import {
  brokerName,
  companyName,
  INDUSTRIES,
  industryName,
  issuerOf,
  SECTORS,
  sectorName,
} from '../../population/market-facts.ts'
import { symbolOf } from '../../population/names.ts'
import { type Customer, CustomerChoice, type Population } from '../../population/population.ts'
import { PRICE_MAX, PRICE_MIN } from '../../population/price-curve.ts'
import { historyMs, marketDay, momentOf } from '../../population/trading-calendar.ts'
import type { InputOf } from '../../transactions/all-transactions.ts'
import {
  isMarketCall,
  type MarketCall,
  TRANSACTION_NAMES,
  TRANSACTIONS,
  type TransactionName,
} from '../transaction-names.ts'

export type CustomerCall = Exclude<TransactionName, MarketCall>

const MINUTE_MS = 60_000
/** Lookups stop so long before the end of the history, so that there are trades behind them. */
const BACK_OFF_MS = {
  account: 32 * 60 * MINUTE_MS,
  security: 200 * MINUTE_MS,
  holdings: 500 * MINUTE_MS,
} as const
const LOOKED_UP = 20
const BROKERS = { min: 20, max: 40 } as const
const DETAIL_DAYS = { min: 5, max: 20 } as const
/** Two of five accounts have another person who may trade; so a tenth of all orders is theirs. */
const OTHER_EXECUTOR = 0.25
const ROLLED_BACK = 1 / 101

/** Makes up what customers ask: the inputs of the eight transactions that they call. */
export class CustomerEmulator {
  readonly #population: Population
  readonly #customers: CustomerChoice
  readonly #inputs: {
    readonly [Name in Exclude<CustomerCall, 'Trade-Order'>]: (random: RowRandom) => InputOf<Name>
  } = {
    'Trade-Status': (random) => ({ accountId: this.#account(random).id }),
    'Customer-Position': (random) => {
      const { id, taxId } = this.#customers.choose(random)
      const customer = random.chance(0.5) ? { id } : { taxId }
      return random.chance(0.5) ? { customer, historyOf: random.below(10) } : { customer }
    },
    'Market-Watch': (random) => {
      const kind = random.next()
      const date = this.#marketDate(random)
      if (kind < 0.6) {
        return { of: { kind: 'watchList', customerId: this.#customers.choose(random).id }, date }
      }
      if (kind < 0.95) return { of: { kind: 'account', accountId: this.#account(random).id }, date }
      // As many companies in a row as a load unit has.
      const { companies, loadUnits } = this.#population.profile
      const range = Math.floor(companies / loadUnits)
      const first = random.below(companies - range + 1)
      return {
        of: {
          kind: 'industry',
          industry: industryName(random.below(INDUSTRIES)),
          fromCompany: identifier(first),
          toCompany: identifier(first + range - 1),
        },
        date,
      }
    },
    'Security-Detail': (random) => {
      const days = random.between(DETAIL_DAYS.min, DETAIL_DAYS.max)
      return {
        symbol: this.#symbol(random),
        startDate: marketDay(random.between(0, this.#population.profile.marketDays - days)),
        days,
        wholeNews: random.chance(0.01),
      }
    },
    'Trade-Lookup': (random) => {
      const frame = random.next()
      if (frame < 0.3) return this.#byIds(random)
      if (frame < 0.6) return this.#byAccount(random)
      if (frame < 0.9) return this.#bySecurity(random)
      return {
        frame: 'holdings',
        accountId: this.#account(random).id,
        from: this.#historyTime(random, BACK_OFF_MS.holdings),
      }
    },
    'Trade-Update': (random) => {
      const frame = random.next()
      if (frame < 0.33) return this.#byIds(random)
      return frame < 0.66 ? this.#byAccount(random) : this.#bySecurity(random)
    },
    'Broker-Volume': (random) => {
      const { brokers } = this.#population.profile
      const count = Math.min(brokers, random.between(BROKERS.min, BROKERS.max))
      return {
        brokers: random.distinctBelow(brokers, count).map(brokerName),
        sector: sectorName(random.below(SECTORS)),
      }
    },
  }

  constructor(population: Population) {
    this.#population = population
    this.#customers = new CustomerChoice(population)
  }

  inputOf<Name extends Exclude<CustomerCall, 'Trade-Order'>>(
    name: Name,
    random: RowRandom,
  ): InputOf<Name> {
    return this.#inputs[name](random) as InputOf<Name>
  }

  tradeOrder(
    random: RowRandom,
    { tradeId, now }: { readonly tradeId: number; readonly now: number },
  ): InputOf<'Trade-Order'> {
    const customer = this.#customers.choose(random)
    const ordinal = random.below(customer.accounts)
    const { id, permissions } = this.#population.account(customer, ordinal)
    const [owner, ...others] = permissions
    const other = random.chance(OTHER_EXECUTOR) ? others[0] : undefined
    const { firstName, lastName } = other ?? owner
    const basket = this.#population.basket(customer, ordinal)
    const security = basket[random.below(basket.length)] as number
    const isMarket = random.chance(0.6)
    const isBuy = random.chance(0.5)
    const isStopLoss = random.chance(0.5)
    return {
      tradeId,
      accountId: id,
      executor: {
        name: `${firstName} ${lastName}`,
        ...(other === undefined ? {} : { taxId: other.taxId }),
      },
      security: random.chance(0.6) ? { symbol: symbolOf(security) } : this.#issue(security),
      type: typeOf(isMarket, isBuy, isStopLoss),
      quantity: random.pick(QUANTITIES as unknown as [number, ...number[]]),
      limitPrice: random.between(PRICE_MIN, PRICE_MAX),
      onMargin: isBuy && random.chance(0.16),
      lifo: random.chance(0.35),
      rollsBack: random.chance(ROLLED_BACK),
      now,
    }
  }

  /** All alike. */
  #symbol(random: RowRandom): string {
    return symbolOf(random.below(this.#population.profile.securities))
  }

  #account(random: RowRandom): { readonly id: number } {
    const { number, accounts }: Customer = this.#customers.choose(random)
    return { id: accountIdentifier(number, random.below(accounts)) }
  }

  #issue(security: number): { readonly company: string; readonly issue: string } {
    const { company, issue } = issuerOf(this.#population.profile, security)
    return { company: companyName(company), issue }
  }

  #byIds(random: RowRandom) {
    const { trades } = this.#population.profile
    const skew = skewOfTrades(trades)
    const numbers = new Set<number>()
    while (numbers.size < LOOKED_UP) numbers.add(nonUniform(random, 0, trades - 1, skew))
    return { frame: 'trades', tradeIds: [...numbers].map(tradeIdentifier) } as const
  }

  #byAccount(random: RowRandom) {
    const from = this.#historyTime(random, BACK_OFF_MS.account)
    return { frame: 'account', accountId: this.#account(random).id, from } as const
  }

  #bySecurity(random: RowRandom) {
    const from = this.#historyTime(random, BACK_OFF_MS.security)
    return { frame: 'security', symbol: this.#symbol(random), from } as const
  }

  #historyTime(random: RowRandom, backOffMs: number): number {
    const ms = historyMs(this.#population.profile)
    const last = ms - Math.min(backOffMs, ms / 2)
    return momentOf(nonUniform(random, 0, last, skewOfTimes(ms)))
  }

  #marketDate(random: RowRandom): number {
    const weeks = Math.floor(this.#population.profile.marketDays / 5)
    const week = nonUniform(random, 0, weeks - 1, skewOfWeeks(weeks))
    const percent = random.below(100)
    const day = percent < 20 ? 0 : percent < 27 ? 1 : percent < 33 ? 2 : percent < 40 ? 3 : 4
    return marketDay(week * 5 + day)
  }
}

function typeOf(isMarket: boolean, isBuy: boolean, isStopLoss: boolean): TradeTypeId {
  if (isMarket) return isBuy ? 'TMB' : 'TMS'
  if (isBuy) return 'TLB'
  return isStopLoss ? 'TSL' : 'TLS'
}

const CARDS = TRANSACTION_NAMES.flatMap((name) =>
  isMarketCall(name) ? [] : new Array<CustomerCall>(TRANSACTIONS[name].weight).fill(name),
)

/** A deck of 890 cards, drawn without putting back, so that the mix of every full deck is exact. */
export class Deck {
  readonly #random: { below(count: number): number }
  #left: CustomerCall[] = []

  constructor(random: { below(count: number): number }) {
    this.#random = random
  }

  draw(): CustomerCall {
    if (this.#left.length === 0) this.#left = [...CARDS]
    const at = this.#random.below(this.#left.length)
    const last = this.#left.pop() as CustomerCall
    if (at === this.#left.length) return last
    const drawn = this.#left[at] as CustomerCall
    this.#left[at] = last
    return drawn
  }
}

type Draws = { below(count: number): number }

/** The masks by which some numbers come up more often than others. */
type Skew = { readonly mask: number; readonly shift: number }

/**
 * A number from `first` to `last`, not all alike: the bits of two uniform draws are united, so that
 * numbers with many ones among the bits of the mask are frequent.
 */
function nonUniform(random: Draws, first: number, last: number, { mask, shift }: Skew): number {
  const count = last - first + 1
  const uniform = BigInt(first + random.below(count))
  const ones = BigInt(random.below(mask + 1)) << BigInt(shift)
  return first + Number((uniform | ones) % BigInt(count))
}

/** For so many trades: 16 bits from the seventh on at the 17.28 million trades of a full load unit. */
function skewOfTrades(trades: number): Skew {
  const bits = Math.floor(Math.log2(trades)) - 1
  const width = Math.min(16, bits)
  return { mask: 2 ** width - 1, shift: bits - width }
}

/** For times of a history of so many milliseconds: 12 bits from the 16th on at 300 days. */
function skewOfTimes(ms: number): Skew {
  const bits = Math.floor(Math.log2(ms)) - 5
  const shift = Math.min(16, bits - 3)
  return { mask: 2 ** (bits - shift) - 1, shift }
}

/** The widest mask for numbers from 0 to `count` - 1. */
function skewOfWeeks(count: number): Skew {
  return { mask: 2 ** Math.floor(Math.log2(count)) - 1, shift: 0 }
}
