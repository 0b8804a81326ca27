// SPDX-License-Identifier: Apache-2.0

import { openStorage, type Storage } from '../../../storage/storage.ts'
import {
  columnPosition,
  decodePrimaryKey,
  familyColumn,
  requireTable,
  scanRows,
  tableIdOf,
} from '../../../storage/tables/tables.ts'
import { inTransaction } from '../../embedded/data-directory.ts'
import type { PercoliteServer } from '../../servers/percolite-server.ts'
import { DOCS } from './tables.ts'

const ROWS_PER_PAGE = 10_000
const BODY_FAMILY = familyColumn(1)

/** What a run has left of a document. Times are microseconds since 1970. */
export type StoredDocument = {
  readonly id: number
  /** Undefined where it was not clustered. */
  readonly cluster?: number | undefined
  /** Of a document that was crawled: when it was to be. */
  readonly crawlUs?: number | undefined
  /** Of one that an observer has clustered: the snapshot of the run that did. */
  readonly foundUs?: number | undefined
  readonly lookups?: number | undefined
}

export type StoredRun = {
  /** By id. */
  readonly documents: readonly StoredDocument[]
  /** When the transaction that wrote a document was committed, by id. */
  readonly loadedUs: ReadonlyMap<number, number>
  /** When a document was clustered, by id, in the order of these commits. */
  readonly assignedUs: ReadonlyMap<number, number>
}

/** One that is behind all commits so far. */
export async function timestampOf(server: PercoliteServer): Promise<number> {
  const answer = await server.query({ sql: 'GET id FROM docs WHERE id = 0' })
  return (answer as { readonly readTimestamp: number }).readTimestamp
}

/** Reads a data directory that no server uses any more: all documents, and the commits after `position`. */
export async function readStoredRun(dataDirectory: string, position: number): Promise<StoredRun> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    return { documents: await readDocuments(storage), ...(await readCommits(storage, position)) }
  } finally {
    await storage.close()
  }
}

async function readDocuments(storage: Storage): Promise<readonly StoredDocument[]> {
  return await inTransaction(storage, async (transaction, catalog) => {
    const table = requireTable(catalog, DOCS.name)
    const names = ['id', 'cluster', 'crawlUs', 'foundUs', 'lookups'] as const
    const positions = names.map((name) => {
      return columnPosition(table, table.columns.find((one) => one.name === name)?.id as number)
    })
    const documents: StoredDocument[] = []
    for await (const { row } of scanRows(transaction, table, { columns: positions })) {
      const values = positions.map((at) => row[at]).map((value) => value ?? undefined)
      const numbers = values.map((value) => (value === undefined ? undefined : Number(value)))
      const [id = 0, cluster, crawlUs, foundUs, lookups] = numbers
      documents.push({ id, cluster, crawlUs, foundUs, lookups })
    }
    return documents
  })
}

async function readCommits(
  storage: Storage,
  from: number,
): Promise<Pick<StoredRun, 'loadedUs' | 'assignedUs'>> {
  const table = await inTransaction(storage, (_, catalog) => requireTable(catalog, DOCS.name))
  const loadedUs = new Map<number, number>()
  const assignedUs = new Map<number, number>()
  for (let position = from; ; ) {
    const page = await storage.feed.read(position, { rowsMax: ROWS_PER_PAGE })
    for (const { commitTs, rows } of page.commits) {
      for (const { key, columns } of rows) {
        if (tableIdOf(key) !== table.id) continue
        const id = Number(decodePrimaryKey(table, key)[0])
        // Only the crawl writes payloads.
        if (columns.includes(BODY_FAMILY)) loadedUs.set(id, commitTs)
        else assignedUs.set(id, commitTs)
      }
    }
    if (page.isCaughtUp) return { loadedUs, assignedUs }
    position = page.position
  }
}
