// SPDX-License-Identifier: Apache-2.0
import { get, getMany, type Session } from '../engine.ts'
import type { TradeTypeId } from '../population/codes.ts'
import type { CounterRandom, RowRandom } from '../population/counter-random.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import type { Population } from '../population/population.ts'
import type { Counted, RunFacts } from '../run-facts.ts'
import {
  type InputOf,
  type PerformedName,
  perform,
  type ResultOf,
} from '../transactions/all-transactions.ts'
import type { TickerEntry } from '../transactions/market-feed.ts'
import { singleKeys } from '../transactions/rows-by-key.ts'
import type { MarketOrder } from '../transactions/trade-order.ts'
import { type AttemptsDependencies, attempt } from './attempts.ts'
import { type CustomerCall, CustomerEmulator } from './customers/customer-emulator.ts'
import type { MarketClock } from './market-emulator.ts'

/** Tried in vain twenty times, a result is delivered again, so many times. */
const DELIVERIES_MAX = 5

export type WorkloadDependencies = AttemptsDependencies & {
  readonly population: Population
  readonly random: CounterRandom
  readonly clock: MarketClock
  readonly ledger: RunLedger
  /** Takes an order whose transaction was committed. */
  readonly order: (order: MarketOrder) => void
  /** The limit orders of a security that wait and that this price would set going. */
  readonly triggeredAt: (symbol: string, price: number) => readonly MarketOrder[]
}

/** The orders that an entry of a feed has set going, and whether it is sure that it happened once. */
type FedEntry = {
  readonly orders: readonly MarketOrder[]
  readonly certainty: keyof Counted
}

/** Calls the transactions with their inputs, and puts down what became of them. */
export class Workload {
  readonly #deps: WorkloadDependencies
  readonly #inputs: CustomerEmulator
  #nextTradeId: number

  constructor(deps: WorkloadDependencies) {
    this.#deps = deps
    this.#inputs = new CustomerEmulator(deps.population)
    this.#nextTradeId = firstRunTradeIdentifier(deps.population.profile.trades)
  }

  /** One call of a customer. @param intendedMs When it should have begun. */
  async call(
    name: CustomerCall,
    session: Session,
    random: RowRandom,
    intendedMs: number,
  ): Promise<void> {
    if (name === 'Trade-Order') {
      await this.#tradeOrder(session, random, intendedMs)
      return
    }
    const input = this.#inputs.inputOf(name, random)
    const result = await this.#run(name, session, intendedMs, input)
    // Of lookups and updates.
    if (result === undefined || !('rows' in result)) return
    const kind = this.#deps.tally().of(name)
    kind.rowsFound += result.rows
    kind.lookups += 1
  }

  /** @param intendedMs When the market wanted it. */
  async tradeResult(
    session: Session,
    { tradeId }: MarketOrder,
    { price, intendedMs }: { readonly price: number; readonly intendedMs: number },
  ): Promise<void> {
    const { clock, ledger } = this.#deps
    for (let delivery = 0; delivery < DELIVERIES_MAX; delivery += 1) {
      const input = { tradeId, price, now: clock.now() }
      // What was lost is delivered again: a result that is there already is left as it is.
      const done = await this.#run('Trade-Result', session, intendedMs, input)
      if (done === undefined) continue
      ledger.addTradeResult('acknowledged')
      return
    }
    ledger.addTradeResult('ambiguous')
  }

  /** Twenty transactions, one behind the other. @param intendedMs When the market wanted it. */
  async marketFeed(
    session: Session,
    entries: readonly TickerEntry[],
    intendedMs: number,
  ): Promise<readonly MarketOrder[]> {
    const { clock, tally, ledger } = this.#deps
    const startedMs = performance.now()
    const triggered: MarketOrder[] = []
    for (const entry of entries) {
      const input = { entry, now: clock.now() }
      const work = async (): Promise<FedEntry> => ({
        orders: await perform(session, 'Market-Feed', input),
        certainty: 'acknowledged',
      })
      const settle = () => this.#settleFeed(session, entry)
      const attempted = await attempt({ name: 'Market-Feed', work, settle }, this.#deps)
      if (attempted.kind === 'gaveUp') {
        tally().of('Market-Feed').gaveUp += 1
        continue
      }
      const { orders, certainty } = attempted.result
      ledger.addTickerVolume(entry.symbol, entry.quantity, certainty)
      triggered.push(...orders)
    }
    const endedMs = performance.now()
    tally().ended('Market-Feed', { total: endedMs - intendedMs, attempt: endedMs - startedMs })
    return triggered
  }

  async #tradeOrder(session: Session, random: RowRandom, intendedMs: number): Promise<void> {
    const { clock, tally, ledger, order } = this.#deps
    const tradeId = this.#nextTradeId++
    const input = this.#inputs.tradeOrder(random, { tradeId, now: clock.now() })
    const done = await this.#run('Trade-Order', session, intendedMs, input, async () => {
      const found = await findOrder(session, tradeId)
      return found === undefined ? undefined : { kind: 'ordered', order: found, estimatedTax: 0 }
    })
    if (done === undefined) return
    if (done.kind === 'ordered') {
      order(done.order)
      return
    }
    tally().of('Trade-Order').rolledBack += 1
    ledger.forcedRollbacks.push(tradeId)
  }

  /**
   * A feed's entry whose answer was lost. Orders that wait no longer tell that it has happened; where
   * there are none it is sent again. Its volume is in doubt either way.
   */
  async #settleFeed(
    session: Session,
    { symbol, price, quantity }: TickerEntry,
  ): Promise<FedEntry | undefined> {
    const orders = await submittedOf(session, this.#deps.triggeredAt(symbol, price))
    if (orders.length > 0) return { orders, certainty: 'ambiguous' }
    this.#deps.ledger.addTickerVolume(symbol, quantity, 'ambiguous')
    return undefined
  }

  /** Undefined when it was given up. */
  async #run<Name extends PerformedName>(
    name: Name,
    session: Session,
    intendedMs: number,
    input: InputOf<Name>,
    settle?: () => Promise<ResultOf<Name> | undefined>,
  ): Promise<ResultOf<Name> | undefined> {
    const { tally } = this.#deps
    const call = { name, work: () => perform(session, name, input) }
    const attempted = await attempt(settle === undefined ? call : { ...call, settle }, this.#deps)
    if (attempted.kind === 'gaveUp') {
      tally().of(name).gaveUp += 1
      return undefined
    }
    const total = performance.now() - intendedMs
    tally().ended(name, { total, attempt: attempted.attemptMs })
    return attempted.result
  }
}

const NOTHING: Counted = { acknowledged: 0, ambiguous: 0 }

/** Keeps what the driver saw of all runs on one store, for the checks to compare with. */
export class RunLedger implements RunFacts {
  readonly tickerVolume = new Map<string, Counted>()
  readonly forcedRollbacks: number[] = []
  tradeResults = NOTHING
  isCleanedUp = true

  addTradeResult(certainty: keyof Counted): void {
    this.tradeResults = plus(this.tradeResults, certainty, 1)
  }

  addTickerVolume(symbol: string, quantity: number, certainty: keyof Counted): void {
    const before = this.tickerVolume.get(symbol) ?? NOTHING
    this.tickerVolume.set(symbol, plus(before, certainty, quantity))
  }
}

function plus(counted: Counted, certainty: keyof Counted, amount: number): Counted {
  return { ...counted, [certainty]: counted[certainty] + amount }
}

/** What a Trade-Order whose answer was lost has left behind: its order, or nothing. */
async function findOrder(session: Session, tradeId: number): Promise<MarketOrder | undefined> {
  const transaction = await session.begin({ readOnly: true })
  const [trade] = await transaction.read(
    get('trade', [tradeId], ['t_s_symb', 't_tt_id', 't_qty', 't_bid_price']),
  )
  await transaction.commit()
  if (trade === undefined) return undefined
  return {
    tradeId,
    symbol: trade.t_s_symb,
    type: trade.t_tt_id as TradeTypeId,
    quantity: trade.t_qty,
    price: trade.t_bid_price,
  }
}

/** Those of these orders that the market was told of. */
async function submittedOf(
  session: Session,
  orders: readonly MarketOrder[],
): Promise<readonly MarketOrder[]> {
  const transaction = await session.begin({ readOnly: true })
  const [trades] = await transaction.read(
    getMany('trade', singleKeys(orders.map((order) => order.tradeId)), ['t_st_id']),
  )
  await transaction.commit()
  return orders.filter((_order, position) => trades[position]?.t_st_id === 'SBMT')
}
