// SPDX-License-Identifier: Apache-2.0
import type { Sample } from '../../harness/sample.ts'
import { verdictLines } from '../checks/all-checks.ts'
import { MIX_PERCENT } from '../driver/transaction-names.ts'
import { runLines } from './run-lines.ts'
import { committedOrders, countOf, type RunSummary, transactionsOf } from './run-summary.ts'

/** Half a percent point, and what chance adds to it where a run is short. */
const MIX_POINTS_MAX = 0.5
const DEVIATIONS_MAX = 3
const RATIO = { short: [0.94, 1.06], long: [0.98, 1.02] } as const
const SHORT_SECONDS = 120

export function sampleOf(summary: RunSummary): Sample {
  const { cpu, seconds, storeRequests, diskBytes } = summary
  const results = countOf(summary, 'Trade-Result')
  const transactions = transactionsOf(summary)
  const retries = summary.transactions.reduce((sum, one) => sum + one.retries, 0)
  return {
    operations: results,
    seconds,
    cpuSeconds: cpu.engine,
    ...(cpu.driver === undefined ? {} : { driverCpuSeconds: cpu.driver }),
    figures: {
      transactionsPerSecond: transactions / seconds,
      coresUsed: cpu.engine / seconds,
      resultsPerCore: cpu.engine === 0 ? 0 : results / cpu.engine,
      cpuMicrosPerTransaction: (cpu.engine * 1e6) / Math.max(1, transactions),
      ...(cpu.driver === undefined
        ? {}
        : { driverCpuMicrosPerTransaction: (cpu.driver * 1e6) / Math.max(1, transactions) }),
      retriesPerTransaction: retries / Math.max(1, transactions),
      conflictsPerSecond: conflictsOf(summary) / seconds,
      checksHeld: summary.checks.filter(({ problems }) => problems === 0).length,
      ...(storeRequests === undefined
        ? {}
        : { storeRequestsPerTransaction: storeRequests / Math.max(1, transactions) }),
      diskMiB: diskBytes / 2 ** 20,
    },
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
    const percent = MIX_PERCENT[name]
    // The market's two are bound to the orders; that is judged by their ratio.
    if (percent === undefined || name === 'Trade-Result' || name === 'Market-Feed') return []
    const share = percent / 100
    const chance = 100 * Math.sqrt((share * (1 - share)) / Math.max(1, all))
    const off = (100 * ended) / Math.max(1, all) - percent
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
