// SPDX-License-Identifier: Apache-2.0
import type { ShapeFigures } from './shape-figures.ts'
import type { StatementStatistics } from './statement-statistics.ts'

/** By which of its figures a shape comes first. */
const ORDERS = {
  time: ({ durations }: ShapeFigures) => durations.totalMs,
  count: ({ durations }: ShapeFigures) => durations.count,
  slowest: ({ durations }: ShapeFigures) => durations.maxMs,
  rows: ({ rowsReturned, rowsWritten }: ShapeFigures) => rowsReturned + rowsWritten,
} as const

export type StatisticsOrder = keyof typeof ORDERS

/** `StatementStatistics` of `openapi.yaml`. */
export function statisticsAnswer(
  statistics: Pick<StatementStatistics, 'shapes' | 'since' | 'forgotten'>,
  { order, limit }: { readonly order: StatisticsOrder; readonly limit: number },
) {
  const { shapes, since, forgotten } = statistics
  const by = ORDERS[order]
  // One that is new has none before its first run has ended.
  const ran = shapes.filter(({ durations }) => durations.count > 0)
  const statements = ran.toSorted((one, other) => by(other) - by(one)).slice(0, limit)
  return {
    since: since.toISOString(),
    total: ran.length,
    forgotten,
    statements: statements.map(answerOf),
  }
}

function answerOf({ shape, durations, errors, rowsReturned, rowsWritten, access }: ShapeFigures) {
  return {
    statement: shape,
    ...access,
    count: durations.count,
    errors,
    totalMs: rounded(durations.totalMs),
    p50Ms: rounded(durations.quantileMs(0.5)),
    p99Ms: rounded(durations.quantileMs(0.99)),
    maxMs: rounded(durations.maxMs),
    rowsReturned,
    rowsWritten,
  }
}

/** To a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
