// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Database, type Page, PercoliteError, type Row } from '../../client-sdk/client.ts'
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
  } as unknown as Pick<Database, 'pages' | 'script'>
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

  it('is a script where the server says so, and nothing is given that a script has not', async () => {
    const fields = { hint: 'POST /v1/scripts' }
    const error = new PercoliteError({ code: 'script_mixture', message: 'no', fields })
    const result = { columns: [], rows: [], rowsAffected: 1, kind: 'insert', commitTimestamp: 9 }
    const db = {
      // biome-ignore lint/correctness/useYield: it fails before its first page.
      async *pages() {
        throw error
      },
      script: async () => ({ done: 2, total: 2, results: [result, result] }),
    } as unknown as Pick<Database, 'pages' | 'script'>
    const sent = { ...SENT, isScan: false, asOf: undefined }
    const answer = await new QueryRun(db, sent, () => 0).next()
    const { results, readTimestamp, commitTimestamp } = answer
    assert.deepEqual([results.length, readTimestamp, commitTimestamp], [2, undefined, 9])
    for (const given of [{ asOf: 7 }, { transaction: 't' }, { params: [1] }]) {
      await assert.rejects(new QueryRun(db, { ...sent, ...given }, () => 0).next(), error)
    }
  })
})
