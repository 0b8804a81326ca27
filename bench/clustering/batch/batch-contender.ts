// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../../harness/experiment.ts'
import type { Sample } from '../../harness/sample.ts'
import { onShared, type Shared } from '../../harness/shared.ts'
import { spreadOf } from '../../report/statistics.ts'
import type { Field } from '../field.ts'
import { type BatchRun, runBatch } from './batch-run.ts'
import type { PassVariant } from './passes.ts'

const BEHIND_SECONDS_MAX = 1
const BEHIND_SHARE_MAX = 0.05

/**
 * Passes over everything, again and again, at one crawl rate. Its time is that of three runs, whatever is asked for.
 */
export function batchContender(
  shared: Shared<Field>,
  variant: PassVariant,
  percent: number,
): Contender {
  const run = async (field: Field, signal: AbortSignal) => {
    const ratePerSecond = field.documentsPerSecond(percent)
    const done = await runBatch(field, { variant, ratePerSecond }, signal)
    const sample = sampleOf(field, ratePerSecond, done)
    const cpuMs = (sample.cpuSeconds * 1e3) / Math.max(1, sample.operations)
    field.remember(variant, { percent, delayMs: sample.figures?.delayP50Ms, cpuMs })
    const points = done.runs.map(({ from, end, seconds }) => ({ x: end - from, y: seconds }))
    field.passes.set(variant, [...(field.passes.get(variant) ?? []), ...points])
    return sample
  }
  return onShared(
    `${variant}, ${percent} %`,
    shared,
    (field) => (_seconds, signal) => run(field, signal),
    { series: variant, x: percent },
  )
}

function sampleOf(field: Field, ratePerSecond: number, done: BatchRun): Sample {
  const { runs } = done
  const delay = spreadOf(runs.map(({ delayP50Ms }) => delayP50Ms))
  const isBehind = fallsBehind(done)
  const median = (value: (run: BatchRun['runs'][number]) => number) =>
    spreadOf(runs.map(value)).median
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0)
  const clustered = runs.reduce((sum, { from, end }) => sum + end - from, 0)
  return {
    operations: clustered,
    seconds,
    cpuSeconds: done.cpuSeconds,
    driverCpuSeconds: done.driverCpuSeconds,
    figures: {
      documentsPerSecond: ratePerSecond,
      ...(isBehind
        ? {}
        : {
            ...{ delayP50Ms: delay.median, barLowMs: delay.min, barHighMs: delay.max },
            delayInT0: delay.median / 1e3 / field.t0Seconds,
          }),
      saturated: isBehind ? 1 : 0,
      runSeconds: median((run) => run.seconds),
      readSeconds: median(({ readSeconds }) => readSeconds),
      passesSeconds: median((run) => run.passesSeconds - run.readSeconds),
      publishSeconds: median((run) => run.seconds - run.passesSeconds),
      growthPercent: (100 * done.crawled) / field.order.documents.repository,
    },
    findings: { lines: linesOf(done), data: done, failures: done.failures },
  }
}

/** Then the store does not keep up with the crawl, whatever the passes do, and there is no steady delay. */
function fallsBehind({ behindSeconds, crawlSeconds }: BatchRun): boolean {
  return behindSeconds > Math.max(BEHIND_SECONDS_MAX, BEHIND_SHARE_MAX * crawlSeconds)
}

function linesOf(done: BatchRun): readonly string[] {
  const lines = done.runs.map(({ from, end, seconds, readSeconds, passesSeconds, delayP50Ms }) => {
    const parts = [readSeconds, passesSeconds - readSeconds, seconds - passesSeconds]
    const [read, passes, publish] = parts.map((part) => part.toFixed(2))
    return `${end - from} new documents in ${seconds.toFixed(2)} s (read ${read}, passes ${passes}, publish ${publish}), their delay ${(delayP50Ms / 1e3).toFixed(2)} s`
  })
  if (!fallsBehind(done)) return lines
  return [...lines, `saturated: the store is ${done.behindSeconds.toFixed(1)} s behind the crawl`]
}
