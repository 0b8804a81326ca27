// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { type Link, readHtml } from './html.ts'

/** How often each word comes, in the order of the words. */
export type WordCounts = ReadonlyArray<readonly [word: string, count: number]>

/** What is known of a page from its own text. */
export type Document = {
  readonly url: string
  readonly title: string
  readonly words: WordCounts
  readonly links: readonly Link[]
} & ClusterKeys

/** Documents that share one of them may be copies of each other; `CLUSTER_KEYS` has their order. */
export type ClusterKeys = {
  /** The url that the page says is its true one, if it does. */
  readonly canonical_key: string | null
  /** Of all words in their order: the same whatever the markup. */
  readonly content_key: string
  /** Of a few of its words: mostly the same when few words differ. */
  readonly sketch_key: string
}

export const CLUSTER_KEYS = ['canonical_key', 'content_key', 'sketch_key'] as const

const WORD_CHARACTERS_MAX = 40
const SKETCH_WORDS = 6

export function documentOf(url: string, body: string): Document {
  const { title, text, links, canonical } = readHtml(url, body)
  const all = wordsOf(text)
  const words = countWords(all)
  return {
    url,
    title,
    words,
    links,
    canonical_key: canonical ?? null,
    content_key: hashOf(all.join(' ')),
    sketch_key: sketchOf(words.map(([word]) => word)),
  }
}

export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => word.length <= WORD_CHARACTERS_MAX)
}

export function countWords(words: readonly string[]): WordCounts {
  return addCounts([words.map((word) => [word, 1])])
}

export function addCounts(all: readonly WordCounts[]): WordCounts {
  const counts = new Map<string, number>()
  for (const [word, count] of all.flat()) counts.set(word, (counts.get(word) ?? 0) + count)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The words with the lowest hashes (min-hash): any other word may differ. */
function sketchOf(words: readonly string[]): string {
  return hashOf(words.map(hashOf).sort().slice(0, SKETCH_WORDS).join(' '))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
