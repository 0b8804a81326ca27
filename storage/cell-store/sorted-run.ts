// SPDX-License-Identifier: Apache-2.0

/** So few find their places one by one: to move what stands behind them costs less than to compare all of it. */
const FEW = 16

type Compare<T> = (a: T, b: T) => number

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

/**
 * Puts those that came, in any order, among those of an ascending run. Of equal ones the last that came stays. What
 * comes behind all others is appended, and many are put in with one walk, so thousands cost no more than their sorting.
 */
export function mergeInto<T>(run: T[], came: readonly T[], compare: Compare<T>): void {
  if (came.length <= FEW) {
    for (const one of came) putInto(run, one, compare)
    return
  }
  const sorted = came.toSorted(compare)
  const first = sorted[0] as T
  const behind = run.splice(positionIn(run, (member) => compare(member, first) < 0))
  let at = 0
  for (const one of sorted) {
    while (at < behind.length && compare(behind[at] as T, one) < 0) run.push(behind[at++] as T)
    if (at < behind.length && compare(behind[at] as T, one) === 0) at += 1
    append(run, one, compare)
  }
  while (at < behind.length) run.push(behind[at++] as T)
}

/** The same for one. */
export function putInto<T>(run: T[], one: T, compare: Compare<T>): void {
  const last = run.at(-1)
  if (last === undefined || compare(last, one) <= 0) {
    append(run, one, compare)
    return
  }
  const at = positionIn(run, (member) => compare(member, one) < 0)
  if (compare(run[at] as T, one) === 0) run[at] = one
  else run.splice(at, 0, one)
}

/** Of one that does not come before the last. */
function append<T>(run: T[], one: T, compare: Compare<T>): void {
  const last = run.at(-1)
  if (last !== undefined && compare(last, one) === 0) run[run.length - 1] = one
  else run.push(one)
}
