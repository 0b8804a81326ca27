// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../harness/experiment.ts'
import { present, type Sample } from '../harness/sample.ts'
import { onShared, type Shared } from '../harness/shared.ts'
import type { PassVariant } from './batch/passes.ts'
import type { Field, RatePoint } from './field.ts'
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
  return onShared(
    SATURATION,
    shared,
    (field) => (seconds, signal) => bisect(field, { steps, seconds }, signal),
  )
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

const DOUBLINGS_MAX = 4
/** Where the system kept up at none of the rates that were measured. */
const FAR_BELOW = 16

/**
 * The rate above which the system does not keep up, in percent: the middle of the last interval of a bisection, by the
 * ratio of its ends, between the rates that were measured before, and beyond the highest by doubling it. Undefined
 * where the system keeps up with all of them, or where no rate is known.
 */
export async function findSaturation(
  known: readonly RatePoint[],
  steps: number,
  keepsUpAt: (percent: number) => Promise<boolean>,
): Promise<number | undefined> {
  let above = known.find(({ delayMs }) => delayMs === undefined)?.percent
  let below = known.findLast(({ percent, delayMs }) => {
    return delayMs !== undefined && (above === undefined || percent < above)
  })?.percent
  if (below === undefined && above === undefined) return undefined
  below ??= (above as number) / FAR_BELOW
  for (let doubling = 0; above === undefined && doubling < DOUBLINGS_MAX; doubling += 1) {
    if (await keepsUpAt(2 * below)) below *= 2
    else above = 2 * below
  }
  if (above === undefined) return undefined
  for (let step = 0; step < steps; step += 1) {
    const between = Math.sqrt(below * above)
    if (await keepsUpAt(between)) below = between
    else above = between
  }
  return Math.sqrt(below * above)
}

type Crossing = {
  readonly percent: number
  /** Between two rates that both were measured at, or where one of the two saturates before. */
  readonly by: 'interpolation' | 'saturation'
}

/** The crawl rate from which on passes cost less CPU time for a document than observers do, likewise. */
export function costCrossingOf(
  observers: readonly RatePoint[],
  passes: readonly RatePoint[],
): Crossing | undefined {
  const costs = (points: readonly RatePoint[]) =>
    points.map((point) => ({ ...point, delayMs: point.cpuMs }))
  return crossingOf(costs(observers), costs(passes), undefined)
}

/**
 * The crawl rate from which on passes are faster than observers, by points that ascend in their rate. Between two
 * rates at which both were measured delays are taken to lie on a line, of logarithms; where observers are the faster
 * ones for as long as they keep up, the passes are faster from their saturation on. Undefined where neither happens.
 */
export function crossingOf(
  observers: readonly RatePoint[],
  passes: readonly RatePoint[],
  saturationPercent: number | undefined,
): Crossing | undefined {
  const both = observers.flatMap(({ percent, delayMs }) => {
    const other = passes.find((point) => point.percent === percent)?.delayMs
    if (delayMs === undefined || other === undefined) return []
    return [{ x: Math.log(percent), y: Math.log(delayMs / other) }]
  })
  for (const [position, right] of both.entries()) {
    const left = both[position - 1]
    if (right.y <= 0) continue
    // Already at the lowest rate.
    if (left === undefined) return { percent: Math.exp(right.x), by: 'interpolation' }
    const share = left.y / (left.y - right.y)
    return { percent: Math.exp(left.x + share * (right.x - left.x)), by: 'interpolation' }
  }
  return saturationPercent === undefined || both.length === 0
    ? undefined
    : { percent: saturationPercent, by: 'saturation' }
}
