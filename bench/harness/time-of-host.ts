// SPDX-License-Identifier: Apache-2.0
import type { ProcessorTime } from './stolen-time.ts'

/**
 * For tests: the clock of a host that takes these shares of the processor time, one during each sample
 * and the last one during all that come after.
 */
export function timeOfHost(...shares: readonly number[]): () => Promise<ProcessorTime> {
  let [wanted, stolen] = [0, 0]
  let isAfter = true
  let sample = -1
  return async () => {
    isAfter = !isAfter
    if (isAfter) {
      sample += 1
      wanted += 100
      stolen += 100 * (shares[Math.min(sample, shares.length - 1)] ?? 0)
    }
    return { wanted, stolen }
  }
}
