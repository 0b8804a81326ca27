// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'

/** What a commit did to a row; without `after` it deleted the row. */
export type RowChange<Row> = { readonly before?: Row; readonly after?: Row }

/** A commit with the rows of one table that it wrote, by their keys. */
export type PastCommit<Row> = {
  readonly commitTs: number
  readonly rows: ReadonlyMap<unknown, RowChange<Row>>
}

type Cells<Row> = {
  readonly data: ReadonlyArray<{ column: string; timestamp: number; row?: Row }>
  readonly write: ReadonlyArray<{
    column: string
    timestamp: number
    kind: 'put' | 'delete' | 'guard'
    startTimestamp: number
  }>
}

/** The only family of the tables that are looked at. */
const COLUMN = '0'

/**
 * All commits of a table after `since`, as the cells of its rows tell them: the write records that the
 * transactions left behind, not the log that the feed is read from. Ascending.
 */
export async function readHistory<Row>(
  url: string,
  { table, keys, since = 0 }: { table: string; keys: readonly unknown[]; since?: number },
  shorten: (row: Row) => Row = (row) => row,
): Promise<Array<PastCommit<Row>>> {
  const commits = new Map<number, Map<unknown, RowChange<Row>>>()
  for (const key of keys) {
    const cells = await cellsOf<Row>(url, table, key)
    const values = new Map(
      cells.data
        .filter(({ column }) => column === COLUMN)
        .map(({ timestamp, row }) => [timestamp, row]),
    )
    let before: Row | undefined
    for (const { column, kind, timestamp, startTimestamp } of cells.write.toReversed()) {
      if (column !== COLUMN || kind === 'guard') continue
      const value = kind === 'put' ? values.get(startTimestamp) : undefined
      assert.ok(kind === 'delete' || value !== undefined, `${table} ${key} at ${timestamp}`)
      const after = value === undefined ? undefined : shorten(value)
      if (timestamp > since) {
        const rows = commits.get(timestamp) ?? new Map<unknown, RowChange<Row>>()
        commits.set(timestamp, rows)
        rows.set(key, { ...(before && { before }), ...(after && { after }) })
      }
      before = after
    }
  }
  return [...commits]
    .map(([commitTs, rows]) => ({ commitTs, rows }))
    .sort((a, b) => a.commitTs - b.commitTs)
}

async function cellsOf<Row>(url: string, table: string, key: unknown): Promise<Cells<Row>> {
  const answer = await fetch(`${url}/v1/tables/${table}/cells/${encodeURIComponent(String(key))}`)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  const cells = JSON.parse(text) as Cells<Row>
  const newestFirst = (a: { timestamp: number }, b: { timestamp: number }) =>
    b.timestamp - a.timestamp
  return { ...cells, write: cells.write.toSorted(newestFirst) }
}

/** The rows as they were at a timestamp, by the commits up to there. */
export function rowsAt<Row>(
  history: ReadonlyArray<PastCommit<Row>>,
  timestamp: number,
): Map<unknown, Row> {
  const rows = new Map<unknown, Row>()
  for (const commit of history) {
    if (commit.commitTs > timestamp) break
    for (const [key, { after }] of commit.rows) {
      if (after === undefined) rows.delete(key)
      else rows.set(key, after)
    }
  }
  return rows
}
