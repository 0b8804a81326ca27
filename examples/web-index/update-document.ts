// SPDX-License-Identifier: Apache-2.0
import type { Database, TransactionOptions } from '@percolite/client'
import { type Document, hashOf } from './documents.ts'

const TABLES = [
  ['web_document', '(url TEXT PRIMARY KEY, hash TEXT NOT NULL, contents TEXT NOT NULL)'],
  // The dups table of the figure: hash -> canonical url.
  ['web_duplicates', '(hash TEXT PRIMARY KEY, canonical_url TEXT NOT NULL)'],
  // Who belongs to a cluster: a SCAN over one hash lists its documents.
  ['web_cluster', '(hash TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (hash, url))'],
] as const

export async function createTables(db: Database): Promise<void> {
  for (const [name, definition] of TABLES) {
    await db.query(`DROP TABLE IF EXISTS ${name}`)
    await db.query(`CREATE TABLE ${name} ${definition}`)
  }
}

/** A hot cluster is met by all loaders at once, and each round of them only lets one through. */
const TRIES = 100

/**
 * `UpdateDocument` of the paper's Figure 2. When two documents with the same content are processed at
 * the same time, both see no canonical url and both write themselves in: one commits, the other meets
 * a conflict and runs again, and then finds the first.
 *
 * One rule is added, so that the result does not depend on the order of loading: a url that sorts
 * before the canonical one takes its place.
 */
export async function updateDocument(
  db: Database,
  document: Document,
  options: Pick<TransactionOptions, 'signal' | 'onRetry'>,
): Promise<void> {
  const { url, contents } = document
  const hash = hashOf(contents)
  await db.transaction(
    async (tx) => {
      await tx.sql`SET hash = ${hash}, contents = ${contents} ON web_document WHERE url = ${url}`
      await tx.sql`INSERT INTO web_cluster (hash, url) VALUES (${hash}, ${url})`

      const found = await tx.sql<{ canonical_url: string }>`
        GET canonical_url FROM web_duplicates WHERE hash = ${hash}`
      const canonical = found.rows[0]?.canonical_url
      if (canonical === undefined || url < canonical) {
        await tx.sql`SET canonical_url = ${url} ON web_duplicates WHERE hash = ${hash}`
      } // Otherwise this content is known already: the new copy is ignored.
    },
    { ...options, tries: TRIES },
  )
}
