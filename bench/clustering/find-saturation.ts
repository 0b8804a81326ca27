// SPDX-License-Identifier: Apache-2.0
import type { RatePoint } from './field.ts'

const DOUBLINGS_MAX = 4
/** Where the system kept up at none of the rates that were measured. */
const FAR_BELOW = 16

/**
 * The rate above which the system does not keep up, in percent: the middle of the last interval of a bisection, by the
 * ratio of its ends, between the rates that were measured before, and beyond the highest by doubling it. Undefined
 * where the system keeps up with all of them, or where no rate is known.
 */
export async function findSaturation(
  known: readonly RatePoint[],
  steps: number,
  keepsUpAt: (percent: number) => Promise<boolean>,
): Promise<number | undefined> {
  let above = known.find(({ delayMs }) => delayMs === undefined)?.percent
  let below = known.findLast(({ percent, delayMs }) => {
    return delayMs !== undefined && (above === undefined || percent < above)
  })?.percent
  if (below === undefined && above === undefined) return undefined
  below ??= (above as number) / FAR_BELOW
  for (let doubling = 0; above === undefined && doubling < DOUBLINGS_MAX; doubling += 1) {
    if (await keepsUpAt(2 * below)) below *= 2
    else above = 2 * below
  }
  if (above === undefined) return undefined
  for (let step = 0; step < steps; step += 1) {
    const between = Math.sqrt(below * above)
    if (await keepsUpAt(between)) below = between
    else above = between
  }
  return Math.sqrt(below * above)
}
