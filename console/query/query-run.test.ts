// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database, Page, Row } from '../../client-sdk/client.ts'
import { QueryRun, type Sent } from './query-run.ts'

const SENT: Sent = {
  ...{ sql: 'SCAN a FROM t', from: 0, params: undefined, asOf: 7, transaction: undefined },
  isScan: true,
}
const STAMPS = { readTimestamp: 7, commitTimestamp: undefined, attempts: 1 }
const COLUMNS = [{ name: 'a', type: 'INTEGER' }]

function pageOf(rows: readonly Row[], hasMore: boolean): Page {
  const results = [{ columns: COLUMNS, rows: [...rows], rowsAffected: 0 }]
  return { results, rowsAffected: 0, ...STAMPS, hasMore }
}

/** A server with these pages, and what was asked of it. */
function answering(...pages: Page[]) {
  const options: unknown[] = []
  const db = {
    async *pages(_sql: string, _params: unknown, asked: unknown) {
      options.push(asked)
      yield* pages
    },
  } as unknown as Pick<Database, 'pages'>
  return { db, options }
}

describe('a text that was run', () => {
  it('is answered page after page, each added to what is shown', async () => {
    const { db, options } = answering(pageOf([{ a: 1n }], true), pageOf([{ a: 2n }], false))
    let nowMs = 0
    const run = new QueryRun(db, SENT, () => (nowMs += 5))
    const first = await run.next()
    assert.deepEqual([first.results[0]?.window.rows.length, first.hasMore, first.ms], [1, true, 5])
    const second = await run.next()
    assert.deepEqual(second.results[0]?.window.rows, [{ a: 1n }, { a: 2n }])
    assert.equal(second.hasMore, false)
    const { signal, ...asked } = options[0] as { signal: AbortSignal }
    assert.deepEqual(asked, { pageSize: 200, asOf: 7 })
    run.stop()
    assert.ok(signal.aborted)
  })

  it('asks for pages of a SCAN alone, and for no moment within a transaction', async () => {
    const { db, options } = answering(pageOf([], false))
    const run = new QueryRun(db, { ...SENT, isScan: false, transaction: 't' }, () => 0)
    await run.next()
    const { signal: _, ...asked } = options[0] as { signal: AbortSignal }
    assert.deepEqual(asked, { transaction: 't' })
  })
})
