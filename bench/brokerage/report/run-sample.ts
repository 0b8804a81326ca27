// SPDX-License-Identifier: Apache-2.0
import { present, type Sample } from '../../harness/sample.ts'
import { alignColumns, shortNumber } from '../../report/report-table.ts'
import { verdictLines } from '../checks/all-checks.ts'
import type { CheckResult } from '../checks/check.ts'
import type { TransactionFigures } from '../driver/tally.ts'
import { isMarketCall, TRANSACTIONS } from '../driver/transaction-names.ts'

/** Half a percent point, and what chance adds to it where a run is short. */
const MIX_POINTS_MAX = 0.5
const DEVIATIONS_MAX = 3
const RATIO = { short: [0.94, 1.06], long: [0.98, 1.02] } as const
const SHORT_SECONDS = 120

export function sampleOf(summary: RunSummary): Sample {
  const { cpu, seconds, storeRequests, diskBytes } = summary
  const results = countOf(summary, 'Trade-Result')
  const transactions = transactionsOf(summary)
  const each = (sum: number) => sum / Math.max(1, transactions)
  const retries = summary.transactions.reduce((sum, one) => sum + one.retries, 0)
  return {
    operations: results,
    seconds,
    cpuSeconds: cpu.engine,
    ...(cpu.driver === undefined ? {} : { driverCpuSeconds: cpu.driver }),
    figures: present({
      transactionsPerSecond: transactions / seconds,
      coresUsed: cpu.engine / seconds,
      resultsPerCore: cpu.engine === 0 ? 0 : results / cpu.engine,
      cpuMicrosPerTransaction: each(cpu.engine * 1e6),
      driverCpuMicrosPerTransaction: cpu.driver && each(cpu.driver * 1e6),
      retriesPerTransaction: each(retries),
      conflictsPerSecond: conflictsOf(summary) / seconds,
      checksHeld: summary.checks.filter(({ problems }) => problems === 0).length,
      storeRequestsPerTransaction: storeRequests && each(storeRequests),
      diskMiB: diskBytes / 2 ** 20,
    }),
    findings: { lines: runLines(summary), data: summary, failures: failuresOf(summary) },
  }
}

function conflictsOf({ transactions }: RunSummary): number {
  return transactions.reduce((sum, { aborts }) => sum + (aborts.writeConflict ?? 0), 0)
}

/** Why a run does not count. What has no database has no checks, and keeps no mix. */
export function failuresOf(summary: RunSummary): readonly string[] {
  if (summary.checks.length === 0) return []
  return [
    ...mixFailures(summary),
    ...[summary.checks, summary.checksAfterCleanup].flatMap((results) => {
      return results.some(({ problems }) => problems > 0) ? verdictLines(results) : []
    }),
  ]
}

function mixFailures(summary: RunSummary): string[] {
  const all = transactionsOf(summary)
  const failures = summary.transactions.flatMap(({ name, ended }) => {
    // The market's two are bound to the orders; that is judged by their ratio.
    if (isMarketCall(name)) return []
    const share = TRANSACTIONS[name].weight / 1_000
    const chance = 100 * Math.sqrt((share * (1 - share)) / Math.max(1, all))
    const off = 100 * (ended / Math.max(1, all) - share)
    if (Math.abs(off) <= MIX_POINTS_MAX + DEVIATIONS_MAX * chance) return []
    return [`the mix is off: ${name} by ${off.toFixed(2)} points`]
  })
  const committed = committedOrders(summary)
  const ratio = countOf(summary, 'Trade-Result') / Math.max(1, committed)
  const [min, max] = Math.round(summary.seconds) <= SHORT_SECONDS ? RATIO.short : RATIO.long
  // Two counts of independent events.
  const chance = DEVIATIONS_MAX * Math.sqrt(2 / Math.max(1, committed))
  if (ratio >= min - chance && ratio <= max + chance) return failures
  return [...failures, `${ratio.toFixed(3)} trade results for each order that was committed`]
}

/** A run in words and one table, for the text of the report. */
function runLines(summary: RunSummary): readonly string[] {
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
  const { weight, limitSeconds } = TRANSACTIONS[name]
  const reasons = Object.entries(one.aborts).map(([cause, count]) => `${cause} ${count}`)
  if (one.gaveUp > 0) reasons.push(`gave up ${one.gaveUp}`)
  return [
    name,
    String(ended),
    ((100 * ended) / Math.max(1, all)).toFixed(2),
    (weight / 10).toFixed(1),
    ...[latency.p50, latency.p90, latency.p99, latency.max].map(shortNumber),
    shortNumber(attemptLatency.p99),
    latency.p90 <= limitSeconds * 1000 ? 'yes' : 'no',
    rowsFound === undefined ? '' : rowsFound.toFixed(1),
    String(one.retries),
    reasons.join(', '),
  ]
}

/** Everything that one run on one engine found out. */
export type RunSummary = {
  readonly engine: { readonly name: string; readonly description: string }
  readonly seconds: number
  readonly users: number
  /** Trade results per second that the size of the population is meant for. */
  readonly nominal: number
  readonly isPaced: boolean
  readonly transactions: readonly TransactionFigures[]
  readonly cpu: { readonly engine: number; readonly driver?: number }
  /** Limit orders that waited for their price when the time was over. */
  readonly waiting: number
  readonly cancelledBefore: number
  readonly cancelledAfter: number
  /** Requests of the engine's processes to a store on the network. */
  readonly storeRequests?: number
  readonly diskBytes: number
  readonly killed: boolean
  /** After the run, and again after the clean-up behind it; none without a database. */
  readonly checks: readonly CheckResult[]
  readonly checksAfterCleanup: readonly CheckResult[]
}

type Counts = Pick<RunSummary, 'transactions'>

/** How many transactions of the mix ended. */
function transactionsOf({ transactions }: Counts): number {
  return transactions.reduce((sum, { ended }) => sum + ended, 0)
}

function countOf({ transactions }: Counts, name: TransactionFigures['name']): number {
  return transactions.find((one) => one.name === name)?.ended ?? 0
}

/** Orders that were not taken back. */
function committedOrders(counts: Counts): number {
  return countOf(counts, 'Trade-Order') - rolledBackOrders(counts)
}

function rolledBackOrders({ transactions }: Counts): number {
  return transactions.find(({ name }) => name === 'Trade-Order')?.rolledBack ?? 0
}
