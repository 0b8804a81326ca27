// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@percolite/client'
import { type Document, hashOf } from './documents.ts'

/** The documents of one content: its urls in order, the first of them the canonical one. */
export type Clusters = ReadonlyMap<string, readonly string[]>

/** What the tables should say, computed without them. */
export function clustersOf(documents: readonly Document[]): Clusters {
  const clusters = new Map<string, string[]>()
  for (const { url, contents } of documents) {
    const hash = hashOf(contents)
    const urls = clusters.get(hash)
    if (urls === undefined) clusters.set(hash, [url])
    else urls.push(url)
  }
  for (const urls of clusters.values()) urls.sort(compare)
  return clusters
}

/** Every way in which the three tables differ from the recomputation, one line each. */
export async function differences(
  db: Database,
  expected: Clusters,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  const expectedHashes = new Map<string, string>()
  for (const [hash, urls] of expected) for (const url of urls) expectedHashes.set(url, hash)

  const missing = new Map(expectedHashes)
  type DocumentRow = { url: string; hash: string; contents: string }
  const documents = db.scan<DocumentRow>('SCAN * FROM web_document', [], { pageSize: 100, signal })
  for await (const row of documents) {
    missing.delete(row.url)
    const hash = expectedHashes.get(row.url)
    if (row.hash !== hash) found.push(`${row.url}: the hash is ${row.hash}, not ${hash}`)
    if (hashOf(row.contents) !== hash) found.push(`${row.url}: the contents differ from the file`)
  }
  for (const url of missing.keys()) found.push(`${url}: the document is missing`)

  const clusters = new Map<string, string[]>()
  type ClusterRow = { hash: string; url: string }
  const members = db.scan<ClusterRow>('SCAN * FROM web_cluster', [], { signal })
  for await (const { hash, url } of members) {
    clusters.set(hash, [...(clusters.get(hash) ?? []), url])
  }
  compareEach(found, 'the cluster', clusters, expected, (urls) => [...urls].sort(compare).join(' '))

  const canonical = new Map<string, string[]>()
  type DuplicatesRow = { hash: string; canonical_url: string }
  const duplicates = db.scan<DuplicatesRow>('SCAN * FROM web_duplicates', [], { signal })
  for await (const row of duplicates) {
    canonical.set(row.hash, [row.canonical_url])
  }
  compareEach(found, 'the canonical url', canonical, expected, (urls) => urls[0] ?? '')
  return found
}

function compareEach(
  found: string[],
  what: string,
  actual: Clusters,
  expected: Clusters,
  show: (urls: readonly string[]) => string,
): void {
  for (const hash of new Set([...actual.keys(), ...expected.keys()])) {
    const is = show(actual.get(hash) ?? [])
    const should = show(expected.get(hash) ?? [])
    if (is !== should) found.push(`${what} of ${hash} is [${is}], not [${should}]`)
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
