// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rolesServer } from '../../../test/access/roles-server.ts'
import {
  type Answer,
  type AnswerBody,
  type Sending,
  startTestServer,
} from '../../../test/server/test-server.ts'
import type { TokenClient } from '../../../test/server/token-server.ts'
import { loadContract } from '../../doors/http/openapi/contract.ts'

const { operations } = loadContract().document

/** Statements by what they need on `note`. */
const NEEDS = {
  read: [
    'GET * FROM note WHERE id = 1',
    'SCAN * FROM note USE PRIMARY KEY',
    'SCAN COUNT(*) FROM note',
    'EXPLAIN GET * FROM note WHERE id = 1',
    'EXPLAIN ANALYZE SCAN * FROM note USE PRIMARY KEY',
  ],
  write: [
    "INSERT INTO note (id, text) VALUES (100, 'x')",
    "INSERT INTO note (id, text) VALUES (100, 'x') ON CONFLICT DO NOTHING",
    "INSERT INTO note (id, text) VALUES (100, 'x') ON CONFLICT (id) DO NOTHING",
    "INSERT INTO note (id, text) VALUES (100, 'x') ON CONFLICT DO UPDATE SET text = excluded.text",
    "SET text = 'y' ON note WHERE id = 100",
    "EXPLAIN SET text = 'y' ON note WHERE id = 100",
    "SET text = 'y' ON note WHERE id >= 100",
    "SET text = 'y' ON note WHERE id IN (100, 101) LIMIT 1",
    'DELETE FROM note WHERE id = 100',
    'DELETE FROM note WHERE id >= 100',
    'NOTIFY hint ON note WHERE id = 1',
  ],
  both: [
    'GET * FROM note WHERE id = 1 FOR UPDATE',
    "SET text = text || 'y' ON note WHERE id = 1",
    "SET text = 'y' ON note WHERE id = 1 IF text = 'a'",
    "SET text = 'y' ON note WHERE id = 1 RETURNING text",
    "SET text = 'y' ON note WHERE id >= 100 RETURNING id",
    "SET text = text || 'y' ON note WHERE id >= 100",
    "SET text = 'y' ON note USE PRIMARY KEY WHERE text = 'nobody'",
    'INSERT INTO note (id) VALUES (101) RETURNING text',
    "INSERT INTO note (id) VALUES (101) ON CONFLICT DO UPDATE SET text = text || 'x'",
    "INSERT INTO note (id) VALUES (101) ON CONFLICT DO UPDATE SET text = 'x' IF text = 'a'",
    'INSERT INTO note (id) VALUES (101) ON CONFLICT DO UPDATE SET text = NULL RETURNING id',
    "DELETE FROM note USE PRIMARY KEY WHERE text = 'nobody'",
    'DELETE FROM note WHERE id = 101 RETURNING text',
    'CHECK text IS NOT NULL ON note WHERE id = 2',
  ],
} as const

/** Every door to the rows of a table, reading. */
function doorsTo(table: string, asOf: number): Sending[] {
  const json = { sql: `SCAN * FROM ${table} USE PRIMARY KEY` }
  const post = (path: string, more: object = {}): Sending => ({
    method: 'POST',
    path,
    json: { ...json, ...more },
  })
  const query = encodeURIComponent(json.sql)
  return [
    post('/v1/query'),
    post('/v1/query', { asOf }),
    { ...post('/v1/query'), headers: { accept: 'application/x-ndjson' } },
    { ...post('/v1/query'), headers: { accept: 'text/csv' } },
    { method: 'POST', path: '/v1/query', json: { sql: `GET * FROM ${table} WHERE id = 1` } },
    { method: 'POST', path: '/v1/query', json: { sql: `EXPLAIN ${json.sql}` } },
    { method: 'POST', path: '/v1/query', json: { sql: `DESCRIBE ${table}` } },
    { method: 'POST', path: '/v1/query', json: { sql: `SHOW INDEXES FROM ${table}` } },
    { method: 'POST', path: '/v1/query', json: { sql: `SHOW CREATE TABLE ${table}` } },
    { path: `/v1/tables/${table}` },
    { path: `/v1/tables/${table}/rows` },
    { path: `/v1/tables/${table}/rows?format=ndjson` },
    { path: `/v1/tables/${table}/rows?format=csv` },
    { path: `/v1/tables/${table}/rows/1` },
    { path: `/v1/changes?sql=${query}&snapshot=true` },
    { method: 'PUT', path: `/v1/tables/${table}/rows/1`, json: { text: 'x' } },
    { method: 'PATCH', path: `/v1/tables/${table}/rows/1`, json: { text: 'x' } },
    { method: 'DELETE', path: `/v1/tables/${table}/rows/1` },
    { method: 'POST', path: `/v1/tables/${table}/rows`, json: { id: 9, text: 'x' } },
  ]
}

describe('rights', () => {
  test('each statement needs its rights on the table, and no others', async (t) => {
    const { run, client } = await rolesServer(t)
    await run('CREATE WEAK OBSERVER hint ON note (text)')
    const clients = {
      reader: await client('reader', 'READ ON note'),
      writer: await client('writer', 'WRITE ON note'),
      both: await client('both', 'READ, WRITE ON note'),
      everywhere: await client('everywhere', 'READ, WRITE ON ALL TABLES'),
    }
    const may = { reader: ['read'], writer: ['write'], both: ['read', 'write', 'both'] }
    for (const [name, who] of Object.entries(clients)) {
      const allowed: readonly string[] = may[name as keyof typeof may] ?? may.both
      for (const [need, statements] of Object.entries(NEEDS)) {
        for (const sql of statements) {
          const { status, body } = await who.query(sql)
          const isAllowed = allowed.includes(need)
          assert.equal(status === 200, isAllowed, `${name}: ${sql}: ${status} ${body?.code}`)
          if (isAllowed) continue
          assert.deepEqual([status, body.code, body.table], [403, 'not_permitted', 'note'], sql)
        }
      }
    }
  })

  test('a table that a role may do nothing with is one that there is not, at every door', async (t) => {
    const { client, before } = await rolesServer(t)
    const app = await client('app', 'READ, WRITE ON note')
    const asOf = (await app.query('SHOW TABLES')).body.readTimestamp
    const doors = [...doorsTo('secret', asOf), ...doorsTo('secret', before)]
    const others = [...doorsTo('nobody', asOf), ...doorsTo('nobody', before)]
    for (const [at, unknown] of others.entries()) {
      const hidden = await app.send(doors[at] as Sending)
      const missing = await app.send(unknown)
      const label = JSON.stringify(doors[at])
      assert.equal(hidden.status, 404, `${label}: ${hidden.text}`)
      assert.equal(hidden.body?.code, 'unknown_table', label)
      const same = (answer: Answer) =>
        answer.text.replace(/"column":\d+/g, '').replaceAll(/secret|nobody/g, 'it')
      assert.equal(same(hidden), same(missing), label)
    }
    assert.deepEqual(
      (await app.rows('SHOW TABLES')).map(({ table }) => table),
      ['note'],
    )
    assert.equal((await app.send({ path: '/v1/tables' })).body.tables.length, 1)
    const misspelt = await app.query('GET * FROM secrets WHERE id = 1')
    assert.equal(misspelt.body.nearest, undefined)
  })

  test('what is of the whole server is asked for before anything else', async (t) => {
    const { client } = await rolesServer(t)
    const app = await client('app', 'READ, WRITE ON ALL TABLES')
    const ops = await client('ops', 'DEFINE, INSPECT')
    for (const { id, method, path, declaration } of operations) {
      const { right } = declaration
      if (right !== 'inspect' && right !== 'admin') continue
      const verb = method.toUpperCase() as 'GET'
      const sending = { method: verb, path: path.replaceAll(/\{\w+\}/g, 'x'), json: undefined }
      const refused = await app.send(sending)
      assert.deepEqual([refused.status, refused.body.code], [403, 'not_permitted'], id)
      assert.deepEqual(refused.body.right, right)
      const { body } = await ops.send(sending)
      assert.equal(body?.code === 'not_permitted', right === 'admin', id)
    }
    for (const sql of ['CREATE TABLE t (id INTEGER PRIMARY KEY)', 'DROP TABLE secret']) {
      assert.equal(await app.refusal(sql), 'not_permitted')
      assert.equal((await ops.query(sql)).status, 200)
    }
    assert.equal(await ops.refusal('GET * FROM note WHERE id = 1'), 'not_permitted')
    const administration = [
      'CREATE ROLE x',
      'DROP ROLE app',
      'GRANT READ ON note TO ops',
      'GRANT ADMIN TO ops',
      'REVOKE READ ON ALL TABLES FROM app',
      'CREATE TOKEN x ROLE app EXPIRES IN 1 DAY',
      'ROTATE TOKEN ops',
      'DROP TOKEN app',
      'SHOW ROLES',
      'SHOW TOKENS',
      'SHOW GRANTS FOR app',
    ]
    for (const sql of administration) assert.equal(await ops.refusal(sql), 'not_permitted', sql)
    const own = await ops.rows('SHOW GRANTS')
    assert.deepEqual(
      own.map(({ role, right }) => `${role} ${right}`),
      ['ops DEFINE', 'ops INSPECT'],
    )
  })

  test('the past of a dropped table is for who may inspect and read all tables', async (t) => {
    const { run, client, admin } = await rolesServer(t)
    const asOf = (await admin.query('SHOW TABLES')).body.readTimestamp
    await run('DROP TABLE note')
    const sql = 'SCAN id FROM note USE PRIMARY KEY'
    const reader = await client('reader', 'READ ON ALL TABLES')
    assert.equal(await reader.refusal(sql, { asOf }), 'unknown_table')
    const ops = await client('ops', 'INSPECT')
    assert.equal(await ops.refusal(sql, { asOf }), 'not_permitted')
    const both = await client('both', 'READ ON ALL TABLES', 'INSPECT')
    assert.equal((await both.rows(sql, { asOf })).length, 3)
  })

  test('open transactions: ones own, and the stamps of all with INSPECT', async (t) => {
    const { client, tokens } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    const ops = await client('ops', 'INSPECT')
    const path = '/v1/transactions'
    const { transaction } = (await app.send({ method: 'POST', path, json: {} })).body
    await app.query('GET * FROM note WHERE id = 1', { transaction })
    const others = (await tokens.as(tokens.token).send({ method: 'POST', path, json: {} })).body
    await tokens.query("SET text = 'x' ON secret WHERE id = 1")
    const set = { sql: "SET text = 'hunter2' ON secret WHERE id = 1" }
    await tokens.as(tokens.token).query(set.sql, { transaction: others.transaction })
    const ids = async (who: TokenClient) =>
      (await who.send({ path })).body.transactions.map((each: { transaction: string }) => {
        return each.transaction
      })
    assert.deepEqual(await ids(app), [transaction])
    const { text } = await app.send({ path })
    assert.ok(!text.includes('secret'), text)
    const all = await ops.send({ path })
    const did = all.body.transactions.map(({ last, writes }: AnswerBody) => [last, writes])
    const written = [{ table: 'secret', rows: 1 }]
    assert.deepEqual(did, [
      ['GET note', []],
      ['SET secret', written],
    ])
    assert.ok(!all.text.includes('hunter2'), all.text)
    const seen = await ids(ops)
    assert.equal(seen.length, 2)
    assert.ok(seen.every((id: string) => /^\d+$/.test(id)))
  })
})

describe('roles', () => {
  test('are dropped when nobody has them, and a name comes back without its grants', async (t) => {
    const { admin, run, client } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    const inUse = (await admin.query('DROP ROLE app')).body
    assert.deepEqual([inUse.code, inUse.tokens, inUse.tables], ['role_in_use', ['app'], ['note']])
    await run('DROP TABLE note')
    await run('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    assert.equal(await app.refusal('GET * FROM note WHERE id = 1'), 'unknown_table')
    await run('DROP TOKEN app')
    await run('DROP ROLE app')
    const again = await client('app')
    assert.equal(await again.refusal('GET * FROM note WHERE id = 1'), 'unknown_table')
    await run('GRANT READ ON ALL TABLES TO app')
    await run('CREATE TABLE later (id INTEGER PRIMARY KEY)')
    assert.deepEqual(await again.rows('GET * FROM later WHERE id = 1'), [])
  })

  test('mistakes are told with their place', async (t) => {
    const { admin, client } = await rolesServer(t)
    await client('app')
    const met = async (sql: string) => {
      const { code, column } = (await admin.query(sql)).body
      return `${code} ${column}`
    }
    assert.equal(await met('CREATE ROLE APP'), 'already_exists 13')
    assert.equal(await met('CREATE ROLE admin'), 'already_exists 13')
    assert.equal(await met('GRANT READ ON note TO nobody'), 'unknown_role 23')
    assert.equal(await met('GRANT READ ON nott TO app'), 'unknown_table 15')
    assert.equal(await met('GRANT READ TO app'), 'invalid_request 7')
    assert.equal(await met('GRANT READ, DEFINE ON note TO app'), 'invalid_request 13')
    assert.equal(await met('GRANT READ ON note TO admin'), 'invalid_request 23')
    assert.equal(await met('REVOKE ALL FROM admin'), 'invalid_request 17')
    assert.equal(await met('DROP ROLE admin'), 'invalid_request 11')
    assert.equal(await met('CREATE TOKEN x ROLE nobody EXPIRES IN 1 DAY'), 'unknown_role 21')
    const names = ['__proto__', 'constructor', '"toString"', '"a b"', 'all']
    for (const name of names) {
      for (const sql of [`CREATE ROLE ${name}`, `GRANT READ ON note TO ${name}`]) {
        assert.equal((await admin.query(sql)).status, 200, sql)
      }
    }
  })

  test('the first token is one of an administrator', async (t) => {
    const server = await startTestServer(t)
    assert.equal((await server.query('CREATE ROLE app')).status, 200)
    const { status, body } = await server.query('CREATE TOKEN x ROLE app EXPIRES IN 1 DAY')
    assert.deepEqual([status, body.code, body.column], [400, 'invalid_request', 21])
    assert.equal((await server.query('SHOW TOKENS')).status, 200)
  })
})
