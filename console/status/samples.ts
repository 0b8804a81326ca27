// SPDX-License-Identifier: Apache-2.0
import type { ChartData } from '../page/chart-canvas.ts'

/** Looks that are kept: twenty minutes of one every two seconds. */
const SAMPLES_MAX = 600

/** What was seen at some moments, each with the same figures. */
export type Samples = {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: ReadonlyArray<readonly (number | null)[]>
}

export const NO_SAMPLES: Samples = { times: [], lines: [] }

/** With one more look, and without the oldest one where they are too many. A figure that there is not is null. */
export function sampled(
  { times, lines }: Samples,
  atSeconds: number,
  values: ReadonlyArray<number | undefined>,
): Samples {
  const last = times.at(-1)
  // Charts need times that ascend; a store that was replaced may be at an earlier one.
  const isAfter = last === undefined || atSeconds > last
  const kept = isAfter ? times.slice(-(SAMPLES_MAX - 1)) : []
  return {
    times: [...kept, atSeconds],
    lines: values.map((value, at) => {
      const line = isAfter ? (lines[at] ?? []).slice(-(SAMPLES_MAX - 1)) : []
      return [...line, value ?? null]
    }),
  }
}

/** Some of the figures, for a chart. */
export function chartOf({ times, lines }: Samples, ...figures: readonly number[]): ChartData {
  return { times, lines: figures.map((at) => lines[at] ?? []) }
}
