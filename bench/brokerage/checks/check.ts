// SPDX-License-Identifier: Apache-2.0
import type { Population } from '../population/population.ts'
import type { RunFacts } from '../run-facts.ts'
import type { StoreImage } from './store-image.ts'

/** What a check compares: the store, what was loaded into it, and what the driver saw of the runs. */
export type Evidence = {
  readonly image: StoreImage
  readonly population: Population
  readonly facts: RunFacts
}

/** A condition that holds after every load and every run, whatever happened in between. */
export type Check = {
  readonly number: number
  readonly title: string
  /** Each breach in a sentence; none when the condition holds. */
  problems(evidence: Evidence): Iterable<string>
}

export type CheckResult = Pick<Check, 'number' | 'title'> & {
  readonly problems: number
  /** The first few of them. */
  readonly examples: readonly string[]
}

const EXAMPLES = 5

export function resultOf(
  { number, title }: Pick<Check, 'number' | 'title'>,
  problems: Iterable<string>,
): CheckResult {
  const examples: string[] = []
  let count = 0
  for (const problem of problems) {
    count += 1
    if (examples.length < EXAMPLES) examples.push(problem)
  }
  return { number, title, problems: count, examples }
}
