// SPDX-License-Identifier: Apache-2.0

const SERIES = [
  ...(['commits', 'reads', 'conflicts', 'requests', 'changes'] as const),
  ...(['feedLagMs', 'p50Ms', 'p99Ms', 'logBytes'] as const),
] as const
type Series = (typeof SERIES)[number]

/** The figures of one step; what is not known, or does not exist, is NaN. */
export type StepFigures = Readonly<Record<Series, number>>

type SeriesValues = Readonly<Record<Series, readonly number[]>>

/** The figures of the last steps, in memory that is taken once. */
export class ActivityRing {
  readonly #stepsMax: number
  readonly #values: Readonly<Record<Series, Float64Array>>
  #steps = 0

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax
    const values = SERIES.map((name) => [name, new Float64Array(stepsMax)])
    this.#values = Object.fromEntries(values)
  }

  /** How many there have been. */
  get steps(): number {
    return this.#steps
  }

  /** The first step that it still has. */
  get first(): number {
    return Math.max(0, this.#steps - this.#stepsMax)
  }

  add(figures: StepFigures): void {
    const index = this.#steps % this.#stepsMax
    for (const name of SERIES) this.#values[name][index] = figures[name]
    this.#steps += 1
  }

  /** Nothing is known of the next steps. */
  skip(steps: number): void {
    // More would only overwrite each other.
    const written = Math.min(steps, this.#stepsMax)
    this.#steps += steps - written
    for (let step = 0; step < written; step += 1) this.add(UNKNOWN)
  }

  /** Those from a step on that it has, which is not before `first`. */
  from(first: number): SeriesValues {
    const entries = SERIES.map((name) => [name, this.#valuesFrom(name, first)])
    return Object.fromEntries(entries)
  }

  #valuesFrom(name: Series, first: number): number[] {
    const values: number[] = []
    for (let step = first; step < this.#steps; step += 1) {
      values.push(this.#values[name][step % this.#stepsMax] as number)
    }
    return values
  }
}

const UNKNOWN = Object.fromEntries(SERIES.map((name) => [name, Number.NaN])) as Record<
  Series,
  number
>
