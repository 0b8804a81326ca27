// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { ALL_LIMITS } from '../../limits.ts'

/** What is offered where `^` stands. */
async function completions(server: TestServer, marked: string) {
  const offset = marked.indexOf('^')
  const json = { sql: marked.replace('^', ''), offset }
  const { status, body, text } = await server.send({
    method: 'POST',
    path: '/v1/completions',
    json,
  })
  assert.equal(status, 200, text)
  return body
}

async function textsOf(server: TestServer, marked: string): Promise<string[]> {
  return (await completions(server, marked)).items.map(({ text }: { text: string }) => text)
}

async function bank(t: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(t)
  for (const sql of [
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, "order" INTEGER)',
    'CREATE INDEX byBalance ON account (balance DESC)',
    'CREATE TABLE bank (id TEXT PRIMARY KEY, bailiff TEXT)',
    'CREATE WEAK OBSERVER audit ON account (balance)',
  ]) {
    assert.equal((await server.query(sql)).status, 200)
  }
  return server
}

describe('completions', () => {
  test('name columns of the tables that the statement names, and of all while it names none', async (t) => {
    const server = await bank(t)
    assert.deepEqual(await textsOf(server, 'SCAN ba^'), ['balance', 'bailiff'])
    assert.deepEqual(await completions(server, 'SCAN id, BA^ FROM account'), {
      from: 9,
      items: [{ text: 'balance', kind: 'column', detail: 'INTEGER, account' }],
      more: false,
      expected: ['an expression'],
      unfinished: true,
      statements: 1,
    })
    assert.deepEqual(await textsOf(server, 'SCAN o^ FROM account'), ['"order"'])
    assert.deepEqual(await textsOf(server, 'SCAN "o^ FROM account'), ['"order"'])
    assert.deepEqual(await textsOf(server, 'SCAN co^ FROM account'), [
      'coalesce(',
      'concat(',
      'COUNT(',
    ])
  })

  test('name behind a . the columns of its table, and what may stand before one', async (t) => {
    const server = await bank(t)
    const joined = 'FROM account AS a LOOKUP bank AS b BY b.id = a.id'
    assert.deepEqual(await textsOf(server, `SCAN a.b^ ${joined}`), ['balance'])
    assert.deepEqual(await textsOf(server, `SCAN b.b^ ${joined}`), ['bailiff'])
    assert.deepEqual(await textsOf(server, `SCAN c.^ ${joined}`), [])
    assert.deepEqual(await textsOf(server, 'SCAN bank.b^'), ['bailiff'])
    assert.deepEqual(await textsOf(server, `SCAN b^ ${joined}`), ['balance', 'bailiff', 'b.'])
    const upsert = "INSERT INTO bank (id) VALUES ('a') ON CONFLICT DO UPDATE SET bailiff = "
    assert.ok((await textsOf(server, `${upsert}ex^`)).includes('excluded.'))
    assert.deepEqual(await textsOf(server, `${upsert}excluded.^`), ['id', 'bailiff'])
    assert.deepEqual(await textsOf(server, 'SCAN cas^ FROM bank'), ['CASE', 'CAST('])
    assert.deepEqual(await textsOf(server, 'SCAN now() - int^ FROM bank'), ['INTERVAL'])
    const added = await textsOf(server, 'ALTER TABLE bank ADD COLUMN at TIMESTAMP DEFAULT n^')
    assert.deepEqual(added, ['NULL', 'now()'])
  })

  test('name tables, indexes, observers, types and words of the dialect', async (t) => {
    const server = await bank(t)
    const { items } = await completions(server, 'SCAN * FROM ^')
    assert.deepEqual(items, [
      { text: 'account', kind: 'table', detail: 'PRIMARY KEY (id)' },
      { text: 'bank', kind: 'table', detail: 'PRIMARY KEY (id)' },
    ])
    const index = await completions(server, 'SCAN * FROM account USE INDEX ^')
    assert.deepEqual(index.items, [
      { text: 'byBalance', kind: 'index', detail: 'account (balance DESC)' },
    ])
    const observer = await completions(server, 'DROP OBSERVER a^')
    assert.deepEqual(observer.items, [{ text: 'audit', kind: 'observer', detail: 'on account' }])
    assert.deepEqual(await textsOf(server, 'ALTER TABLE bank ADD COLUMN a B^'), [
      'BOOLEAN',
      'BYTES',
    ])
    assert.deepEqual(await textsOf(server, 'SCAN * FROM bank o^'), ['ORDER BY'])
  })

  test('are bounded, and say whether there are more', async (t) => {
    const server = await startTestServer(t)
    const columns = Array.from({ length: 120 }, (_, index) => `c${index} INTEGER`)
    await server.query(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(', ')})`)
    const all = await completions(server, 'SCAN ^ FROM wide')
    assert.deepEqual([all.items.length, all.more], [ALL_LIMITS.completionItemsMax, true])
    const some = await completions(server, 'SCAN c11^ FROM wide')
    assert.deepEqual([some.items.length, some.more], [11, false])
    const long = `SCAN '${'x'.repeat(ALL_LIMITS.statementTextBytesMax)}`
    const { body } = await server.post('/v1/completions', { sql: long })
    assert.deepEqual([body.code, body.limit], ['limit_exceeded', 'statementTextBytesMax'])
  })

  test('take the end of the text without an offset, or for one beyond it', async (t) => {
    const server = await bank(t)
    for (const offset of [undefined, 5, 1_000]) {
      const { body } = await server.post('/v1/completions', { sql: 'GET b', offset })
      assert.equal(body.from, 4)
    }
    assert.equal((await server.post('/v1/completions', { sql: 'GET', offset: -1 })).status, 400)
  })
})
