// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type DocumentsOrder,
  keyedDocuments,
  SyntheticDocuments,
} from '../documents/synthetic-documents.ts'
import type { StoredRun } from '../store/stored-run.ts'
import { ClusterIndex, shapeOf } from './cluster-index.ts'
import { clusterInPasses, differencesOf } from './oracle.ts'

/** The clusters of the first documents, by id, and the look-ups of each. */
function clustered(order: DocumentsOrder, count = order.repository) {
  const index = new ClusterIndex()
  const documents = [...keyedDocuments(new SyntheticDocuments(order), 0, count)]
  return { documents, assigned: documents.map((document) => index.assign(document)) }
}

describe('clustering by three keys', () => {
  it('has the averages of the paper: 3.3 documents in a cluster, 93 % in one of two or more', () => {
    const order = { repository: 100_000, seed: 1 } as const
    const { assigned } = clustered(order, 110_000)
    const { documentsPerCluster, sharedPercent } = shapeOf(
      assigned.slice(0, order.repository).map(({ cluster }) => cluster),
    )
    assert.ok(Math.abs(documentsPerCluster - 3.28) <= 0.05, String(documentsPerCluster))
    assert.ok(Math.abs(sharedPercent - 92.5) <= 0.5, String(sharedPercent))
    const crawled = assigned.slice(order.repository)
    const lookups = crawled.reduce((sum, one) => sum + one.lookups, 0) / crawled.length
    assert.ok(Math.abs(lookups - 1.39) <= 0.05, String(lookups))
  })

  it('gives documents the same clusters one by one and by passes', () => {
    const { documents, assigned } = clustered({ repository: 3_000, seed: 7 })
    const passes = clusterInPasses(documents)
    for (const { id } of documents) assert.equal(assigned[id]?.cluster, passes.get(id), `${id}`)
    const { sharedPercent } = shapeOf(passes.values())
    assert.ok(sharedPercent > 20, String(sharedPercent))
  })
})

describe('a run that is compared with a clustering of all documents offline', () => {
  const order = { repository: 200, seed: 3 } as const
  const documents = new SyntheticDocuments(order)
  const { assigned } = clustered(order, 300)
  const crawled = Array.from({ length: 100 }, (_, at) => order.repository + at)
  const run: StoredRun = {
    documents: assigned.map(({ cluster }, id) => ({ id, cluster })),
    loadedUs: new Map(crawled.map((id) => [id, id])),
    assignedUs: new Map(crawled.map((id) => [id, 2 * id])),
  }
  const { repository } = order
  const differences = (wrong: Partial<StoredRun>, by: 'commits' | 'ids') =>
    differencesOf({ ...run, ...wrong }, documents, { repository, by })

  for (const by of ['commits', 'ids'] as const) {
    it(`has no difference when it is right, in the order of ${by}`, () => {
      assert.deepEqual(differences({}, by), [])
    })

    for (const id of [17, 250]) {
      it(`is found out by a wrong cluster of document ${id}, in the order of ${by}`, () => {
        const one = run.documents.with(id, { id, cluster: 100_000 })
        assert.match(String(differences({ documents: one }, by)), new RegExp(`^document ${id} `))
      })
    }

    it(`is found out by a document that lost its cluster, in the order of ${by}`, () => {
      const lost = run.documents.with(250, { id: 250 })
      assert.match(String(differences({ documents: lost }, by)), /250 is in cluster none/)
    })

    it(`is found out by a repository that lost documents, in the order of ${by}`, () => {
      assert.match(String(differences({ documents: run.documents.slice(0, 150) }, by)), /are 150/)
    })
  }

  it('is found out by observers that saw another order than that of their commits', () => {
    const backwards = new Map(crawled.toReversed().map((id) => [id, 1_000 - id]))
    assert.match(String(differences({ assignedUs: backwards }, 'commits')), / documents differ/)
  })
})
