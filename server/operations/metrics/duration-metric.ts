// SPDX-License-Identifier: Apache-2.0
import type { Histogram, Registry } from '@prometheus-io/client'
import { type Bucket, DurationHistogram } from '../statistics/duration-histogram.ts'

type Described = {
  readonly name: string
  readonly help: string
  /** The name of its label; without one it is a single histogram. */
  readonly label?: string
  readonly boundsMs: readonly number[]
}

type Sample = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/**
 * Durations as a histogram of Prometheus, in seconds, one for each value of its label. Only what asks for the metrics
 * makes its samples: the histogram of the package looks its labels up at each observation, and that took a twentieth of
 * a GET by its key.
 */
export class DurationMetric {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #label: string | undefined
  readonly #boundsMs: readonly number[]
  readonly #histograms = new Map<string, DurationHistogram>()

  constructor({ name, help, label, boundsMs }: Described) {
    this.name = name
    this.help = help
    this.#label = label
    this.#boundsMs = boundsMs
  }

  /** Of a value of the label; from now on there are samples of it. */
  of(value = ''): DurationHistogram {
    const known = this.#histograms.get(value)
    if (known !== undefined) return known
    const histogram = new DurationHistogram(this.#boundsMs)
    this.#histograms.set(value, histogram)
    return histogram
  }

  /** Of all values of the label together, in milliseconds. */
  get buckets(): Bucket[] {
    const each = [...this.#histograms.values()].map(({ buckets }) => buckets)
    return [...this.#boundsMs, Number.POSITIVE_INFINITY].map((bound, at) => {
      return { bound, count: each.reduce((sum, buckets) => sum + (buckets[at]?.count ?? 0), 0) }
    })
  }

  register(registry: Registry): void {
    // All that a registry asks a metric for is its name, and `get`.
    registry.registerMetric(this as unknown as Histogram)
  }

  /** As the registry writes it. */
  async get() {
    const { name, help, type } = this
    const values = [...this.#histograms].flatMap(([value, histogram]) => {
      const labels = this.#label === undefined ? {} : { [this.#label]: value }
      return samplesOf(name, labels, histogram)
    })
    return { name, help, type, values }
  }
}

function samplesOf(
  name: string,
  labels: Sample['labels'],
  { buckets, totalMs, count }: DurationHistogram,
): Sample[] {
  const ofBuckets = buckets.map((bucket): Sample => {
    const le = Number.isFinite(bucket.bound) ? bucket.bound / 1000 : '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: bucket.count }
  })
  return [
    ...ofBuckets,
    { metricName: `${name}_sum`, labels, value: totalMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
