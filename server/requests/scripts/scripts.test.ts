// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { ALL_LIMITS } from '../../limits.ts'

const MIXED = `
CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL);
INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2);
CREATE INDEX byBalance ON account (balance);
BEGIN;
  SET balance = 3 ON account WHERE id = 'bob';
  SET balance = 9 ON account WHERE id = 'joe';
COMMIT;
SCAN * FROM account USE PRIMARY KEY;
`

function script(server: TestServer, sql: string, more: object = {}) {
  return server.post('/v1/scripts', { sql, ...more })
}

/** Notes how far the script is in the table that `noted` makes. */
const NOTE = {
  sql: 'CHECK done = :before ON progress WHERE name = :name; SET done = :done ON progress WHERE name = :name',
  params: { name: 'first' },
}

async function noted(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE progress (name TEXT PRIMARY KEY, done INTEGER NOT NULL)')
  await server.query("INSERT INTO progress (name, done) VALUES ('first', 0)")
  const done = async () =>
    (await server.rows("GET done FROM progress WHERE name = 'first'"))[0].done
  return { server, done }
}

describe('a script', () => {
  test('runs definitions and statements one after the other, and answers what each did', async (t) => {
    const server = await startTestServer(t)
    const { status, body } = await script(server, MIXED)
    assert.equal(status, 200)
    assert.deepEqual([body.done, body.total], [8, 8])
    const facts = body.results.map(({ statement, kind, line, column, rowsAffected }: never) => [
      ...[statement, kind, line, column, rowsAffected],
    ])
    assert.deepEqual(facts, [
      [0, 'createTable', 2, 1, 1],
      [1, 'insert', 3, 1, 2],
      [2, 'createIndex', 4, 1, 1],
      [3, 'begin', 5, 1, 0],
      [4, 'set', 6, 3, 1],
      [5, 'set', 7, 3, 1],
      [6, 'commit', 8, 1, 0],
      [7, 'scan', 9, 1, 0],
    ])
    const stamps = body.results.map(({ commitTimestamp }: never) => commitTimestamp)
    assert.ok(stamps[0] < stamps[1] && stamps[1] < stamps[2] && stamps[2] < stamps[3])
    assert.deepEqual([new Set(stamps.slice(3, 7)).size, stamps[7]], [1, undefined])
    assert.deepEqual(body.results[7].rows, [
      { id: 'bob', balance: 3 },
      { id: 'joe', balance: 9 },
    ])
  })

  test('stops at what fails, tells its place in the whole text, and goes on from there', async (t) => {
    const server = await startTestServer(t)
    const broken = MIXED.replace(
      "'joe';",
      "'joe';\n  CHECK balance = 0 ON account WHERE id = 'joe';",
    )
    const { status, body } = await script(server, broken)
    assert.deepEqual([status, body.code, body.statement], [409, 'check_failed', 6])
    assert.deepEqual([body.line, body.column], [8, 9])
    assert.deepEqual([body.done, body.total, body.results.length], [3, 9, 3])
    const balances = () => server.rows('SCAN balance FROM account USE PRIMARY KEY')
    assert.deepEqual(await balances(), [{ balance: 10 }, { balance: 2 }])
    const rest = await script(server, MIXED, { from: 3 })
    assert.deepEqual([rest.body.done, rest.body.results.length], [8, 5])
    assert.deepEqual(await balances(), [{ balance: 3 }, { balance: 9 }])
    const within = await script(server, MIXED, { from: 4 })
    assert.deepEqual([within.status, within.body.parameter], [400, 'from'])
    assert.equal((await script(server, MIXED, { from: 9 })).status, 400)
    assert.deepEqual((await script(server, MIXED, { from: 8 })).body.results, [])
  })

  test('is refused as a whole for its text, before anything runs', async (t) => {
    const server = await startTestServer(t)
    const make = 'CREATE TABLE t (id TEXT PRIMARY KEY);\n'
    for (const [text, code, line] of [
      [`${make}GET FROM`, 'syntax_error', 2],
      [`${make}BEGIN; SHOW TABLES`, 'transaction_not_closed', 2],
      [`${make}SHOW TABLES; COMMIT`, 'script_mixture', 2],
      [`${make}BEGIN;\n${make}COMMIT`, 'script_mixture', 3],
      [`${make}BEGIN; SHOW TABLES; BEGIN; COMMIT`, 'script_mixture', 2],
      ['', 'invalid_request', undefined],
    ] as const) {
      const { body } = await script(server, text)
      assert.deepEqual([body.code, body.line, body.done], [code, line, undefined], text)
    }
    assert.deepEqual((await server.get('/v1/tables')).body.tables, [])
  })

  test('answers a bounded number of rows, and says that there are others', async (t) => {
    const server = await startTestServer(t)
    await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    const a = 'x'.repeat(50_000)
    const rows = Array.from({ length: 150 }, (_, id) => ({ id, a: id < 100 ? 'x' : a }))
    assert.equal((await server.post('/v1/tables/t/rows', rows)).status, 201)
    const long = Array.from({ length: 50 }, (_, id) => `GET * FROM t WHERE id = ${100 + id};`)
    const { body } = await script(server, `SCAN * FROM t USE PRIMARY KEY; ${long.join(' ')}`)
    const [scanned, ...got] = body.results
    assert.deepEqual([scanned.rows.length, scanned.moreRows], [ALL_LIMITS.scriptRowsMax, true])
    const kept = got.filter(({ moreRows }: { moreRows?: true }) => moreRows === undefined)
    assert.ok(kept.length * a.length <= ALL_LIMITS.scriptRowBytesMax && kept.length >= 20)
  })

  test('answers a bounded number of columns: beyond it they are left out with their rows, of an error too', async (t) => {
    const server = await startTestServer(t)
    const columns = Array.from({ length: 200 }, (_, n) => `"${'c'.repeat(100)}${n}" TEXT`)
    await server.query(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(', ')})`)
    const done = await script(server, 'SCAN * FROM wide;'.repeat(500))
    const failed = await script(server, `${'SCAN * FROM wide;'.repeat(500)} SCAN x FROM wide`)
    assert.deepEqual([done.status, failed.status], [200, 400])
    for (const { text, body } of [done, failed]) {
      const whole = body.results.filter(
        ({ columns }: { columns: unknown[] }) => columns.length === 201,
      )
      const left = body.results.filter(({ moreRows }: { moreRows?: true }) => moreRows)
      assert.deepEqual([whole.length + left.length, left[0].columns], [500, []])
      assert.ok(whole.length >= 20 && text.length < 2 * ALL_LIMITS.scriptRowBytesMax)
    }
  })

  test('uses what one of its transactions has read INTO, and is refused whole where no statement has', async (t) => {
    const { server } = await noted(t)
    const write = "INSERT INTO progress (name, done) VALUES ('new', 1)"
    const read = "GET done FROM progress WHERE name = 'first' INTO :was"
    const use = "SET done = :was + 1 ON progress WHERE name = 'first'"
    for (const [sql, statement, line] of [
      [`${write};\n${read};\n${use}`, 2, 3],
      [`${write};\nBEGIN; ${read}; COMMIT;\n${use}`, 4, 3],
      [`${write};\nBEGIN;\n${use}; ${read}; COMMIT`, 2, 3],
      [`${write};\n\nDELETE FROM progress WHERE name = $1`, 1, 3],
      [`${write};\nSCAN * FROM progress WHERE name IN :names LIMIT 1`, 1, 2],
      [`${write};\nSCAN * FROM progress LIMIT $2`, 1, 2],
    ] as const) {
      const { status, body, text } = await script(server, sql)
      assert.deepEqual(
        [status, body.code, body.statement, body.line],
        [400, 'invalid_request', statement, line],
        text,
      )
      assert.match(body.hint, /INTO a name is known up to the COMMIT/)
      assert.deepEqual(await server.rows('SCAN COUNT(*) AS n FROM progress'), [{ n: 1 }], sql)
    }
    const rule = 'CREATE ROLE r; GRANT READ ON progress TO r WHERE name = token.sub'
    assert.equal((await script(server, `BEGIN; ${read}; ${use}; COMMIT; ${rule}`)).status, 200)
    assert.deepEqual(await server.rows('SCAN done FROM progress'), [{ done: 1 }])
  })

  test('has its note written with each part, both or neither', async (t) => {
    const { server, done } = await noted(t)
    const stops = MIXED.replace(
      "'joe';",
      "'joe';\n  CHECK balance = 0 ON account WHERE id = 'joe';",
    )
    assert.equal((await script(server, stops, { note: NOTE })).status, 409)
    assert.equal(await done(), 3)
    const rest = await script(server, MIXED, { from: await done(), note: NOTE })
    assert.equal(rest.status, 200, rest.text)
    assert.equal(await done(), 8)
  })

  test('tells its note how much of the text is done, and the hash of that', async (t) => {
    const server = await startTestServer(t)
    await server.query(
      'CREATE TABLE seen (done INTEGER PRIMARY KEY, before INTEGER, total INTEGER, length INTEGER, checksum TEXT)',
    )
    const sql =
      'INSERT INTO seen (done, before, total, length, checksum) VALUES (:done, :before, :total, :length, :checksum)'
    const text = `-- ä\n${MIXED}-- end`
    assert.equal((await script(server, text, { from: 1, note: { sql } })).status, 404)
    assert.equal((await script(server, text, { note: { sql } })).status, 200)
    const nexts = ['INSERT', 'CREATE INDEX', 'BEGIN', 'SCAN'].map((word) => text.indexOf(word))
    const ends = nexts.map((next) => text.slice(0, next).trimEnd().length)
    const rows = [...ends, text.length].map((length, index) => ({
      done: [1, 2, 3, 7, 8][index],
      before: [0, 1, 2, 3, 7][index],
      total: 8,
      length,
      checksum: createHash('sha256').update(text.slice(0, length)).digest('hex'),
    }))
    assert.deepEqual(await server.rows('SCAN * FROM seen USE PRIMARY KEY'), rows)
  })

  test('whose note does not agree changes nothing, a definition included', async (t) => {
    const { server, done } = await noted(t)
    await server.query("SET done = 5 ON progress WHERE name = 'first'")
    for (const sql of [
      'CREATE TABLE t (id TEXT PRIMARY KEY)',
      "DELETE FROM progress WHERE name = 'first'",
    ]) {
      const { body } = await script(server, sql, { note: NOTE })
      assert.deepEqual([body.code, body.note, body.done], ['check_failed', true, 0])
    }
    assert.deepEqual(await done(), 5)
    assert.equal((await server.get('/v1/tables/t')).status, 404)
  })

  test('that is run twice at once does each part once', async (t) => {
    const { server, done } = await noted(t)
    const parts = Array.from({ length: 30 }, (_, id) =>
      id % 3 === 0
        ? `CREATE TABLE t${id} (id INTEGER PRIMARY KEY)`
        : `SET count = count + 1 ON counter WHERE id = 1`,
    )
    await server.query('CREATE TABLE counter (id INTEGER PRIMARY KEY, count INTEGER)')
    await server.query('INSERT INTO counter (id, count) VALUES (1, 0)')
    const runner = async () => {
      while ((await done()) < 30) {
        const { status, body } = await script(server, parts.join(';\n'), {
          from: await done(),
          note: NOTE,
        })
        if (status !== 200) assert.ok(body.note || body.retryable, JSON.stringify(body))
      }
    }
    await Promise.all([runner(), runner(), runner()])
    assert.deepEqual(await server.rows('GET count FROM counter WHERE id = 1'), [{ count: 20 }])
  })

  test('notes a part that writes nothing after it, and changes no table that its note writes', async (t) => {
    const { server, done } = await noted(t)
    const text =
      "BEGIN; SET done = 7 ON progress WHERE name = 'first'; ROLLBACK; BEGIN READ ONLY; SHOW TABLES; COMMIT"
    assert.equal((await script(server, text, { note: NOTE })).status, 200)
    assert.equal(await done(), 6)
    await server.query("SET done = 0 ON progress WHERE name = 'first'")
    const { body } = await script(server, 'ALTER TABLE progress ADD COLUMN a TEXT', { note: NOTE })
    assert.deepEqual([body.code, await done()], ['script_mixture', 0])
  })

  test('takes as a note what runs inside of a transaction, with parameters of its own', async (t) => {
    const { server } = await noted(t)
    for (const note of [
      { sql: 'DROP TABLE progress' },
      { sql: 'COMMIT' },
      { sql: '' },
      { sql: 'GET FROM' },
      { ...NOTE, params: { name: 'first', done: 3 } },
      { ...NOTE, params: { name: 2 ** 60 } },
    ]) {
      const { status } = await script(server, 'SHOW TABLES', { note })
      assert.equal(status, 400, JSON.stringify(note))
    }
    const sql = (statements: number) => 'SHOW TABLES;'.repeat(statements)
    const most = ALL_LIMITS.scriptNoteStatementsMax
    assert.equal((await script(server, 'SHOW TABLES', { note: { sql: sql(most) } })).status, 200)
    const { body } = await script(server, 'SHOW TABLES', { note: { sql: sql(most + 1) } })
    assert.deepEqual([body.limit, body.done], ['scriptNoteStatementsMax', undefined])
  })

  test('keeps a token that it makes', async (t) => {
    const server = await startTestServer(t)
    const { body } = await script(server, 'CREATE TOKEN ops ROLE admin EXPIRES IN 1 DAY')
    assert.match(body.results[0].rows[0].token, /^pct_/)
  })
})
