// SPDX-License-Identifier: Apache-2.0
import type { RowOf, TableName } from '../../schema/schema.ts'
import { type Closing, closeHoldings } from '../../transactions/position.ts'
import { CASH_TYPES, EXCHANGE_IDS } from '../codes.ts'
import { identifier, numberOf } from '../identifiers.ts'
import { brokerName, exchangeOf, securityName } from '../market-facts.ts'
import { symbolOf } from '../names.ts'
import type { Population } from '../population.ts'
import { customerTaxRates } from '../rows/customer-rows.ts'
import { countryTaxRate, divisionTaxRate } from '../rows/dimension-rows.ts'
import { bandOf, chargeOf, commissionRate } from '../tariff.ts'
import {
  commissionOf,
  isTaxable,
  settlementAmount,
  settlementDueDate,
  taxOf,
} from '../trade-arithmetic.ts'
import { momentOf } from '../trading-calendar.ts'
import { type InitialOrder, InitialOrders } from './initial-order.ts'

/** A row with its table: `['trade', {…}]`. */
export type PlacedRow = {
  [Table in TableName]: readonly [table: Table, row: RowOf<Table>]
}[TableName]

type Holding = RowOf<'holding'>

/** What one pair of account and security holds, the oldest holding first. */
type Position = { readonly accountId: number; readonly symbol: string; holdings: Holding[] }

type BrokerTotals = { trades: number; commission: number }

/**
 * The history: every order completed, in the order of completion, as Trade-Result would have done it.
 * The rows of TRADE, TRADE_HISTORY, SETTLEMENT, CASH_TRANSACTION and HOLDING_HISTORY come as the trades
 * go by; what they leave behind, HOLDING, HOLDING_SUMMARY and BROKER, comes at the end.
 */
export class InitialTrades {
  readonly #population: Population
  readonly #positions = new Map<string, Position>()
  readonly #brokers: readonly BrokerTotals[]

  constructor(population: Population) {
    this.#population = population
    this.#brokers = Array.from({ length: population.profile.brokers }, () => {
      return { trades: 0, commission: 0 }
    })
  }

  /** Once only: the positions are those of this walk. */
  *rows(): Iterable<PlacedRow> {
    const orders = new InitialOrders(this.#population)
    const queue = new CompletionQueue<InitialOrder>()
    for (let number = 0; number < this.#population.profile.trades; number += 1) {
      const order = orders.order(number)
      // Whatever comes later is ordered later, and so is completed later than this.
      for (const due of queue.takeUntil(order.orderedMs - 1)) yield* this.#complete(due)
      queue.add(order)
    }
    for (const due of queue.takeUntil(Number.POSITIVE_INFINITY)) yield* this.#complete(due)
    yield* this.#leftBehind()
  }

  *#complete(order: InitialOrder): Iterable<PlacedRow> {
    const { id, account, type, quantity, tradePrice: price } = order
    const { tier } = account.customer
    const exchange = EXCHANGE_IDS.indexOf(exchangeOf(order.security))
    const charge = chargeOf(type.id, tier)
    const rate = commissionRate(type.id, tier, exchange, bandOf(quantity))
    const commission = commissionOf(rate, quantity, price)
    const { gain, history } = this.#changePosition(order)
    const tax = isTaxable(account.taxStatus) && gain > 0 ? taxOf(gain, taxRatesOf(order)) : 0
    const completed = momentOf(order.completedMs)

    yield ['trade', tradeRow(order, { charge, commission, tax })]
    yield* statusRows(order)
    yield* history
    const amount = settlementAmount({
      ...{ isSell: type.isSell, quantity, price, charge, commission, tax },
      taxStatus: account.taxStatus,
    })
    const cashType = order.isCash ? CASH_TYPES.cash : CASH_TYPES.margin
    const due = settlementDueDate(completed)
    yield [
      'settlement',
      { se_t_id: id, se_cash_type: cashType, se_cash_due_date: due, se_amt: amount },
    ]
    if (order.isCash) {
      const name = `${type.name} ${quantity} shares of ${securityName(this.#population.profile, order.security)}`
      yield ['cash_transaction', { ct_t_id: id, ct_dts: completed, ct_amt: amount, ct_name: name }]
    }
    const broker = this.#brokers[numberOf(account.brokerId)] as BrokerTotals
    broker.trades += 1
    broker.commission += commission
  }

  /** Closes what the order closes and opens what is left of it; `gain` is negative for a loss. */
  #changePosition(order: InitialOrder): { gain: number; history: PlacedRow[] } {
    const { id, type, quantity, tradePrice } = order
    const position = this.#position(order)
    const closingOrder = order.isLifo ? position.holdings.toReversed() : position.holdings
    const change = type.isSell ? -quantity : quantity
    const { closings, buyValue, sellValue, opened } = closeHoldings(
      closingOrder,
      change,
      tradePrice,
    )
    const history = closings.map(({ holding, after }) =>
      holdingChange(id, { of: holding.h_t_id, before: holding.h_qty, after }),
    )
    if (closings.length > 0) position.holdings = afterClosing(position.holdings, closings)
    if (opened !== 0) {
      position.holdings.push({
        h_ca_id: position.accountId,
        h_s_symb: position.symbol,
        h_dts: momentOf(order.completedMs),
        h_t_id: id,
        h_price: tradePrice,
        h_qty: opened,
      })
      history.push(holdingChange(id, { of: id, before: 0, after: opened }))
    }
    return { gain: sellValue - buyValue, history }
  }

  *#leftBehind(): Iterable<PlacedRow> {
    for (const { accountId, symbol, holdings } of this.#positions.values()) {
      for (const holding of holdings) yield ['holding', holding]
      const quantity = holdings.reduce((sum, holding) => sum + holding.h_qty, 0)
      if (quantity === 0) continue
      yield ['holding_summary', { hs_ca_id: accountId, hs_s_symb: symbol, hs_qty: quantity }]
    }
    for (const [number, { trades, commission }] of this.#brokers.entries()) {
      const totals = { b_num_trades: trades, b_comm_total: commission }
      yield ['broker', { b_id: identifier(number), b_name: brokerName(number), ...totals }]
    }
  }

  #position({ account, security }: InitialOrder): Position {
    const key = `${account.id}/${security}`
    let position = this.#positions.get(key)
    if (position === undefined) {
      position = { accountId: account.id, symbol: symbolOf(security), holdings: [] }
      this.#positions.set(key, position)
    }
    return position
  }
}

function afterClosing(
  holdings: readonly Holding[],
  closings: readonly Closing<Holding>[],
): Holding[] {
  const left = new Map(closings.map(({ holding, after }) => [holding.h_t_id, after]))
  return holdings
    .map((holding) => ({ ...holding, h_qty: left.get(holding.h_t_id) ?? holding.h_qty }))
    .filter((holding) => holding.h_qty !== 0)
}

function tradeRow(
  order: InitialOrder,
  costs: { readonly charge: number; readonly commission: number; readonly tax: number },
): RowOf<'trade'> {
  return {
    t_id: order.id,
    t_dts: momentOf(order.completedMs),
    t_st_id: 'CMPT',
    t_tt_id: order.type.id,
    t_is_cash: Number(order.isCash),
    t_s_symb: symbolOf(order.security),
    t_qty: order.quantity,
    t_bid_price: order.bidPrice,
    t_ca_id: order.account.id,
    t_exec_name: order.executor,
    t_trade_price: order.tradePrice,
    t_chrg: costs.charge,
    t_comm: costs.commission,
    t_tax: costs.tax,
    t_lifo: Number(order.isLifo),
  }
}

/** Two rows for a market order, three for a limit order. */
function* statusRows(order: InitialOrder): Iterable<PlacedRow> {
  const { id, type } = order
  const at = (status: string, ms: number): PlacedRow => [
    'trade_history',
    { th_t_id: id, th_st_id: status, th_dts: momentOf(ms) },
  ]
  if (!type.isMarket) yield at('PNDG', order.orderedMs)
  yield at('SBMT', order.submittedMs)
  yield at('CMPT', order.completedMs)
}

function holdingChange(
  tradeId: number,
  change: { readonly of: number; readonly before: number; readonly after: number },
): PlacedRow {
  return [
    'holding_history',
    {
      hh_t_id: tradeId,
      hh_h_t_id: change.of,
      hh_before_qty: change.before,
      hh_after_qty: change.after,
    },
  ]
}

function taxRatesOf({ account }: InitialOrder): readonly number[] {
  const { country, division } = customerTaxRates(account.customer.number)
  return [countryTaxRate(country), divisionTaxRate(division)]
}

type Completed = { readonly completedMs: number; readonly id: number }

/**
 * Orders that wait for their completion; the first to be completed comes out first. They are kept
 * sorted: only the orders of a price period wait, and a new one is among the last of them.
 */
class CompletionQueue<Order extends Completed> {
  readonly #sorted: Order[] = []

  add(order: Order): void {
    const before = this.#sorted.findLastIndex((one) => isBefore(one, order))
    this.#sorted.splice(before + 1, 0, order)
  }

  /** Takes out, in their order, all that are completed at that time. */
  takeUntil(ms: number): readonly Order[] {
    const left = this.#sorted.findIndex(({ completedMs }) => completedMs > ms)
    return this.#sorted.splice(0, left === -1 ? this.#sorted.length : left)
  }
}

/** Of two that are completed at once, the one with the smaller id: the order of the key of HOLDING. */
function isBefore(one: Completed, other: Completed): boolean {
  return one.completedMs === other.completedMs
    ? one.id < other.id
    : one.completedMs < other.completedMs
}
