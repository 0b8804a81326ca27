// SPDX-License-Identifier: Apache-2.0
import { type Bucket, quantileOf } from './quantile.ts'

/** Three for each doubling, from 10 µs to 21 s; the last one has all above. */
const BUCKETS = 64
const BUCKETS_PER_DOUBLING = 3
const FIRST_BOUND_MS = 0.01

/** How long something took, each time: quantiles of it are at most a quarter too high or too low. */
export class DurationHistogram {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #totalMs = 0
  #maxMs = 0

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
    const at = bucketOf(ms)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  /** The milliseconds that this share of them took at most, about. */
  quantileMs(share: number): number {
    let count = 0
    const buckets = Array.from(this.#counts, (own, at): Bucket => {
      count += own
      return { bound: boundMs(at), count }
    })
    return Math.min(quantileOf(buckets, share), this.#maxMs)
  }
}

function bucketOf(ms: number): number {
  if (ms <= FIRST_BOUND_MS) return 0
  const above = Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(ms / FIRST_BOUND_MS))
  return Math.min(above, BUCKETS - 1)
}

function boundMs(at: number): number {
  if (at === BUCKETS - 1) return Number.POSITIVE_INFINITY
  return FIRST_BOUND_MS * 2 ** (at / BUCKETS_PER_DOUBLING)
}
