// SPDX-License-Identifier: Apache-2.0
import type { LineFit } from '../harness/experiment.ts'
import { figureOf } from '../harness/sample.ts'
import type { SamplesByContender } from './verdict.ts'

export type FitPoint = { readonly contender: string; readonly x: number; readonly y: number }

export type FittedLine = {
  readonly fit: LineFit
  /** One for each sample that has both figures. */
  readonly points: readonly FitPoint[]
  /** Of y for each unit of x. */
  readonly slope: number
  /**
   * How much less the points lie off the line than off their mean: 1 on the line, 0 when the mean does
   * as well, below 0 when it does better. Undefined where all y are alike.
   */
  readonly r2: number | undefined
}

/** Undefined when nothing was measured. */
export function fitLine(fit: LineFit, samples: SamplesByContender): FittedLine | undefined {
  const points = fit.contenders.flatMap((contender) =>
    (samples.get(contender) ?? []).flatMap((sample) => {
      const [x, y] = [figureOf(sample, fit.x), figureOf(sample, fit.y)]
      return x === undefined || y === undefined || x <= 0 ? [] : [{ contender, x, y }]
    }),
  )
  return points.length === 0 ? undefined : { fit, points, ...lineThroughZero(points) }
}

/** The line y = slope * x with the least squares. Some x must not be 0. */
export function lineThroughZero(
  points: ReadonlyArray<{ readonly x: number; readonly y: number }>,
): Pick<FittedLine, 'slope' | 'r2'> {
  const sum = (value: (point: { readonly x: number; readonly y: number }) => number) =>
    points.reduce((total, point) => total + value(point), 0)
  const slope = sum(({ x, y }) => x * y) / sum(({ x }) => x * x)
  const mean = sum(({ y }) => y) / points.length
  const offMean = sum(({ y }) => (y - mean) ** 2)
  const offLine = sum(({ x, y }) => (y - slope * x) ** 2)
  return { slope, r2: offMean === 0 ? undefined : 1 - offLine / offMean }
}
