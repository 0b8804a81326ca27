// SPDX-License-Identifier: Apache-2.0

/** The first position in an ascending run whose member does not come before what is looked for, found by halving. */
export function positionIn<T>(run: readonly T[], comesBefore: (member: T) => boolean): number {
  let low = 0
  let high = run.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comesBefore(run[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}
