// SPDX-License-Identifier: Apache-2.0
import { CounterRandom } from '../../brokerage/population/counter-random.ts'
import { Random } from '../../load/random.ts'

/** Percolator 3.1: 750 M possible keys for a repository of a billion documents. */
const KEYS_PER_DOCUMENT = 0.75
/** Percolator 3.1 calls a billion of them 1 TB. */
const PAYLOAD_CHARACTERS = 1_024
const FILLER_CHARACTERS = 256 * 1_024
const KEY_STREAM = 0

/**
 * Documents by id, from 0 on: first those of the repository, then those that are crawled. Three keys each, uniformly
 * from so many that 92.5 % of the repository share a cluster.
 */
export class SyntheticDocuments {
  readonly count = 2 ** 31
  readonly #random: CounterRandom
  readonly #keys: number
  readonly #filler: string

  constructor({ repository, seed }: Pick<DocumentsOrder, 'repository' | 'seed'>) {
    this.#random = new CounterRandom(BigInt(seed))
    this.#keys = Math.round(KEYS_PER_DOCUMENT * repository)
    const random = new Random(seed)
    const characters = Array.from({ length: FILLER_CHARACTERS }, () =>
      random.below(36).toString(36),
    )
    this.#filler = characters.join('')
  }

  keys(id: number): ClusterKeys {
    const row = this.#random.row(KEY_STREAM, id)
    return [row.below(this.#keys), row.below(this.#keys), row.below(this.#keys)]
  }

  /** Other text for other documents, that does not become smaller when it is packed. */
  payload(id: number): string {
    const at = (id * 7_919) % (FILLER_CHARACTERS - PAYLOAD_CHARACTERS)
    return this.#filler.slice(at, at + PAYLOAD_CHARACTERS)
  }
}

/** One number for each pass, at least 0 and below 2^53; documents with the same number share that key. */
type ClusterKeys = readonly [number, number, number]

/** What the passes go by: of two documents the one with the lower id was crawled earlier. */
export type KeyedDocument = { readonly id: number; readonly keys: ClusterKeys }

/** From which any process makes the same documents. */
export type DocumentsOrder = {
  /** How many of them are in the repository, before any is crawled. */
  readonly repository: number
  readonly seed: number
}

/** The documents from `first` to before `end`. */
export function* keyedDocuments(
  documents: SyntheticDocuments,
  first: number,
  end: number,
): Iterable<KeyedDocument> {
  for (let id = first; id < end; id += 1) yield { id, keys: documents.keys(id) }
}
