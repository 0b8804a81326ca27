// SPDX-License-Identifier: Apache-2.0

/** One number for each pass, at least 0 and below 2^53; documents with the same number share that key. */
export type ClusterKeys = readonly [number, number, number]

/** What the passes go by: of two documents the one with the lower id was crawled earlier. */
export type KeyedDocument = { readonly id: number; readonly keys: ClusterKeys }

/** Documents by id, from 0 on: first those of the repository, then those that are crawled. */
export interface Documents {
  /** How many there are. */
  readonly count: number
  keys(id: number): ClusterKeys
  /** What is stored of it besides, about 1 KB. */
  payload(id: number): string
}

/** From which any process makes the same documents. */
export type DocumentsOrder = {
  /** How many of them are in the repository, before any is crawled. */
  readonly repository: number
  readonly seed: number
}

/** The documents from `first` to before `end`. */
export function* keyedDocuments(
  documents: Documents,
  first: number,
  end: number,
): Iterable<KeyedDocument> {
  for (let id = first; id < end; id += 1) yield { id, keys: documents.keys(id) }
}
