// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'
import { documentOf } from '../pages/document.ts'

/** The document processor: takes a page apart, for the observers of `document`. */
export const parsePage = defineObserver<{ url: string; html: string }>({
  observer: 'parse_page',
  workers: 4,
  run: async (tx, { key: [url], row: rendering }) => {
    // The row is undefined when it was deleted: the page is gone, and so is all that follows from it.
    if (rendering === undefined) {
      await tx.query('DELETE FROM document WHERE url = $1', [url])
      return
    }
    await tx.query(
      `SET title = :title, words = :words, links = :links, canonical_key = :canonical_key,
           content_key = :content_key, sketch_key = :sketch_key
       ON document WHERE url = :url`,
      documentOf(rendering.url, rendering.html),
    )
  },
})
