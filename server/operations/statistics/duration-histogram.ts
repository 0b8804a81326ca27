// SPDX-License-Identifier: Apache-2.0

/** Three for each doubling, from 10 µs to 17 s: quantiles of them are at most a quarter too high or too low. */
const BOUNDS_MS: readonly number[] = Array.from({ length: 63 }, (_, at) => 0.01 * 2 ** (at / 3))

/** How long something took, each time. */
export class DurationHistogram {
  readonly #boundsMs: readonly number[]
  /** Of each bound what is at most that, and more than the one before; the last one is all above. */
  readonly #counts: Float64Array
  #count = 0
  #totalMs = 0
  #maxMs = 0

  /** The bounds ascend. */
  constructor(boundsMs: readonly number[] = BOUNDS_MS) {
    this.#boundsMs = boundsMs
    this.#counts = new Float64Array(boundsMs.length + 1)
  }

  get count(): number {
    return this.#count
  }

  get totalMs(): number {
    return this.#totalMs
  }

  get maxMs(): number {
    return this.#maxMs
  }

  add(ms: number): void {
    this.#count += 1
    this.#totalMs += ms
    if (ms > this.#maxMs) this.#maxMs = ms
    // The first one whose bound it does not exceed, by halving what is left of them.
    let at = 0
    let to = this.#boundsMs.length
    while (at < to) {
      const middle = (at + to) >>> 1
      if (ms <= (this.#boundsMs[middle] as number)) to = middle
      else at = middle + 1
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  /** One for each bound, in milliseconds, and the infinite one. */
  get buckets(): Bucket[] {
    let count = 0
    return Array.from(this.#counts, (own, at): Bucket => {
      count += own
      return { bound: this.#boundsMs[at] ?? Number.POSITIVE_INFINITY, count }
    })
  }

  /** The milliseconds that this share of them took at most, about. */
  quantileMs(share: number): number {
    return Math.min(quantileOf(this.buckets, share), this.#maxMs)
  }
}

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
