// SPDX-License-Identifier: Apache-2.0

/** Faster than this share of the crawl, and the observers do not keep up with it. */
const GROWTH_SHARE_MAX = 0.05
const POINTS = 30

export type Backlog = {
  /** Documents that were to be crawled and are not clustered yet, on average over the last third of the crawl. */
  readonly documents: number
  /** How much that grew over the last third, in documents per second. */
  readonly growthPerSecond: number
  readonly isGrowing: boolean
}

/**
 * Of a crawl at a fixed rate that began at 0: `clusteredSeconds` says of each document, in any order, when it was
 * clustered. Whether the backlog grows is the slope of a line through it, over the last third.
 */
export function backlogOf(
  clusteredSeconds: readonly number[],
  { ratePerSecond, seconds }: { readonly ratePerSecond: number; readonly seconds: number },
): Backlog {
  const ascending = clusteredSeconds.toSorted((a, b) => a - b)
  const points: { readonly x: number; readonly y: number }[] = []
  let clustered = 0
  for (let point = 0; point <= POINTS; point += 1) {
    const x = seconds * (2 / 3 + point / POINTS / 3)
    while (clustered < ascending.length && (ascending[clustered] as number) <= x) clustered += 1
    points.push({ x, y: ratePerSecond * x - clustered })
  }
  const growthPerSecond = lineThrough(points).slope
  return {
    documents: mean(points.map(({ y }) => y)),
    growthPerSecond,
    isGrowing: growthPerSecond > GROWTH_SHARE_MAX * ratePerSecond,
  }
}

/** The line of least squares; flat where all points have one x. */
export function lineThrough(points: readonly { readonly x: number; readonly y: number }[]): {
  readonly at0: number
  readonly slope: number
} {
  const xMean = mean(points.map(({ x }) => x))
  const yMean = mean(points.map(({ y }) => y))
  let [products, squares] = [0, 0]
  for (const { x, y } of points) {
    products += (x - xMean) * (y - yMean)
    squares += (x - xMean) ** 2
  }
  const slope = squares === 0 ? 0 : products / squares
  return { at0: yMean - slope * xMean, slope }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
