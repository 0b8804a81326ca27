// SPDX-License-Identifier: Apache-2.0

/** How many values were at most `bound`; the bounds ascend, and the last one is infinite. */
export type Bucket = { readonly bound: number; readonly count: number }

/**
 * The value that this share of all values is below, as Prometheus' `histogram_quantile` has it: evenly spread in its
 * bucket, and at most the last bound that is finite. NaN of no values.
 */
export function quantileOf(buckets: readonly Bucket[], share: number): number {
  const rank = share * (buckets.at(-1)?.count ?? 0)
  if (rank === 0) return Number.NaN
  let below: Bucket = { bound: 0, count: 0 }
  for (const bucket of buckets) {
    if (bucket.count >= rank && bucket.bound !== Number.POSITIVE_INFINITY) {
      const part = (rank - below.count) / (bucket.count - below.count)
      return below.bound + part * (bucket.bound - below.bound)
    }
    if (bucket.bound !== Number.POSITIVE_INFINITY) below = bucket
  }
  return below.bound
}
