// SPDX-License-Identifier: Apache-2.0
import type { Histogram, RecordableHistogram } from 'node:perf_hooks'

/** What one contender did in one measured stretch of time. */
export type Sample = {
  /** Acknowledged units of work; the experiment's `unit` says of what. */
  readonly operations: number
  readonly seconds: number
  /**
   * User and system time of what is measured. Where it runs in the driver's own process, the
   * driver's time is in it.
   */
  readonly cpuSeconds: number
  /** User and system time of the driver, where what is measured is another process. */
  readonly driverCpuSeconds?: number
  /**
   * Of the processor time that was wanted on this machine, what its host gave to others, from 0 to 1;
   * added by the code that runs the experiment. Absent where the system does not tell.
   */
  readonly stolenShare?: number
  readonly latency?: Latency
  /** Other figures by name: `retries`, `residentMiB`, `eventLoopDelayP99Ms`, and so on. */
  readonly figures?: Readonly<Record<string, number>>
  readonly overTime?: OverTime
  readonly findings?: Findings
}

/** How a sample went on, for plots. */
export type OverTime = {
  readonly stepSeconds: number
  /** By name, one for each step. */
  readonly values: Readonly<Record<string, readonly number[]>>
  /** What was done to the system, and when. */
  readonly events?: ReadonlyArray<{ readonly atSeconds: number; readonly what: string }>
}

/** What cannot be said in figures that are compared. */
export type Findings = {
  /** For the text of the report, below the table. */
  readonly lines: readonly string[]
  /** For its JSON. */
  readonly data: unknown
  /** Why the sample does not count; with any of them the run ends as a failure. */
  readonly failures: readonly string[]
}

/** What work says of itself; time and CPU time are taken around it. */
export type WorkDone = Pick<Sample, 'operations' | 'latency' | 'figures'>

/**
 * Of single operations, in milliseconds. In a closed loop from the call, in an open loop from the
 * intended start, so that a stall is felt by every request that should have been sent during it.
 */
export type Latency = {
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** A histogram of nanoseconds (`createHistogram` of node:perf_hooks, an HDR histogram). */
export function latencyOf(histogram: Histogram & { readonly count?: number }): Latency {
  const msAt = (percentile: number) => histogram.percentile(percentile) / 1e6
  const count = Number(histogram.count ?? 0)
  if (count === 0) return { count, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0 }
  return {
    count,
    p50: msAt(50),
    p90: msAt(90),
    p95: msAt(95),
    p99: msAt(99),
    p999: msAt(99.9),
    max: histogram.max / 1e6,
  }
}

/** Of an operation that took so long; a histogram takes no 0. */
export function recordMs(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1e6)))
}

/** Figures that every sample has, figures of latency, and whatever a sample names itself. */
export type FigureName =
  | 'operationsPerSecond'
  | 'cpuMicrosPerOperation'
  | 'driverCpuMicrosPerOperation'
  | `latency.${Exclude<keyof Latency, 'count'>}`
  | `figures.${string}`

/** The figure of this name; undefined where the sample has none. */
export function figureOf(sample: Sample, name: FigureName): number | undefined {
  switch (name) {
    case 'operationsPerSecond':
      return sample.operations / sample.seconds
    case 'cpuMicrosPerOperation':
      return microsPerOperation(sample, sample.cpuSeconds)
    case 'driverCpuMicrosPerOperation':
      return microsPerOperation(sample, sample.driverCpuSeconds)
  }
  const field = name.slice(name.indexOf('.') + 1)
  if (name.startsWith('latency.')) return sample.latency?.[field as keyof Latency]
  return sample.figures?.[field]
}

function microsPerOperation(sample: Sample, cpuSeconds: number | undefined): number | undefined {
  if (cpuSeconds === undefined || sample.operations === 0) return undefined
  return (cpuSeconds * 1e6) / sample.operations
}

/** Those of the figures that there are. */
export function present(
  figures: Readonly<Record<string, number | undefined>>,
): Record<string, number> {
  const entries = Object.entries(figures).flatMap(([name, value]) => {
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
