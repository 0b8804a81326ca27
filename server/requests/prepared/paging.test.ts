// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'

const ROWS = 40

/** A table whose indexes have NULLs, equal keys, and columns that go up and down. */
async function serverWithIndexes(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query(
    `CREATE TABLE item (a TEXT, b INTEGER, c INTEGER, d TEXT, PRIMARY KEY (a, b DESC));
     CREATE INDEX byC ON item (c);
     CREATE INDEX byCDown ON item (c DESC, d);
     CREATE INDEX byD ON item (d) STORING (c)`,
  )
  await server.indexesBuilt('item')
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    a: `a${n % 3}`,
    b: n,
    c: n % 4 === 0 ? null : n % 5,
    d: n % 7 === 0 ? null : `d${n % 2}`,
  }))
  const posted = await server.post('/v1/tables/item/rows', rows)
  assert.equal(posted.status, 201, posted.text)
  return server
}

const SCANS: ReadonlyArray<{
  readonly sql: string
  readonly params?: Record<string, unknown>
  readonly rows: string
}> = [
  { sql: 'SCAN * FROM item', rows: '' },
  { sql: 'SCAN * FROM item ORDER BY a DESC, b', rows: 'order=a desc,b' },
  { sql: 'SCAN * FROM item USE INDEX byC', rows: 'index=byC' },
  { sql: 'SCAN * FROM item USE INDEX byC ORDER BY c DESC', rows: 'index=byC&order=c desc' },
  { sql: 'SCAN a, b FROM item USE INDEX byCDown', rows: 'index=byCDown&columns=a,b' },
  { sql: 'SCAN * FROM item WHERE c IS NULL', rows: 'where=c IS NULL' },
  { sql: 'SCAN * FROM item WHERE c IN (1, 3)', rows: 'where=c IN (1, 3)' },
  { sql: "SCAN c, d FROM item WHERE d = 'd1'", rows: "where=d = 'd1'&columns=c,d" },
  { sql: 'SCAN * FROM item WHERE c > :n', params: { n: 1 }, rows: 'where=c > :n&params={"n":1}' },
  {
    sql: 'SCAN * FROM item USE PRIMARY KEY WHERE b % 3 = 0',
    rows: 'index=primary&where=b % 3 = 0',
  },
]

/** All pages; between two of them somebody writes. */
async function allPages(
  server: TestServer,
  ask: (cursor: string | undefined) => Promise<AnswerBody>,
): Promise<unknown[]> {
  const rows: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await ask(cursor)
    rows.push(...page.rows)
    cursor = page.cursor
    await server.query('SET c = coalesce(c, 0) + 1 ON item WHERE a = :a AND b = 900', {
      params: { a: 'a1' },
    })
  } while (cursor !== undefined)
  return rows
}

function pathOf(rows: string, more: Record<string, unknown>): string {
  const search = new URLSearchParams(rows)
  for (const [name, value] of Object.entries(more)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return `/v1/tables/item/rows?${search}`
}

test('pages of any size are the whole, in its order, on any index, while others write', async (t) => {
  const server = await serverWithIndexes(t)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SCANS),
      fc.integer({ min: 1, max: ROWS + 1 }),
      fc.boolean(),
      async ({ sql, params, rows }, size, asRows) => {
        const whole = await server.query(sql, { pageSize: 1_000, ...(params && { params }) })
        assert.equal(whole.status, 200, whole.text)
        const asOf = whole.body.readTimestamp
        const paged = await allPages(server, async (cursor) => {
          if (asRows) {
            const { body } = await server.get(pathOf(rows, { limit: size, cursor, asOf }))
            return body
          }
          const more = { pageSize: size, asOf, cursor, ...(params && { params }) }
          const { body } = await server.query(sql, more)
          return { rows: body.results[0].rows, cursor: body.cursor }
        })
        assert.deepEqual(paged, whole.body.results[0].rows)
      },
    ),
    { numRuns: 120 },
  )
})

test('a stream of any of these has the same rows', async (t) => {
  const server = await serverWithIndexes(t)
  for (const { sql, params, rows } of SCANS) {
    const whole = await server.rows(sql, params && { params })
    const json = { sql, ...(params && { params }) }
    const stream = await server.send({ method: 'POST', path: '/v1/query?format=ndjson', json })
    const ofRows = await server.get(pathOf(rows, { format: 'ndjson' }))
    for (const { text } of [stream, ofRows]) {
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.equal(lines.pop().end.rows, whole.length)
      assert.deepEqual(
        lines.map(({ row }) => row),
        whole,
        sql,
      )
    }
  }
})
