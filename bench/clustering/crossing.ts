// SPDX-License-Identifier: Apache-2.0
import type { RatePoint } from './field.ts'

export type Crossing = {
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
