// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { connect } from '../../client-sdk/client.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'
import { countsOf } from './import-source.ts'
import { ImportBroken, type ImportDependencies, importTable } from './import-table.ts'
import { RefusedRows } from './refused-rows.ts'
import { TransferProgress } from './transfer-progress.ts'

const ROWS = 40
const BATCH = 8
/** One whose type is wrong, and one whose key is another's: of its own batch, since batches may pass each other. */
const BAD_LINES = [11, 30]
const KEY_OF_ANOTHER = 27

const NOWHERE = { write: () => true }

async function scene(t: TestContext) {
  const server = await startTestServer(t)
  const { url } = await server.listen()
  const folder = await testFolder(t, 'cut-off')
  const file = join(folder, 'item.ndjson')
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const line = index + 1
    if (line === BAD_LINES[0]) return `{"id":${line},"n":"x"}`
    return `{"id":${line === BAD_LINES[1] ? KEY_OF_ANOTHER : line},"n":1}`
  })
  await writeFile(file, lines.join('\n'))

  /** An import that ends at once where a request fails, as it would be killed there. */
  const run = async (fetching: typeof fetch, parallel: number) => {
    const db = connect({ url, fetch: fetching })
    const errors = join(folder, 'errors.ndjson')
    const refused = await RefusedRows.open(NOWHERE, { path: errors, most: 10 })
    const deps: ImportDependencies = {
      db,
      refused,
      progress: new TransferProgress(NOWHERE),
      onLeft: () => assert.fail(),
      signal: new AbortController().signal,
      imported: [],
      options: {
        ...{ mode: 'insert', batchRows: BATCH, parallel, retryMs: 0 },
        ...{ delimiter: ',', nullText: undefined },
      },
    }
    try {
      const source = { table: 'item', from: file, format: 'ndjson', isZipped: false } as const
      await importTable(deps, source)
      return { counts: countsOf(deps), refused: refused.count }
    } finally {
      await refused.close()
      deps.progress.end()
    }
  }
  const refusedLines = async () =>
    (await readFile(join(folder, 'errors.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).line)
      .toSorted((a, b) => a - b)
  return { server, run, refusedLines }
}

/** A `fetch` that fails at the request of this number, from 0 on, and at all after it. */
function failing(at: number, isSent: boolean) {
  let posts = 0
  const fetching: typeof fetch = async (input, init) => {
    if (init?.method !== 'POST') return fetch(input, init)
    const number = posts
    posts += 1
    if (number < at) return fetch(input, init)
    if (number === at && isSent) await (await fetch(input, init)).text()
    throw new TypeError('fetch failed')
  }
  return { fetching, hasFailed: () => posts > at }
}

describe('an import that is cut off and started again', () => {
  for (const isSent of [false, true]) {
    const how = isSent ? 'whose answer is lost' : 'that is not sent'
    for (const parallel of [1, 3]) {
      test(`at each request ${how}, ${parallel} at a time, writes each row once`, async (t) => {
        const { server, run, refusedLines } = await scene(t)
        let at = 0
        for (let isCut = true; isCut; at += 1) {
          await server.query('DROP TABLE item')
          await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
          const cut = failing(at, isSent)
          const first = await run(cut.fetching, parallel).catch((error) => error)
          isCut = cut.hasFailed()
          if (isCut) {
            assert.ok(first instanceof ImportBroken && first.place !== undefined, `cut at ${at}`)
            const { line } = first.place
            const [{ n } = { n: 0 }] = await server.rows(
              `SCAN COUNT(*) AS n FROM item USE PRIMARY KEY WHERE id < ${line}`,
            )
            assert.equal(n, line - 1 - BAD_LINES.filter((bad) => bad < line).length, `cut at ${at}`)
          }
          const { counts, refused } = await run(fetch, parallel)
          const [{ rows, sum } = { rows: 0, sum: 0 }] = await server.rows(
            'SCAN COUNT(*) AS rows, SUM(n) AS sum FROM item USE PRIMARY KEY',
          )
          assert.deepEqual([rows, sum, refused], [ROWS - 2, ROWS - 2, 2], `cut at ${at}`)
          assert.equal(counts.written + counts.replayed, ROWS - 2, `cut at ${at}`)
          assert.deepEqual(await refusedLines(), BAD_LINES, `cut at ${at}`)
        }
        assert.ok(at > 10, 'there are many places')
      })
    }
  }
})
