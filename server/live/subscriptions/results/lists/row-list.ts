// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto'

const DIGEST_BYTES = 16

/** What is kept of a list of rows: 128 bits of each, and of all of them together with their columns. */
export class RowList {
  /** Of the whole list; equal exactly when the columns and the rows are. */
  readonly digest: string
  /** Of the rows, one after the other, a byte in each character. */
  readonly #packed: string

  constructor(texts: readonly string[], columns: string) {
    this.#packed = texts.map((text) => digestOf(text, 'latin1')).join('')
    this.digest = digestOf(`${columns}\n${this.#packed}`, 'base64url')
  }

  get length(): number {
    return this.#packed.length / DIGEST_BYTES
  }

  /** Of each row, in their order. */
  rows(): string[] {
    const { length } = this
    return Array.from({ length }, (_, at) =>
      this.#packed.slice(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES),
    )
  }

  /** About how many it takes. */
  get bytes(): number {
    return LIST_BYTES + this.#packed.length
  }
}

/** What a list takes beside the digests. */
const LIST_BYTES = 200

function digestOf(text: string, encoding: 'latin1' | 'base64url'): string {
  return hash('sha256', text, 'buffer').subarray(0, DIGEST_BYTES).toString(encoding)
}

/** In a list: `deleted` rows from `at` on make room for the rows of another one from `at` to `end`. */
export type Splice = { readonly at: number; readonly deleted: number; readonly end: number }

/**
 * What makes the second list out of the first, each splice on the list as the one before left it. Rows that stand in
 * both lists in the same order stay, as many as there can be where no row is there twice.
 */
export function splicesOf(before: readonly string[], after: readonly string[]): Splice[] {
  let begin = 0
  const shorter = Math.min(before.length, after.length)
  while (begin < shorter && before[begin] === after[begin]) begin += 1
  let same = 0
  while (same < shorter - begin && before.at(-1 - same) === after.at(-1 - same)) same += 1
  const ends = { before: before.length - same, after: after.length - same }
  const splices: Splice[] = []
  let last = { before: begin, after: begin }
  const goOnFrom = (next: typeof last) => {
    const deleted = next.before - last.before
    if (deleted > 0 || next.after > last.after) {
      splices.push({ at: last.after, deleted, end: next.after })
    }
    last = { before: next.before + 1, after: next.after + 1 }
  }
  for (const pair of keptPairs(before, after, { begin, ends })) goOnFrom(pair)
  goOnFrom(ends)
  return splices
}

type Place = { readonly before: number; readonly after: number }

/** Places of rows that stay: a longest rising run of the places that the rows of `after` have in `before`. */
function keptPairs(
  before: readonly string[],
  after: readonly string[],
  { begin, ends }: { readonly begin: number; readonly ends: Place },
): Place[] {
  const places = new Map<string, number[]>()
  for (let at = ends.before - 1; at >= begin; at -= 1) {
    const row = before[at] as string
    const known = places.get(row)
    if (known === undefined) places.set(row, [at])
    else known.push(at)
  }
  /** Of runs of each length, the one whose last place is the smallest. */
  const tails: Link[] = []
  for (let at = begin; at < ends.after; at += 1) {
    const place = places.get(after[at] as string)?.pop()
    if (place === undefined) continue
    const length = firstNotBelow(tails, place)
    tails[length] = { before: place, after: at, previous: tails[length - 1] }
  }
  const kept: Place[] = []
  for (let link = tails.at(-1); link !== undefined; link = link.previous) kept.push(link)
  return kept.reverse()
}

type Link = Place & { readonly previous: Link | undefined }

function firstNotBelow(tails: readonly Link[], place: number): number {
  let low = 0
  let high = tails.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((tails[middle] as Link).before < place) low = middle + 1
    else high = middle
  }
  return low
}
