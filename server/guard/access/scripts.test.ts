// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rolesServer } from '../../../test/access/roles-server.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import type { TokenClient } from '../../../test/server/token-server.ts'

function post(client: TokenClient, path: string, json: object) {
  return client.send({ method: 'POST', path, json })
}

describe('scripts', () => {
  test('need for each statement, and for those of the note, what that needs alone', async (t) => {
    const { client, admin, run } = await rolesServer(t)
    await run('CREATE TABLE progress (name TEXT PRIMARY KEY, done INTEGER)')
    await run("INSERT INTO progress (name, done) VALUES ('a', 0)")
    const app = await client('app', 'READ ON note', 'WRITE ON note')
    const write = "SET text = 'x' ON note WHERE id = 1"
    const note = { sql: "SET done = :done ON progress WHERE name = 'a'" }
    for (const [sql, more, code] of [
      ['DROP TABLE note', {}, 'not_permitted'],
      ['GRANT READ ON secret TO app', {}, 'not_permitted'],
      ['SCAN * FROM secret USE PRIMARY KEY', {}, 'unknown_table'],
      ['SHOW TABLES', { note }, 'unknown_table'],
      ['SHOW TABLES', { note: { sql: "SET text = 'x' ON note WHERE id = 2" } }, undefined],
    ] as const) {
      const { body } = await post(app, '/v1/scripts', { sql: `${sql}; ${write}`, ...more })
      assert.equal(body.code, code, sql)
    }
    const { body } = await admin.query('SCAN id FROM note USE PRIMARY KEY WHERE text = $1', {
      params: ['x'],
    })
    assert.deepEqual(body.results[0].rows, [{ id: 1 }, { id: 2 }])
  })

  test('are explained to whom may run them, each statement for itself', async (t) => {
    const { client, run } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    const read = 'GET text FROM note WHERE id = 1 INTO :text'
    await run('CREATE WEAK OBSERVER hinted ON note (text)')
    for (const analyze of ['', 'ANALYZE ']) {
      for (const [sql, code] of [
        ['SET text = :text ON note WHERE id = 2', 'not_permitted'],
        ["CHECK text = 'x' ON note WHERE id = 2", 'not_permitted'],
        ['NOTIFY hinted ON note WHERE id = 2', 'not_permitted'],
        ['GET * FROM secret WHERE id = 1', 'unknown_table'],
      ] as const) {
        const { body } = await app.query(`EXPLAIN ${analyze}SCRIPT ${read}; ${sql}`)
        assert.deepEqual([body.code, body.statement], [code, 1], sql)
      }
    }
    const { status, text } = await app.query(`EXPLAIN SCRIPT ${read}; SCAN * FROM note`)
    assert.equal(status, 200, text)
  })

  test('look at the token again before each statement', async (t) => {
    const { tokens, client } = await rolesServer(t)
    await client('app', 'READ ON note')
    const made = await tokens.made('CREATE TOKEN boss ROLE admin EXPIRES IN 1 DAY')
    const boss = tokens.as(made)
    const sql = 'DROP TOKEN boss; CREATE TABLE left (id INTEGER PRIMARY KEY)'
    const { body } = await post(boss, '/v1/scripts', { sql })
    assert.deepEqual([body.code, body.done], ['unauthenticated', 1])
    assert.equal((await tokens.as(tokens.token).send({ path: '/v1/tables/left' })).status, 404)
  })
})

describe('definitions in one request', () => {
  test('look at the token again before each', async (t) => {
    const { tokens } = await rolesServer(t)
    const boss = tokens.as(await tokens.made('CREATE TOKEN boss ROLE admin EXPIRES IN 1 DAY'))
    const left = 'CREATE TABLE left (id INTEGER PRIMARY KEY)'
    const { status, body } = await boss.query(`DROP TOKEN boss; ${left}`)
    assert.deepEqual([status, body.code, body.statement], [401, 'unauthenticated', 1])
    assert.equal((await tokens.as(tokens.token).send({ path: '/v1/tables/left' })).status, 404)
    const alone = tokens.as(await tokens.made('CREATE TOKEN alone ROLE admin EXPIRES IN 1 DAY'))
    assert.equal((await alone.query(`${left}; DROP TOKEN alone`)).status, 200)
  })

  test('look at the rights of the role again before each, as scripts do', async (t) => {
    const { tokens, client } = await rolesServer(t)
    const left = 'CREATE TABLE left (id INTEGER PRIMARY KEY)'
    for (const path of ['/v1/query', '/v1/scripts']) {
      const role = path.endsWith('query') ? 'chief' : 'head'
      const chief = await client(role, 'ADMIN')
      const sql = `REVOKE ADMIN FROM ${role}; ${left}`
      const { status, body } = await post(chief, path, { sql })
      assert.deepEqual([status, body.code, body.statement], [403, 'not_permitted', 1], path)
    }
    assert.equal((await tokens.as(tokens.token).send({ path: '/v1/tables/left' })).status, 404)
  })

  for (const path of ['/v1/query', '/v1/scripts']) {
    test(`go on after the first token of a server, which only their answer has: ${path}`, async (t) => {
      const server = await startTestServer(t)
      const sql = `CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY; CREATE TABLE t (id INTEGER PRIMARY KEY)`
      const { status, text } = await server.send({ method: 'POST', path, json: { sql } })
      assert.equal(status, 200, text)
      assert.match(text, /pct_/)
      assert.equal((await server.send({ path: '/v1/tables' })).status, 401)
    })
  }
})

describe('describing a statement', () => {
  test('tells nothing of what the role may not know, and refuses what it may not do', async (t) => {
    const { client } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    for (const [sql, code] of [
      ['SCAN * FROM secret', 'unknown_table'],
      ['SCAN * FROM secret AS OF 1', 'unknown_table'],
      ["SET text = 'x' ON note WHERE id = 1", 'not_permitted'],
      ['CREATE TABLE t (id TEXT PRIMARY KEY)', 'not_permitted'],
      ['CREATE ROLE other', 'not_permitted'],
      ['SHOW TOKENS', 'not_permitted'],
    ] as const) {
      const { body, text } = await post(app, '/v1/describe', { sql })
      assert.equal(body.code, code, sql)
      if (code === 'unknown_table') assert.doesNotMatch(text, /hidden|text/, sql)
    }
  })

  test('does not tell the rules that its rows have to meet', async (t) => {
    const { client, run } = await rolesServer(t)
    const app = await client('app')
    await run("GRANT READ ON note TO app WHERE text = token.sub OR text = 'hidden'")
    const { body, text } = await post(app, '/v1/describe', {
      sql: 'GET * FROM note WHERE id = :id',
    })
    assert.deepEqual(body.parameters, [{ name: 'id', type: 'INTEGER' }])
    assert.doesNotMatch(text, /hidden|token/)
  })
})
