// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { documentOf } from '../../../examples/web-index/pages/document.ts'
import { syntheticWeb } from '../../../examples/web-index/pages/synthetic-web.ts'
import type { ClusterKeys, Documents, DocumentsOrder } from './documents.ts'

/** So many pages for each of the repository: the rest is there to be crawled. */
const PAGES_PER_DOCUMENT = 3
const KEY_BYTES = 6

/**
 * The pages of `examples/web-index`, with the three keys that its observers have: the address that the page says is its
 * true one, or else its own; all of its words in their order; a sketch of its words.
 */
export class WebDocuments implements Documents {
  readonly count: number
  readonly #pages: ReadonlyArray<{ readonly url: string; readonly body: string | undefined }>

  constructor({ repository, seed }: Pick<DocumentsOrder, 'repository' | 'seed'>) {
    this.count = repository * PAGES_PER_DOCUMENT
    this.#pages = syntheticWeb(this.count, seed).rounds[0] ?? []
  }

  keys(id: number): ClusterKeys {
    const { url, body } = this.#page(id)
    const { canonical_key, content_key, sketch_key } = documentOf(url, body)
    return [numberOf(canonical_key ?? url), numberOf(content_key), numberOf(sketch_key)]
  }

  payload(id: number): string {
    return this.#page(id).body
  }

  #page(id: number): { readonly url: string; readonly body: string } {
    const page = this.#pages[id]
    if (page?.body === undefined) throw new RangeError(`There is no page ${id}.`)
    return { url: page.url, body: page.body }
  }
}

/** The same number for the same text; others have the same one once in 2^48. */
function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, KEY_BYTES)
}
