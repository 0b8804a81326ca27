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

type Crawl = { readonly ratePerSecond: number; readonly seconds: number }

/**
 * Of a crawl at a fixed rate that began at 0: `clusteredSeconds` says of each document, in any order, when it was
 * clustered. Whether the backlog grows is the slope of a line through it, over the last third.
 */
export function backlogOf(clusteredSeconds: readonly number[], crawl: Crawl): Backlog {
  const { ratePerSecond, seconds } = crawl
  const xs = Array.from({ length: POINTS + 1 }, (_, at) => seconds * (2 / 3 + at / POINTS / 3))
  const points = backlogsAt(xs, clusteredSeconds, ratePerSecond)
  const growthPerSecond = lineThrough(points).slope
  return {
    documents: mean(points.map(({ y }) => y)),
    growthPerSecond,
    isGrowing: growthPerSecond > GROWTH_SHARE_MAX * ratePerSecond,
  }
}

/** The backlog of the same crawl at its beginning, and after each second. */
export function backlogsOf(
  clusteredSeconds: readonly number[],
  { ratePerSecond, seconds }: Crawl,
): readonly number[] {
  const xs = Array.from({ length: Math.floor(seconds) + 1 }, (_, second) => second)
  return backlogsAt(xs, clusteredSeconds, ratePerSecond).map(({ y }) => Math.round(y))
}

type Point = { readonly x: number; readonly y: number }

function backlogsAt(
  xs: readonly number[],
  clusteredSeconds: readonly number[],
  ratePerSecond: number,
): readonly Point[] {
  const ascending = clusteredSeconds.toSorted((a, b) => a - b)
  let clustered = 0
  return xs.map((x) => {
    while (clustered < ascending.length && (ascending[clustered] as number) <= x) clustered += 1
    return { x, y: ratePerSecond * x - clustered }
  })
}

/** The line of least squares; flat where all points have one x. */
export function lineThrough(points: readonly Point[]): {
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

/** Of times in milliseconds, as the error bars of Figure 7 have them, and beyond. */
export type Distribution = {
  readonly count: number
  readonly p5: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** All 0 where there are no values. */
export function distributionOf(values: readonly number[]): Distribution {
  const ascending = Float64Array.from(values).sort()
  const at = (share: number) => ascending[Math.floor((ascending.length - 1) * share)] ?? 0
  return {
    count: values.length,
    ...{ p5: at(0.05), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
  }
}
