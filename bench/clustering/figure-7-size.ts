// SPDX-License-Identifier: Apache-2.0

export type Figure7Size = {
  /** Of the repository. */
  readonly documents: number
  /** Percent of the repository that are crawled in a benchmark hour, ascending. */
  readonly rates: readonly number[]
  /** Of the crawl at each rate; the passes take as long as they take. */
  readonly seconds: number
  /** Steps towards the rate of saturation; with 0 neither that nor what follows from it is looked for. */
  readonly bisections: number
}

/** In about a quarter of an hour. */
export const FIGURE_7_HOUR: Figure7Size = {
  ...{ documents: 100_000, rates: [1, 5, 10, 20, 50], seconds: 45, bisections: 4 },
}

/** In about three minutes. */
export const FIGURE_7_QUICK: Figure7Size = {
  ...{ documents: 10_000, rates: [1, 10, 40], seconds: 15, bisections: 2 },
}
