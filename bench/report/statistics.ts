// SPDX-License-Identifier: Apache-2.0

/** The middle of several repetitions and how far they lie apart. */
export type Spread = {
  readonly median: number
  readonly min: number
  readonly max: number
  /** The quartiles: half of the repetitions lie between them. */
  readonly lower: number
  readonly upper: number
}

/** Throws RangeError when there is nothing to summarize. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('A spread needs at least one value.')
  const sorted = [...values].sort((left, right) => left - right)
  return {
    median: quantile(sorted, 0.5),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
  }
}

/** Between two neighbours in proportion, as most statistics programs do by default. */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] as number
  const above = sorted[Math.ceil(at)] as number
  return below + (above - below) * (at - Math.floor(at))
}
