// SPDX-License-Identifier: Apache-2.0
import { alignColumns, shortNumber } from '../../report/report-table.ts'
import { verdictLines } from '../checks/all-checks.ts'
import type { TransactionFigures } from '../driver/tally.ts'
import { LIMIT_SECONDS, MIX_PERCENT } from '../driver/transaction-names.ts'
import {
  committedOrders,
  countOf,
  type RunSummary,
  rolledBackOrders,
  transactionsOf,
} from './run-summary.ts'

/** A run in words and one table, for the text of the report. */
export function runLines(summary: RunSummary): readonly string[] {
  const { engine, seconds, cpu, checks } = summary
  const results = countOf(summary, 'Trade-Result')
  const all = transactionsOf(summary)
  const committed = committedOrders(summary)
  const perTransaction = (cpuSeconds: number) => shortNumber((cpuSeconds * 1e6) / Math.max(1, all))
  const driver =
    cpu.driver === undefined
      ? 'the driver in it'
      : `driver ${shortNumber(cpu.driver)} s, ${perTransaction(cpu.driver)} µs`
  return [
    engine.description,
    `${shortNumber(results / seconds)} TR/s in ${shortNumber(seconds)} s with ${summary.users} users, ${paceWords(summary, results / seconds)}; nominal ${shortNumber(summary.nominal)} TR/s, ratio ${shortNumber(results / seconds / summary.nominal)}`,
    `${shortNumber(cpu.engine === 0 ? 0 : results / cpu.engine)} TR/s per core: CPU ${shortNumber(cpu.engine)} s, ${perTransaction(cpu.engine)} µs for each transaction (${driver})`,
    `${shortNumber(results / Math.max(1, committed))} trade results for each committed order; ${rolledBackOrders(summary)} orders rolled back on purpose`,
    `${summary.waiting} limit orders waited at the end; clean-up cancelled ${summary.cancelledBefore} before and ${summary.cancelledAfter} after`,
    ...(summary.storeRequests === undefined
      ? []
      : [
          `${shortNumber(summary.storeRequests / Math.max(1, all))} requests to the store for each transaction`,
        ]),
    `${shortNumber(summary.diskBytes / 2 ** 20)} MiB on disk${summary.killed ? '; the server was killed in the middle' : ''}`,
    ...transactionTable(summary.transactions, all),
    ...(checks.length === 0 ? [] : verdictLines(checks)),
    ...(checks.length === 0
      ? []
      : verdictLines(summary.checksAfterCleanup).map((line, position) => {
          return position === 0 ? `after Trade-Cleanup: ${line}` : line
        })),
  ]
}

/** Of the nominal rate, below which a pace does not count as kept. */
const PACE_KEPT = 0.8

function paceWords({ isPaced, nominal }: RunSummary, rate: number): string {
  if (!isPaced) return 'as fast as they can'
  return rate < PACE_KEPT * nominal ? 'paced, but the pace was not kept' : 'paced'
}

const HEADS = [
  'transaction',
  'count',
  'mix %',
  'of',
  'p50 ms',
  'p90',
  'p99',
  'max',
  'attempt p99',
  'in limit',
  'rows',
  'retries',
  'why',
]

function transactionTable(transactions: readonly TransactionFigures[], all: number): string[] {
  const rows = transactions.filter(({ ended, gaveUp }) => ended + gaveUp > 0)
  return alignColumns([HEADS, ...rows.map((one) => transactionRow(one, all))])
}

function transactionRow(one: TransactionFigures, all: number): string[] {
  const { name, ended, latency, attemptLatency, rowsFound } = one
  const percent = MIX_PERCENT[name]
  const limit = LIMIT_SECONDS[name]
  const reasons = Object.entries(one.aborts).map(([cause, count]) => `${cause} ${count}`)
  if (one.gaveUp > 0) reasons.push(`gave up ${one.gaveUp}`)
  return [
    name,
    String(ended),
    percent === undefined ? '' : ((100 * ended) / Math.max(1, all)).toFixed(2),
    percent === undefined ? '' : percent.toFixed(1),
    ...[latency.p50, latency.p90, latency.p99, latency.max].map(shortNumber),
    shortNumber(attemptLatency.p99),
    limit === undefined ? '' : latency.p90 <= limit * 1000 ? 'yes' : 'no',
    rowsFound === undefined ? '' : rowsFound.toFixed(1),
    String(one.retries),
    reasons.join(', '),
  ]
}
