// SPDX-License-Identifier: Apache-2.0

/** A link that leads to the page in question, from one with this rank after each step. */
export type Source = { readonly steps: readonly number[]; readonly outdegree: number }

/** So far a change of rank travels. */
const STEPS = 3
/** What every page has before the first step, in thousandths. */
const START = 1_000
const DAMPING_PERCENT = 85

/**
 * The rank of a page (PageRank, cut off): step n shares out, along links, what step n - 1 gave. Whole
 * thousandths, so that sums do not depend on their order, and a change below one ends where it is.
 */
export function stepsOf(sources: readonly Source[]): number[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const own = (START * (100 - DAMPING_PERCENT)) / 100
    return sources.reduce((sum, { steps, outdegree }) => {
      const before = step === 0 ? START : (steps[step - 1] as number)
      return sum + Math.floor((before * DAMPING_PERCENT) / (100 * outdegree))
    }, own)
  })
}

/** Of a page that nothing leads to. */
export const UNKNOWN_STEPS: readonly number[] = stepsOf([])

/** Whether pages that it leads to have to be ranked anew. The last step is passed on to nobody. */
export function isPassedOn(before: readonly number[], after: readonly number[]): boolean {
  return after.slice(0, -1).some((rank, step) => rank !== before[step])
}
