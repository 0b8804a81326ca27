// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'
import type { Document } from '../pages/document.ts'

type Anchor = { readonly target: string; readonly text: string; readonly outdegree: number }

/** Link inversion: brings the anchors of a page in line with its links. */
export const invertLinks = defineObserver<Document>({
  observer: 'invert_links',
  workers: 4,
  run: async (tx, { key: [source], row: document }) => {
    const links = new Map(document?.links)
    const outdegree = links.size
    const { rows: anchors } = await tx.query<Anchor>(
      'SCAN target, text, outdegree FROM anchor WHERE source = $1',
      [source],
    )
    const told = new Set<string>()
    for (const { target, ...anchor } of anchors) {
      const text = links.get(target)
      if (text === anchor.text && outdegree === anchor.outdegree) links.delete(target)
      else told.add(target)
      if (text !== undefined) continue
      await tx.query('DELETE FROM anchor WHERE target = $1 AND source = $2', [target, source])
    }
    for (const [target, text] of links) {
      told.add(target)
      await tx.query(
        `SET text = :text, outdegree = :outdegree ON anchor
         WHERE target = :target AND source = :source`,
        { text, outdegree, target, source },
      )
    }
    // Many sources change what leads to one target at a time. As hints, they do not conflict there.
    for (const target of told)
      await tx.query('NOTIFY rank_page ON to_rank WHERE url = $1', [target])
  },
})
