// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '../../turns/turns.ts'

/** An item that is sorted by its row key, in the form of `keyString`. */
type Keyed = { readonly text: string }

/** Rows that are sorted or merged in one turn: a fraction of a millisecond. */
const TURN_ROWS = 1_024

/** Very many rows in key order: short runs are sorted, one run per turn, and then merged pairwise. */
export async function sortInTurns<Row extends Keyed>(
  rows: readonly Row[],
): Promise<readonly Row[]> {
  let runs: Array<readonly Row[]> = []
  for (let at = 0; at < rows.length; at += TURN_ROWS) {
    runs.push(rows.slice(at, at + TURN_ROWS).sort(byKey))
    await nextTurn()
  }
  while (runs.length > 1) {
    const merged: Array<readonly Row[]> = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeInTurns(runs[at] ?? [], runs[at + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** By the texts of the keys, which sort as their bytes do and are compared several times faster. */
export function byKey(a: Keyed, b: Keyed): number {
  return a.text < b.text ? -1 : 1
}

async function mergeInTurns<Row extends Keyed>(
  left: readonly Row[],
  right: readonly Row[],
): Promise<readonly Row[]> {
  const merged: Row[] = []
  let [fromLeft, fromRight] = [0, 0]
  for (;;) {
    const a = left[fromLeft]
    const b = right[fromRight]
    if (a === undefined || b === undefined) break
    if (byKey(a, b) < 0) {
      merged.push(a)
      fromLeft += 1
    } else {
      merged.push(b)
      fromRight += 1
    }
    if (merged.length % TURN_ROWS === 0) await nextTurn()
  }
  return merged.concat(left.slice(fromLeft), right.slice(fromRight))
}
