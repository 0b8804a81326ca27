// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { StatementResult } from '../../../planner/planner.ts'
import type { SqlType } from '../../../storage/values/values.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { AnswerBudget } from './query-answer.ts'
import { tableText } from './table-text.ts'

const { answerBytesMax } = SERVER_LIMITS

/** A result whose blanks are a thousand times as many as its bytes. */
const WIDE: StatementResult = {
  columns: ['body', 'tag'].map((name) => ({ name, type: 'TEXT' })),
  rows: Array.from({ length: 800 }, (_, index) => [index === 0 ? 'x'.repeat(20_000) : 'y', 'z']),
  rowsAffected: 0,
}

function outcomeOf(results: readonly StatementResult[]) {
  return { results, readTimestamp: 1, commitTimestamp: null, attempts: 1 }
}

test('a table is counted with its blanks before it is laid out, over all results of an answer', () => {
  const budget = new AnswerBudget()
  let characters = 0
  const layOut = () => {
    for (const piece of tableText(outcomeOf(Array(1_000).fill(WIDE)), budget)) {
      characters += piece.length
    }
  }
  assert.throws(layOut, { code: 'limit_exceeded' })
  assert.ok(characters > answerBytesMax / 2 && characters <= answerBytesMax, `${characters}`)
})

test('what is counted is what is laid out, but for the blanks that a line ends in', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('a'.repeat(300), '日本', '\u200b', '\n', ''))
  const value = (type: SqlType) =>
    type === 'TEXT' ? text : fc.bigInt({ min: -9n, max: 10n ** 15n })
  const types = fc.array(fc.constantFrom<SqlType>('TEXT', 'INTEGER'), {
    minLength: 1,
    maxLength: 4,
  })
  const result = types.chain((chosen) => {
    const row = fc.tuple(...chosen.map((type) => fc.oneof(value(type), fc.constant(null))))
    return fc.array(row, { maxLength: 20 }).map((rows): StatementResult => {
      const columns = chosen.map((type, index) => ({ name: `c${index}`, type }))
      return { columns, rows, rowsAffected: 0 }
    })
  })
  fc.assert(
    fc.property(result, (one) => {
      let counted = 0
      const budget = { takeText: (bytes: number) => (counted += bytes) }
      const lines = [...tableText(outcomeOf([one]), budget)].join('').split('\n').slice(0, -2)
      const bytes = Buffer.byteLength(lines.join('\n'))
      assert.ok(bytes <= counted, `${bytes} of ${counted}`)
      // A row of NULLs, and what is behind the last name, is laid out as nothing.
      const widest = Buffer.byteLength(lines[1] ?? '')
      assert.ok(counted <= widest * (one.rows.length + 2) + bytes, `${bytes} of ${counted}`)
      const isFull = one.rows.every((row) => row.every((cell) => cell !== null && cell !== ''))
      if (isFull) assert.ok(counted - bytes <= widest + lines.length, `${bytes} of ${counted}`)
    }),
  )
})

test('a table that is too much is refused before anything is committed', async (t) => {
  const server = await startTestServer(t, {
    deps: { sharedLimits: { unsentBytesMax: 2 ** 27 } },
  })
  const ask = (json: object) =>
    server.send({ method: 'POST', path: '/v1/query?format=table', json })
  const { unsentBytes } = server.server.shares
  await server.query('CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, tag TEXT)')
  await server.post(
    '/v1/tables/note/rows',
    WIDE.rows.map(([body, tag], id) => ({ id, body, tag })),
  )
  const write = { sql: "SET tag = 'new' ON note WHERE id = 9999" }
  const scan = { sql: 'SCAN body, tag FROM note LIMIT 1000' }
  const scans = Array(8).fill(scan)
  const isNotWritten = async () => {
    assert.deepEqual(await server.rows('GET tag FROM note WHERE id = 9999'), [])
    assert.equal(unsentBytes.held, 0)
  }

  for (const statements of [
    [write, ...scans],
    [{ sql: 'BEGIN' }, write, ...scans, { sql: 'COMMIT' }],
  ]) {
    const { status, text, headers } = await ask({ statements })
    assert.equal(status, 413)
    assert.match(text, /^ERROR: {2}limit_exceeded: Bytes of the answer/)
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
    await isNotWritten()
  }

  const transaction = await server.begin()
  const inside = [write, ...scans, { sql: 'COMMIT' }]
  assert.equal((await ask({ transaction, statements: inside })).status, 413)
  await isNotWritten()
  const opening = [{ sql: 'BEGIN' }, write, ...scans]
  assert.equal((await ask({ keepOpen: true, statements: opening })).status, 413)
  await server.send({ method: 'DELETE', path: `/v1/transactions/${transaction}` })
  assert.equal(server.server.shares.openTransactions.held, 0)

  const one = await ask({ statements: [write, scan] })
  assert.equal(one.status, 200)
  assert.match(one.text, /^OK, 1 row\n\n.*body/)
  assert.deepEqual(await server.rows('GET tag FROM note WHERE id = 9999'), [{ tag: 'new' }])
})

test('a table takes its blanks from what its client may leave unread', async (t) => {
  const server = await startTestServer(t, {
    deps: { sharedLimits: { unsentBytesMax: 2 ** 24 } },
  })
  const sql = 'SCAN body, tag FROM note LIMIT 1000'
  await server.query('CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, tag TEXT)')
  await server.post(
    '/v1/tables/note/rows',
    WIDE.rows.map(([body, tag], id) => ({ id, body, tag })),
  )
  assert.equal((await server.query(sql)).status, 200)
  const { status, text } = await server.send({
    method: 'POST',
    path: '/v1/query?format=table',
    json: { sql },
  })
  assert.equal(status, 413)
  assert.match(text, /^ERROR: {2}limit_exceeded: Bytes of responses that have not been read/)
})
