// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../../harness/experiment.ts'
import type { Latency, Sample } from '../../harness/sample.ts'
import { onShared, type Shared } from '../../harness/shared.ts'
import type { Field } from '../field.ts'
import type { Distribution } from './backlog.ts'
import { type IncrementalOrder, type IncrementalRun, runIncremental } from './incremental-run.ts'

/** A run that makes the repository grow by more is shorter, but not shorter than this. */
const GROWTH_MAX = 0.2
const SECONDS_MIN = 15
const WARM_UP_SHARE = 0.25

export const INCREMENTAL = 'percolite'

/** Percolite with an observer, at one crawl rate. */
export function incrementalContender(shared: Shared<Field>, percent: number): Contender {
  const runAt = async (field: Field, seconds: number, signal: AbortSignal) => {
    const order = orderOf(field, percent, seconds)
    const run = await runIncremental(field, order, signal)
    const delayMs = run.backlog.isGrowing ? undefined : run.delay.p50
    const cpuMs = (run.cpuSeconds * 1e3) / Math.max(1, run.counted)
    field.remember(INCREMENTAL, { percent, delayMs, cpuMs })
    return sampleOf(field, order, run)
  }
  return onShared(
    `${INCREMENTAL}, ${percent} %`,
    shared,
    (field) => (seconds, signal) => runAt(field, seconds, signal),
    { series: INCREMENTAL, x: percent },
  )
}

/** A crawl at this rate: as long as asked for, while the repository does not grow too much and there are documents. */
function orderOf(field: Field, percent: number, asked: number): IncrementalOrder {
  const ratePerSecond = field.documentsPerSecond(percent)
  const { repository } = field.order.documents
  const fewSeconds = (GROWTH_MAX * repository) / ratePerSecond
  const secondsMax = (field.documents.count - repository) / ratePerSecond
  const seconds = Math.min(asked, secondsMax, Math.max(SECONDS_MIN, fewSeconds))
  return { ratePerSecond, seconds, warmUpSeconds: seconds * WARM_UP_SHARE }
}

function sampleOf(field: Field, order: IncrementalOrder, run: IncrementalRun): Sample {
  const { backlog, delay } = run
  // What does not keep up has no delay: it grows for as long as one measures.
  const steady = backlog.isGrowing
    ? {}
    : {
        ...{ delayP50Ms: delay.p50, barLowMs: delay.p5, barHighMs: delay.p95 },
        delayInT0: delay.p50 / 1e3 / field.t0Seconds,
        ...{ loadP50Ms: run.load.p50, foundP50Ms: run.found.p50, runP50Ms: run.run.p50 },
      }
  return {
    operations: run.counted,
    seconds: run.seconds,
    cpuSeconds: run.cpuSeconds,
    driverCpuSeconds: run.driverCpuSeconds,
    ...(backlog.isGrowing ? {} : { latency: latencyOf(delay) }),
    figures: {
      documentsPerSecond: order.ratePerSecond,
      ...steady,
      saturated: backlog.isGrowing ? 1 : 0,
      lookupsPerDocument: run.lookupsPerDocument,
      conflictsPerDocument: run.conflicts / Math.max(1, run.clustered),
      growthPercent: (100 * run.crawled) / field.order.documents.repository,
      documentsPerCluster: field.shape.documentsPerCluster,
      sharedPercent: field.shape.sharedPercent,
    },
    overTime: { stepSeconds: 1, values: { backlog: run.backlogs } },
    findings: {
      lines: linesOf(run, order),
      data: { ...run, order },
      failures: [...run.failures, ...lostOf(run)],
    },
  }
}

function lostOf({ backlog, clustered, crawled }: IncrementalRun): readonly string[] {
  if (backlog.isGrowing || clustered === crawled) return []
  return [`${crawled - clustered} of ${crawled} documents were not clustered`]
}

function latencyOf({ count, p50, p95, p99, max }: Distribution): Latency {
  return { count, p50, p90: p95, p95, p99, p999: max, max }
}

function linesOf(run: IncrementalRun, order: IncrementalOrder): readonly string[] {
  const { backlog, delay, load, found } = run
  const ms = ({ p5, p50, p95, p99 }: Distribution) =>
    `${[p5, p50, p95, p99].map((value) => value.toFixed(1)).join(' / ')} ms`
  const rate = `${order.ratePerSecond.toFixed(1)} documents/s for ${order.seconds.toFixed(0)} s`
  const crawl = `${rate}: ${run.crawled} crawled by ${run.requests} requests, ${run.clustered} clustered`
  if (backlog.isGrowing) {
    return [
      crawl,
      `saturated: the backlog grows by ${backlog.growthPerSecond.toFixed(0)} documents/s in the last third`,
    ]
  }
  return [
    crawl,
    `delay, 5th / 50th / 95th / 99th percentile: ${ms(delay)}`,
    `of that until committed ${ms(load)}, until found ${ms(found)}, its run ${ms(run.run)}`,
    `${run.conflicts} runs met a conflict; backlog ${backlog.documents.toFixed(1)} documents`,
  ]
}
