// SPDX-License-Identifier: Apache-2.0

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
