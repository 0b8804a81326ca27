// SPDX-License-Identifier: Apache-2.0

/**
 * The index of the first member of an ascending run for which `comesBefore` is false, by binary search; the length of
 * the run if there is none.
 */
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
