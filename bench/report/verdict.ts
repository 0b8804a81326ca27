// SPDX-License-Identifier: Apache-2.0
import type { Goal } from '../harness/experiment.ts'
import { type FigureName, figureOf, type Sample } from '../harness/sample.ts'
import { type Spread, spreadOf } from './statistics.ts'

export type Verdict = 'aim reached' | 'must reached' | 'below must' | 'no goal'

export type JudgedGoal = Goal & {
  readonly measured: Spread
  /** One for each repetition in which both contenders have the figure. */
  readonly values: readonly number[]
  readonly verdict: Verdict
  /**
   * Of a ratio of rates: what it would be if CPU time were all that bounds the two. Others who use the
   * machine disturb it less.
   */
  readonly byCpu?: Spread
}

/** Samples of each contender, by repetition. */
export type SamplesByContender = ReadonlyMap<string, readonly Sample[]>

/**
 * A ratio is taken inside each repetition, where its two contenders ran one after the other, and only
 * then the median: a machine that slows down for a while slows both. Undefined when nothing was
 * measured (the run was stopped).
 */
export function judge(goal: Goal, samples: SamplesByContender): JudgedGoal | undefined {
  const figure = goal.figure ?? 'operationsPerSecond'
  const values = valuesOf(goal, figure, samples)
  if (values.length === 0) return undefined
  const measured = spreadOf(values)
  const judged = { ...goal, measured, values, verdict: verdictOf(measured.median, goal) }
  if (goal.to === undefined || figure !== 'operationsPerSecond') return judged
  const costs = valuesOf(goal, 'cpuMicrosPerOperation', samples).filter((cost) => cost > 0)
  // A rate is the inverse of a cost.
  return costs.length === 0 ? judged : { ...judged, byCpu: spreadOf(costs.map((cost) => 1 / cost)) }
}

function valuesOf(goal: Goal, figure: FigureName, samples: SamplesByContender): number[] {
  const numerators = samplesOf(goal.of, goal, samples)
  const denominators = goal.to === undefined ? undefined : samplesOf(goal.to, goal, samples)
  return numerators.flatMap((sample, repetition) => {
    const numerator = figureOf(sample, figure)
    if (numerator === undefined) return []
    if (denominators === undefined) return [numerator]
    const other = denominators[repetition]
    const denominator = other === undefined ? undefined : figureOf(other, figure)
    return denominator === undefined || denominator === 0 ? [] : [numerator / denominator]
  })
}

export function verdictOf(
  value: number,
  goal: Pick<Goal, 'must' | 'aim' | 'smallerIsBetter'>,
): Verdict {
  const { must, aim } = goal
  if (must === undefined || aim === undefined) return 'no goal'
  const reaches = (bound: number) =>
    goal.smallerIsBetter === true ? value <= bound : value >= bound
  if (reaches(aim)) return 'aim reached'
  return reaches(must) ? 'must reached' : 'below must'
}

function samplesOf(name: string, goal: Goal, samples: SamplesByContender): readonly Sample[] {
  const found = samples.get(name)
  if (found === undefined) throw new Error(`The goal "${goal.what}" names no contender "${name}".`)
  return found
}
