// SPDX-License-Identifier: Apache-2.0

/** Looks that are kept: ten minutes of one every two seconds. */
const SAMPLES_MAX = 300

/** What was seen of one thing at a moment. */
export type Sample = { readonly atMs: number }

/** What was seen of each thing by its name, the oldest first. */
export type Samples<S extends Sample> = ReadonlyMap<string, readonly S[]>

/** With one more look at each. Those that are gone are forgotten. */
export function withLook<S extends Sample>(
  before: Samples<S>,
  looks: ReadonlyArray<readonly [name: string, sample: S]>,
): Samples<S> {
  return new Map(
    looks.map(([name, sample]) => {
      const kept = (before.get(name) ?? []).slice(-(SAMPLES_MAX - 1))
      return [name, [...kept, sample]]
    }),
  )
}

export function timesOf(samples: readonly Sample[]): number[] {
  return samples.map(({ atMs }) => atMs / 1_000)
}

/** How much a counter grew in each second between two looks. One that has fallen is another counter. */
export function ratesOf<Counter extends string>(
  samples: ReadonlyArray<Sample & Readonly<Record<Counter, number>>>,
  counter: Counter,
): Array<number | null> {
  return samples.map((sample, at) => {
    const before = samples[at - 1]
    if (before === undefined || sample[counter] < before[counter]) return null
    const seconds = (sample.atMs - before.atMs) / 1_000
    return seconds <= 0 ? null : (sample[counter] - before[counter]) / seconds
  })
}
