// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { answerOf, startScriptedServer } from '../../test/client-sdk/scripted-server.ts'
import { connect, PercoliteError } from '../client.ts'

// A write that has been committed is never an error of its call.

const { db, url } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT)')

const LARGEST = '9223372036854775807'
type T = { readonly id: number; readonly a: unknown; readonly b: string | null }

/** What looking at something throws, which says that the write was committed. */
function failureOf(look: () => unknown, code = 'integer_out_of_range'): PercoliteError {
  try {
    look()
  } catch (error) {
    assert.ok(error instanceof PercoliteError)
    const { committed, retryable, commitTimestamp } = error
    assert.deepEqual([error.code, committed, retryable], [code, true, false])
    assert.deepEqual(error.fields.committed, true)
    assert.equal(error.fields.commitTimestamp, commitTimestamp)
    assert.ok((commitTimestamp ?? 0) > 0)
    return error
  }
  throw new Error('It can be shown.')
}

test('a row that was written and cannot be shown as numbers: the write succeeds, and only looking at the row fails', async () => {
  const table = db.table<T>('t')
  const put = await table.put(50, { a: LARGEST } as object)
  assert.equal(failureOf(() => put.row).commitTimestamp, Number.parseInt(put.version.slice(1), 10))
  const patched = await table.patch(50, { b: 'new' })
  failureOf(() => patched.row)
  assert.notEqual(patched.version, put.version)
  const inserted = await table.insert({ id: 51, a: LARGEST } as object)
  failureOf(() => inserted.row)
  // With bigints the same rows can be shown, and they are there.
  const exact = connect({ url, integers: 'bigint' })
  const row = { id: 50n, a: BigInt(LARGEST), b: 'new' }
  assert.deepEqual(await exact.table('t').get(50), { row, version: patched.version })
  assert.equal(await table.delete(50, { ifVersion: patched.version }), true)
  // What is only read is an error of its call.
  await assert.rejects(table.get(51), (error: PercoliteError) => {
    assert.deepEqual([error.code, error.committed], ['integer_out_of_range', false])
    return true
  })
})

test('RETURNING of what cannot be shown: the statement succeeds, and only looking at its rows fails', async () => {
  const sql = 'INSERT INTO t (id, a) VALUES ($1, $2) RETURNING *'
  const result = await db.query(sql, [60, LARGEST])
  const { commitTimestamp } = failureOf(() => result.rows)
  assert.deepEqual(
    [result.commitTimestamp, result.rowsAffected, result.columns.length],
    [commitTimestamp, 1, 3],
  )
  const script = await db.execute([
    { sql, params: [61, 1] },
    { sql, params: [62, LARGEST] },
    'GET a FROM t WHERE id = 60',
  ])
  assert.deepEqual(script.results[0]?.rows, [{ id: 61, a: 1, b: null }])
  failureOf(() => script.results[1]?.rows)
  failureOf(() => script.results[2]?.rows)
  const { rows } = await db.query<{ n: number }>('SCAN COUNT(*) AS n FROM t WHERE id >= 60')
  assert.equal(rows[0]?.n, 3)
})

test('in a transaction nothing is committed yet, so that it is an error that rolls back', async () => {
  const ended = db.transaction((tx) =>
    tx.query('INSERT INTO t (id, a) VALUES ($1, $2) RETURNING *', [70, LARGEST]),
  )
  await assert.rejects(ended, { code: 'integer_out_of_range', committed: false })
  assert.deepEqual((await db.query('GET id FROM t WHERE id = 70')).rows, [])
})

test('more rows than maxRows behind a write: the write succeeds', async () => {
  const sql = 'SET b = NULL ON t WHERE id = 80; SCAN id FROM t USE PRIMARY KEY'
  const result = await db.query(sql, undefined, { maxRows: 1 })
  const { commitTimestamp } = failureOf(() => result.rows, 'result_too_large')
  assert.equal(result.commitTimestamp, commitTimestamp)
})

/** A server that answers every request by its headers and the beginning of a body. */
async function startBrokenServer(t: TestContext, isLost: boolean) {
  const server = createServer((request, response) => {
    request.resume()
    const headers = { 'content-type': 'application/json', 'percolite-commit-timestamp': '200' }
    response.writeHead(200, { ...headers, etag: '"200"', 'content-length': 100 })
    response.write('{"columns":[')
    if (isLost) setImmediate(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an answer that breaks off behind its headers: what they say has been committed succeeds', async (t) => {
  const far = connect({ url: await startBrokenServer(t, true) })
  const { row, version } = Object.getOwnPropertyDescriptors(await far.table('t').put(1, {}))
  assert.equal(version.value, '"200"')
  failureOf(() => row.get?.(), 'connection_failed')
  assert.equal(await far.table('t').delete(1), true)
})

test('a signal that is aborted behind the headers takes nothing back', async (t) => {
  const far = await startBrokenServer(t, false)
  const leaving = new AbortController()
  const seen = Promise.withResolvers<void>()
  const fetching: typeof fetch = async (...args) => {
    const answer = await fetch(...args)
    seen.resolve()
    return answer
  }
  const watched = connect({ url: far, fetch: fetching })
  const putting = watched.table('t').put(1, {}, { signal: leaving.signal })
  await seen.promise
  leaving.abort(new Error('too late'))
  const put = await putting
  const { cause } = failureOf(() => put.row, 'invalid_answer')
  assert.match(String(cause), /too late/)
})

test('a commit whose answer breaks off behind its headers is done, and nobody is asked', async (t) => {
  const opened = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
  const broken = await startBrokenServer(t, true)
  const scripted = await startScriptedServer(t, [
    { expect: 'POST /v1/transactions', answer: [201, opened] },
  ])
  const turning: typeof fetch = (input, init) => {
    const path = new URL(String(input)).pathname
    return fetch(path.endsWith('/commit') ? `${broken}${path}` : input, init)
  }
  const tx = await connect({ url: scripted.url, fetch: turning }).begin()
  await tx.commit()
  assert.equal(tx.commitTimestamp, 200)
  scripted.assertPlayed()
})

for (const answer of [{}, { commitTimestamp: 'soon' }, [], null, 'text']) {
  test(`an answer to commit that is ${JSON.stringify(answer)} is not one, and the outcome is asked for`, async (t) => {
    const opened = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
    const server = await startScriptedServer(t, [
      { expect: 'POST /v1/transactions', answer: [201, opened] },
      { expect: 'POST /v1/transactions/100.aa/commit', answer: [200, answer] },
      {
        expect: 'GET /v1/transactions/100.aa',
        answer: [200, { transaction: '100.aa', status: 'committed', commitTimestamp: 200 }],
      },
    ])
    const tx = await connect({ url: server.url }).begin()
    await tx.commit()
    assert.equal(tx.commitTimestamp, 200)
    server.assertPlayed()
  })
}

test('a BEGIN that a signal ends is rolled back when it is answered after all', async (t) => {
  const opened = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
  const server = await startScriptedServer(t, [
    { expect: 'POST /v1/transactions', answer: [201, opened] },
    { expect: 'DELETE /v1/transactions/100.aa' },
  ])
  const answered = Promise.withResolvers<void>()
  const rolledBack = Promise.withResolvers<void>()
  const late: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    await answered.promise
    if (init?.method === 'DELETE') rolledBack.resolve()
    return answer
  }
  const far = connect({ url: server.url, fetch: late })
  const leaving = new AbortController()
  const beginning = far.begin({ signal: leaving.signal })
  while (server.seen.length === 0) await new Promise(setImmediate)
  leaving.abort(new Error('enough'))
  await assert.rejects(beginning, /enough/)
  answered.resolve()
  await rolledBack.promise
  server.assertPlayed()
  await assert.rejects(far.begin({ signal: leaving.signal }), /enough/)
})

test('a statement that a signal ends rolls its transaction back, which takes nothing more', async (t) => {
  const opened = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
  const server = await startScriptedServer(t, [
    { expect: 'POST /v1/transactions', answer: [201, opened] },
    { expect: 'POST /v1/transactions/100.aa/query', answer: answerOf([], []) },
    { expect: 'POST /v1/transactions/100.aa/query', silent: true },
    { expect: 'DELETE /v1/transactions/100.aa' },
  ])
  const tx = await connect({ url: server.url }).begin()
  await tx.query('SET …')
  const leaving = new AbortController()
  const asked = tx.query('SET …', [], { signal: leaving.signal })
  while (server.seen.length < 3) await new Promise(setImmediate)
  leaving.abort(new Error('enough'))
  await assert.rejects(asked, /enough/)
  await assert.rejects(tx.commit(), { code: 'transaction_closed' })
  while (server.seen.length < 4) await new Promise(setImmediate)
  server.assertPlayed()
})

test('a signal that was aborted before leaves the transaction as it is', async (t) => {
  const opened = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
  const server = await startScriptedServer(t, [
    { expect: 'POST /v1/transactions', answer: [201, opened] },
    { expect: 'POST /v1/transactions/100.aa/commit', answer: [200, { commitTimestamp: 200 }] },
  ])
  const tx = await connect({ url: server.url }).begin()
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(tx.query('SET …', [], { signal }), /enough/)
  await tx.commit()
  server.assertPlayed()
})
