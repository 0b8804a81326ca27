// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

function ask(server: TestServer, json: unknown) {
  return server.send({ method: 'POST', path: '/v1/query?format=table', json })
}

test('rows are laid out as psql does', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT)')
  const sql = `INSERT INTO account (id, balance, note) VALUES ('bob', 3, 'x'), ('josephine', -12, 'über
line'), ('kim', NULL, '')`
  assert.equal((await ask(server, { sql })).text, 'OK, 3 rows\n')
  const { text, headers } = await ask(server, { sql: 'SCAN * FROM account' })
  assert.equal(
    text,
    [
      '    id     | balance |    note',
      '-----------+---------+------------',
      ' bob       |       3 | x',
      ' josephine |     -12 | über\\nline',
      ' kim       |         |',
      '(3 rows)',
      '',
    ].join('\n'),
  )
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  const several = await ask(server, {
    sql: "BEGIN; GET id FROM account WHERE id = 'kim'; SET balance = 1 ON account WHERE id = 'kim' IF NOT EXISTS; COMMIT",
  })
  assert.equal(several.text, 'OK\n\n id\n-----\n kim\n(1 row)\n\nNothing written: exists\n\nOK\n')
})

test('a definition says OK, and EXPLAIN shows its plan line by line', async (t) => {
  const server = await startTestServer(t)
  const sql = 'CREATE TABLE IF NOT EXISTS account (id TEXT PRIMARY KEY)'
  assert.equal((await ask(server, { sql })).text, 'OK\n')
  assert.equal((await ask(server, { sql })).text, 'OK, nothing was to be done\n')
  const { text } = await ask(server, { sql: "EXPLAIN GET id FROM account WHERE id = 'bob'" })
  assert.match(text, /^GET account\n {2}access: /)
  assert.doesNotMatch(text, /\{/)
})

test('a table that is not all says so', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  await server.post('/v1/tables/item/rows', [{ id: 1 }, { id: 2 }])
  const { text } = await ask(server, { sql: 'SCAN * FROM item', pageSize: 1 })
  assert.match(
    text,
    /\(1 row\)\nThere is more; the cursor behind it is 4\.[0-9a-f]{32}\.[0-9a-f]{24}\.\d+\./,
  )
})

test('an error shows its place by a caret, in the text of its own statement', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  const broken = await ask(server, {
    sql: "GET * FROM account WHERE id = 'a';\n  SCAN * FORM account",
  })
  assert.equal(broken.status, 400)
  assert.equal(
    broken.text.split('\n').slice(0, 3).join('\n'),
    "ERROR:  syntax_error: expected FROM, found 'FORM'\nLINE 2:   SCAN * FORM account\n                 ^",
  )
  const second = await ask(server, {
    statements: [{ sql: 'SHOW TABLES' }, { sql: "GET balanse FROM account WHERE id = 'a'" }],
  })
  assert.equal(
    second.text,
    "ERROR:  unknown_column: The table account has no column balanse.\nLINE 1: GET balanse FROM account WHERE id = 'a'\n            ^\nHINT:  Did you mean balance?\n",
  )
  const long = await ask(server, {
    sql: `SCAN * FROM account WHERE ${"id = 'x' OR ".repeat(50)}nope = 1`,
  })
  const [, line = '', caret = ''] = long.text.split('\n')
  assert.match(line, /^LINE 1: \.\.\./)
  assert.equal(line.slice(caret.indexOf('^')).split(' ')[0], 'nope')
  const nowhere = await ask(server, { sql: ' ' })
  assert.equal(nowhere.text, 'ERROR:  invalid_request: There is no statement.\n')
})
