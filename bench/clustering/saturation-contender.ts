// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import type { Shared } from '../harness/shared.ts'
import type { PassVariant } from './batch/passes.ts'
import { costCrossingOf, crossingOf } from './crossing.ts'
import type { Field } from './field.ts'
import { findSaturation } from './find-saturation.ts'
import { lineThrough } from './incremental/backlog.ts'
import { INCREMENTAL } from './incremental/incremental-contender.ts'
import { type IncrementalRun, runIncremental } from './incremental/incremental-run.ts'

const SECONDS_MAX = 15
const WARM_UP_SHARE = 0.25

export const SATURATION = 'saturation and cross-over'

/**
 * Finds the rate from which on the observers do not keep up, by bisection between the rates that were measured
 * before, and with it what follows from all of them.
 */
export function saturationContender(shared: Shared<Field>, steps: number): Contender {
  return {
    name: SATURATION,
    open: async (surroundings) => {
      const field = await shared.acquire(surroundings)
      return {
        run: (seconds, signal) => bisect(field, { steps, seconds }, signal),
        close: () => shared.release(),
      }
    },
  }
}

type Try = { readonly percent: number; readonly keepsUp: boolean; readonly run: IncrementalRun }

async function bisect(
  field: Field,
  order: { readonly steps: number; readonly seconds: number },
  signal: AbortSignal,
): Promise<Sample> {
  const seconds = Math.min(SECONDS_MAX, order.seconds)
  const tries: Try[] = []
  const keepsUpAt = async (percent: number): Promise<boolean> => {
    const ratePerSecond = field.documentsPerSecond(percent)
    const crawl = { ratePerSecond, seconds, warmUpSeconds: seconds * WARM_UP_SHARE }
    const run = await runIncremental(field, crawl, signal)
    const keepsUp = !run.backlog.isGrowing
    tries.push({ percent, keepsUp, run })
    return keepsUp
  }
  const known = field.points.get(INCREMENTAL) ?? []
  const saturation = await findSaturation(known, order.steps, keepsUpAt)
  return sampleOf(field, tries, saturation)
}

function sampleOf(field: Field, tries: readonly Try[], saturation: number | undefined): Sample {
  const sum = (value: (run: IncrementalRun) => number) =>
    tries.reduce((total, { run }) => total + value(run), 0)
  const saturations = {
    full: passesSaturation(field, 'batch-full'),
    lean: passesSaturation(field, 'batch-lean'),
  }
  const observers = field.points.get(INCREMENTAL) ?? []
  const crossing = (variant: PassVariant) =>
    crossingOf(observers, field.points.get(variant) ?? [], saturation)
  const crossings = { full: crossing('batch-full'), lean: crossing('batch-lean') }
  const cost = (variant: PassVariant) =>
    costCrossingOf(observers, field.points.get(variant) ?? [])?.percent
  return {
    operations: sum(({ counted }) => counted),
    seconds: Math.max(
      sum(({ seconds }) => seconds),
      Number.MIN_VALUE,
    ),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    figures: present({
      saturationPercent: saturation,
      saturationPerSecond:
        saturation === undefined ? undefined : field.documentsPerSecond(saturation),
      fullSaturationPercent: saturations.full,
      leanSaturationPercent: saturations.lean,
      crossOverFullPercent: crossings.full?.percent,
      crossOverLeanPercent: crossings.lean?.percent,
      costCrossOverFullPercent: cost('batch-full'),
      costCrossOverLeanPercent: cost('batch-lean'),
      t0Seconds: field.t0Seconds,
      hourSeconds: field.hourSeconds,
    }),
    findings: {
      lines: [
        `T0 ${field.t0Seconds.toFixed(2)} s, benchmark hour ${field.hourSeconds.toFixed(1)} s; 1 % are ${field.documentsPerSecond(1).toFixed(1)} documents/s, or ${(3_600 / field.hourSeconds).toFixed(0)} % of the repository in an hour of the clock`,
        ...tries.map(
          ({ percent, keepsUp, run }) =>
            `${percent.toFixed(1)} %: ${keepsUp ? 'keeps up' : 'does not keep up'}, backlog grows by ${run.backlog.growthPerSecond.toFixed(0)} documents/s`,
        ),
        ...(['full', 'lean'] as const).map((variant) => {
          const found = crossings[variant]
          if (found === undefined) return `cross-over with batch-${variant}: not found`
          return `cross-over with batch-${variant}: ${found.percent.toFixed(1)} %, by ${found.by}`
        }),
      ],
      data: { tries, crossings, saturations, t0Seconds: field.t0Seconds },
      failures: tries.flatMap(({ percent, run }) => {
        return run.failures.map((failure) => `at ${percent.toFixed(1)} %: ${failure}`)
      }),
    },
  }
}

/**
 * Where passes would take in documents more slowly than they come: their time over the documents that were new, as a
 * line, continued. Undefined where it does not ascend.
 */
function passesSaturation(field: Field, variant: PassVariant): number | undefined {
  const { slope } = lineThrough(field.passes.get(variant) ?? [])
  return slope <= 0 ? undefined : field.percentOf(1 / slope)
}

function present(
  figures: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, number>> {
  const entries = Object.entries(figures).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Readonly<Record<string, number>>
}
