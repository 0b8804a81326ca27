// SPDX-License-Identifier: Apache-2.0
import { TRADE_TYPE_OF, type TradeTypeId } from '../population/codes.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import type { Population } from '../population/population.ts'
import type { RunFacts } from '../run-facts.ts'
import {
  type ColumnOf,
  type IndexOf,
  SCHEMA,
  TABLE_NAMES,
  type TableName,
} from '../schema/schema.ts'
import type { IndexShape, Value } from '../schema/table-shape.ts'
import { type Check, type CheckResult, resultOf } from './check.ts'
import { POSITION_CHECKS } from './position-checks.ts'
import { readStoreImage, type StoreImage, type TradeImage, type Walker } from './store-image.ts'

/** What happened since the load, against what was loaded and what the driver saw. */
const RUN_CHECKS: readonly Check[] = [
  {
    number: 8,
    title: 'CA_BAL has changed by the sum of CT_AMT since the load',
    *problems({ image, population }) {
      const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
      const sums = new Map<number, number>()
      for (const [tradeId, amount] of image.payments) {
        const account = image.trades.get(tradeId)?.t_ca_id
        if (tradeId < firstOfRuns || account === undefined) continue
        sums.set(account, (sums.get(account) ?? 0) + amount)
      }
      for (const [id, { ca_bal }] of image.accounts) {
        const change = ca_bal - population.accountWithId(id).balance
        const sum = sums.get(id) ?? 0
        if (change !== sum) yield `account ${id}: its balance has changed by ${change}, not ${sum}`
      }
    },
  },
  {
    number: 11,
    title: 'LT_VOL has grown by what Market-Feed reported since the load',
    *problems({ image, facts }) {
      for (const [symbol, volume] of image.volumes) {
        const { acknowledged = 0, ambiguous = 0 } = facts.tickerVolume.get(symbol) ?? {}
        if (volume >= acknowledged && volume <= acknowledged + ambiguous) continue
        yield `${symbol}: its volume is ${volume}, reported ${acknowledged} and perhaps ${ambiguous}`
      }
    },
  },
  {
    number: 12,
    title: 'as many trades were completed as the driver saw completed',
    *problems({ image, population, facts }) {
      const { acknowledged, ambiguous } = facts.tradeResults
      const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
      const isCompleted = ([tradeId, { t_st_id }]: [number, TradeImage]) =>
        tradeId >= firstOfRuns && t_st_id === 'CMPT'
      const completed = [...image.trades].filter(isCompleted).length
      if (completed >= acknowledged && completed <= acknowledged + ambiguous) return
      yield `${completed} were completed; the driver saw ${acknowledged} and perhaps ${ambiguous}`
    },
  },
  {
    number: 13,
    title: 'an order that was rolled back on purpose left nothing behind',
    *problems({ image, facts }) {
      const ofHoldings = [...image.histories.values()].flat().map((change) => change.hh_t_id)
      const places: readonly (readonly [string, ReadonlySet<number>])[] = [
        ['TRADE', new Set(image.trades.keys())],
        ['TRADE_HISTORY', new Set(image.statuses.keys())],
        ['TRADE_REQUEST', image.requests],
        ['SETTLEMENT', new Set(image.settlements.keys())],
        ['CASH_TRANSACTION', new Set(image.payments.keys())],
        ['HOLDING', new Set(image.holdings.map((holding) => holding.h_t_id))],
        ['HOLDING_HISTORY', new Set(ofHoldings)],
      ]
      for (const tradeId of facts.forcedRollbacks) {
        for (const [table, ids] of places) {
          if (ids.has(tradeId)) yield `trade ${tradeId} was rolled back and is in ${table}`
        }
      }
    },
  },
  {
    number: 15,
    title: 'after Trade-Cleanup no trade is pending or submitted',
    *problems({ image, population, facts }) {
      const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
      for (const [tradeId, { t_st_id }] of image.trades) {
        const isConcerned = facts.isCleanedUp || tradeId < firstOfRuns
        const isOpen = t_st_id === 'PNDG' || t_st_id === 'SBMT'
        if (isConcerned && isOpen) yield `trade ${tradeId} is ${t_st_id}`
      }
      if (facts.isCleanedUp && image.requests.size > 0) {
        yield `TRADE_REQUEST has ${image.requests.size} rows`
      }
    },
  },
]

/** The life of a trade: its status, its history, its money. */
const TRADE_CHECKS: readonly Check[] = [
  {
    number: 6,
    title: 'the history of a trade has each step of its life once',
    *problems({ image }) {
      for (const [tradeId, trade] of image.trades) {
        const statuses = image.statuses.get(tradeId) ?? 'none'
        const kind = TRADE_TYPE_OF[trade.t_tt_id as TradeTypeId].isMarket ? 'market' : 'limit'
        if (statuses === STATUSES[trade.t_st_id]?.[kind]) continue
        yield `trade ${tradeId}, ${trade.t_tt_id} ${trade.t_st_id}: its statuses are ${statuses}`
      }
      for (const tradeId of image.statuses.keys()) {
        if (!image.trades.has(tradeId)) yield `trade ${tradeId}: a history without a trade`
      }
    },
  },
  {
    number: 7,
    title: 'a trade is settled if and only if it is completed, and paid if it is a cash trade',
    *problems({ image }) {
      for (const [tradeId, trade] of image.trades) yield* moneyProblems(image, tradeId, trade)
      for (const [name, ids] of [
        ['settlement', image.settlements.keys()],
        ['payment', image.payments.keys()],
      ] as const) {
        for (const tradeId of ids) {
          if (!image.trades.has(tradeId)) yield `trade ${tradeId}: a ${name} without a trade`
        }
      }
    },
  },
  {
    number: 9,
    title: 'TRADE_REQUEST has exactly the pending trades',
    *problems({ image }) {
      for (const [tradeId, { t_st_id }] of image.trades) {
        if (t_st_id === 'PNDG' && !image.requests.has(tradeId)) {
          yield `trade ${tradeId} is pending without a request`
        }
      }
      for (const tradeId of image.requests) {
        const status = image.trades.get(tradeId)?.t_st_id ?? 'absent'
        if (status !== 'PNDG') yield `trade ${tradeId} is ${status} and has a request`
      }
    },
  },
]

/** What the statuses of an order may be that has come so far, in alphabetical order. */
const STATUSES: Readonly<Record<string, { readonly market: string; readonly limit: string }>> = {
  PNDG: { market: 'impossible', limit: 'PNDG' },
  SBMT: { market: 'SBMT', limit: 'PNDG SBMT' },
  CMPT: { market: 'CMPT SBMT', limit: 'CMPT PNDG SBMT' },
  CNCL: { market: 'CNCL SBMT', limit: 'CNCL PNDG SBMT' },
}

function* moneyProblems(image: StoreImage, tradeId: number, trade: TradeImage): Iterable<string> {
  const isCompleted = trade.t_st_id === 'CMPT'
  const settled = image.settlements.get(tradeId)
  const paid = image.payments.get(tradeId)
  const isPaid = isCompleted && trade.t_is_cash === 1
  const which = `trade ${tradeId}, ${trade.t_st_id}`
  if ((settled !== undefined) !== isCompleted) yield `${which}: its settlement is ${settled}`
  if ((paid !== undefined) !== isPaid) yield `${which}: its payment is ${paid}`
  if (paid !== undefined && paid !== settled) yield `${which}: paid ${paid}, settled ${settled}`
}

/** The official conditions 1 and 2. */
const BROKER_CHECKS: readonly Check[] = [
  {
    number: 1,
    title: 'B_NUM_TRADES is the number of completed trades of the broker',
    *problems({ image }) {
      for (const [broker, { trades }] of completedTotals(image)) {
        const counted = image.brokers.get(broker)?.b_num_trades
        if (counted !== trades) yield `broker ${broker} counts ${counted} trades of ${trades}`
      }
    },
  },
  {
    number: 2,
    title: 'B_COMM_TOTAL is the sum of T_COMM of those trades',
    *problems({ image }) {
      for (const [broker, { commission }] of completedTotals(image)) {
        const summed = image.brokers.get(broker)?.b_comm_total
        if (summed !== commission) yield `broker ${broker} sums ${summed} cents of ${commission}`
      }
    },
  },
]

/** By broker: its completed trades. */
function completedTotals({ brokers, trades, accounts }: StoreImage) {
  const totals = new Map([...brokers.keys()].map((id) => [id, { trades: 0, commission: 0 }]))
  for (const { t_st_id, t_ca_id, t_comm } of trades.values()) {
    const account = accounts.get(t_ca_id)
    if (t_st_id !== 'CMPT' || account === undefined) continue
    const known = totals.get(account.ca_b_id) ?? { trades: 0, commission: 0 }
    known.trades += 1
    known.commission += t_comm
    totals.set(account.ca_b_id, known)
  }
  return totals
}

const CHECKS = [...BROKER_CHECKS, ...POSITION_CHECKS, ...TRADE_CHECKS, ...RUN_CHECKS]

/** The fifteen checks, in their order, of a store in which nothing runs. */
export async function checkAll(
  store: Walker,
  population: Population,
  facts: RunFacts,
): Promise<readonly CheckResult[]> {
  const evidence = { image: await readStoreImage(store), population, facts }
  const results = CHECKS.map((check) => resultOf(check, check.problems(evidence)))
  return [...results, await checkIndexes(store)].sort((one, other) => one.number - other.number)
}

/** `15 of 15 checks hold`, and each that does not with examples of what is wrong. */
export function verdictLines(results: readonly CheckResult[]): readonly string[] {
  const broken = results.filter(({ problems }) => problems > 0)
  const line = `${results.length - broken.length} of ${results.length} checks hold`
  const reasons = broken.flatMap(({ number, title, problems, examples }) => [
    `check ${number} does not hold: ${title} (${problems.toLocaleString('en')} problems)`,
    ...examples.map((example) => `  ${example}`),
  ])
  return [line, ...reasons]
}

type Row = Readonly<Record<string, Value>>

/**
 * Check 14: every entry of a secondary index is of a row with those values, and every row has its entry.
 * Reads only columns that the entries themselves carry, so that an engine answers from the index alone.
 */
async function checkIndexes(store: Walker): Promise<CheckResult> {
  const problems: string[] = []
  for (const table of TABLE_NAMES) {
    for (const index of SCHEMA[table].indexes)
      problems.push(...(await differences(store, table, index)))
  }
  return resultOf(
    { number: 14, title: 'the secondary indexes and their rows are the same' },
    problems,
  )
}

async function differences(
  store: Walker,
  table: TableName,
  { name, columns, unique }: IndexShape,
): Promise<string[]> {
  const asked = [...new Set([...columns, ...SCHEMA[table].primaryKey])] as ColumnOf<TableName>[]
  const textOf = (row: Row) => asked.map((column) => row[column]).join(' | ')
  const unmatched = new Set<string>()
  for await (const rows of store.walk(table, asked)) {
    for (const row of rows) unmatched.add(textOf(row))
  }
  const problems: string[] = []
  let previous: Row | undefined
  const index = name as IndexOf<TableName>
  for await (const entries of store.walk(table, asked, { index })) {
    for (const entry of entries as readonly Row[]) {
      const text = textOf(entry)
      if (!unmatched.delete(text)) problems.push(`${name}: an entry without its row: ${text}`)
      const order = previous === undefined ? -1 : compareBy(columns, previous, entry)
      if (order > 0) problems.push(`${name}: an entry out of its order: ${text}`)
      if (order === 0 && unique) problems.push(`${name}: an entry twice: ${text}`)
      previous = entry
    }
  }
  for (const text of unmatched) problems.push(`${name}: a row without its entry: ${text}`)
  return problems
}

/** By code units, which is how all three engines order texts of ASCII. */
export function compareBy(columns: readonly string[], one: Row, other: Row): number {
  for (const column of columns) {
    const [left, right] = [one[column] as string | number, other[column] as string | number]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
