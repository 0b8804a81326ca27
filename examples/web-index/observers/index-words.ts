// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'
import { addCounts, type Document } from '../pages/document.ts'
import type { Cluster } from './cluster.ts'

type Posting = { readonly word: string; readonly url: string; readonly count: number }

/**
 * The inverted index: brings the postings of a cluster in line with the words of the page that stands for
 * it, and of the links that lead to it or to a copy.
 */
export const indexWords = defineObserver<Cluster>({
  observer: 'index_words',
  workers: 4,
  run: async (tx, { key: [cluster], row }) => {
    const url = row?.url
    // Words that change after this snapshot change `at` of the cluster in the end, and this runs again.
    const { rows: documents } = await tx.query<Pick<Document, 'words'>>(
      'GET words FROM document WHERE url = $1',
      [url ?? null],
    )
    const words = new Map(addCounts([documents[0]?.words ?? [], row?.anchor_words ?? []]))
    const { rows: postings } = await tx.query<Posting>(
      'SCAN word, url, count FROM posting WHERE cluster = $1',
      [cluster],
    )
    for (const posting of postings) {
      const count = words.get(posting.word)
      if (count === posting.count && url === posting.url) words.delete(posting.word)
      if (count !== undefined) continue
      await tx.query('DELETE FROM posting WHERE word = $1 AND cluster = $2', [
        posting.word,
        cluster,
      ])
    }
    for (const [word, count] of words) {
      await tx.query(
        'SET url = :url, count = :count ON posting WHERE word = :word AND cluster = :cluster',
        { url, count, word, cluster },
      )
    }
  },
})
