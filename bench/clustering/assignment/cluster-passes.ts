// SPDX-License-Identifier: Apache-2.0
import type { KeyedDocument } from '../documents/documents.ts'

const PASSES = [0, 1, 2] as const

/**
 * The same rule as three passes over everything (Percolator 3.1): of documents that share the key of a pass the first
 * one represents them in the next pass, and the others go where it goes. Returns the cluster of each document, by id.
 */
export function clusterInPasses(documents: Iterable<KeyedDocument>): Map<number, number> {
  const follows = new Map<number, number>()
  let remaining = [...documents]
  const ids = remaining.map(({ id }) => id)
  for (const pass of PASSES) {
    const firsts = new Map<number, number>()
    remaining = remaining.filter(({ id, keys }) => {
      const first = firsts.get(keys[pass])
      if (first === undefined) firsts.set(keys[pass], id)
      else follows.set(id, first)
      return first === undefined
    })
  }
  return new Map(ids.map((id) => [id, endOf(follows, id)]))
}

/** Where the document goes to in the end: at most one step for each pass. */
export function endOf(follows: ReadonlyMap<number, number>, id: number): number {
  let at = id
  for (;;) {
    const next = follows.get(at)
    if (next === undefined) return at
    at = next
  }
}
