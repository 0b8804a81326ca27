// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { createParser } from '../../../parser/parser.ts'
import { PLANNER_LIMITS } from '../../../planner/planner.ts'
import { STORAGE_LIMITS } from '../../../storage/storage.ts'
import { percolite } from '../../../test/cli/percolite.ts'
import { Receiving } from '../../../test/relays/receiving.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

/** A server with tokens, whose log is kept, and a receiver. */
async function guarded(t: TestContext) {
  const receiving = await Receiving.start(t)
  const said: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      said.push(String(chunk))
      done()
    },
  })
  const data = await testFolder(t, 'relay-access')
  const server = await startTestServer(t, {
    flags: { engine: 'sqlite', data, 'relay-to': receiving.url },
    deps: { log: pino({ level: 'debug' }, stream) },
  })
  const { body } = await server.query('CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS')
  const { token } = body.results[0].rows[0]
  const as = (text: string) => ({
    headers: { authorization: `Bearer ${text}` },
    query: (sql: string, headers = {}) =>
      server.send({
        method: 'POST',
        path: '/v1/query',
        json: { sql },
        headers: { authorization: `Bearer ${text}`, ...headers },
      }),
  })
  const admin = as(token)
  const run = async (sql: string) => {
    const { status, text, body } = await admin.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
    return body.results.at(-1)
  }
  await run('CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, text TEXT)')
  await run('CREATE TABLE secret_table (id INTEGER PRIMARY KEY)')
  await run('CREATE ROLE app')
  return { receiving, server, said, run, admin, as, token, data }
}

test('a relay of a role sends the rows of its rules only, and says what enters and leaves', async (t) => {
  const { receiving, run } = await guarded(t)
  await run("GRANT READ ON todo TO app WHERE owner = 'ann'")
  const made = await run(`CREATE RELAY r ON TABLES todo TO '${receiving.url}' AS ROLE app`)
  receiving.secret = made.rows[0].secret
  await run("INSERT INTO todo (id, owner, text) VALUES (1, 'ann', 'hers'), (2, 'bob', 'hidden')")
  await run("SET text = 'hidden too' ON todo WHERE id = 2")
  await run("SET owner = 'ann' ON todo WHERE id = 2")
  await run("SET owner = 'bob' ON todo WHERE id = 1")
  await run("INSERT INTO todo (id, owner) VALUES (3, 'ann')")
  await receiving.until(() => receiving.seen.length === 4, 'four messages')
  const changes = receiving.seen.flatMap(({ body }) => JSON.parse(body).data.changes)
  assert.deepEqual(
    changes.map(({ op, key }) => [op, ...key]),
    [
      ['insert', 1],
      ['enter', 2],
      ['leave', 1],
      ['insert', 3],
    ],
  )
  const before = receiving.seen.slice(0, 1).map(({ body }) => body)
  assert.ok(!before.join().includes('hidden'), 'nothing of a row that the role may not see')
})

test('a role that may not read a table has no relay of it, and one that loses the right stops', async (t) => {
  const { receiving, run, admin } = await guarded(t)
  await run('GRANT READ ON todo TO app')
  const create = (tables: string) =>
    admin.query(`CREATE RELAY r ON TABLES ${tables} TO '${receiving.url}' AS ROLE app`)
  assert.equal((await create('todo, secret_table')).body.code, 'unknown_table')
  receiving.secret = (await create('todo')).body.results[0].rows[0].secret
  assert.equal((await admin.query('DROP ROLE app')).body.code, 'role_in_use')
  await run('REVOKE READ ON todo FROM app')
  await run("INSERT INTO todo (id, owner) VALUES (1, 'ann')")
  await receiving.until(async () => {
    const [row] = (await run('SHOW RELAYS')).rows
    return row.state === 'stopped'
  }, 'it stops')
  assert.equal(receiving.seen.length, 0)
  await run('GRANT READ ON todo TO app')
  await run('ALTER RELAY r RESUME')
  await receiving.until(() => receiving.copyOf('todo').length === 1, 'the row comes')
})

test('only ADMIN makes, changes and sees relays', async (t) => {
  const { receiving, run, as, server } = await guarded(t)
  await run('GRANT DEFINE, INSPECT TO app')
  const made = await run('CREATE TOKEN t ROLE app EXPIRES IN 1 DAY')
  const other = as(made.rows[0].token)
  await run(`CREATE RELAY r ON TABLES todo TO '${receiving.url}'`)
  for (const sql of [
    `CREATE RELAY x ON TABLES todo TO '${receiving.url}'`,
    ...['ALTER RELAY r PAUSE', 'ALTER RELAY r RESUME FROM SNAPSHOT', 'ALTER RELAY r ROTATE SECRET'],
    ...['DROP RELAY r', 'DROP RELAY IF EXISTS none', 'SHOW RELAYS'],
  ]) {
    assert.equal((await other.query(sql)).body.code, 'not_permitted', sql)
  }
  const { status } = await server.send({ path: '/v1/relays', headers: other.headers })
  assert.equal(status, 403)
})

test('no relay is made to an address that the operator does not allow', async (t) => {
  const { receiving, admin } = await guarded(t)
  const { port } = new URL(receiving.url)
  for (const url of [
    ...[
      'http://127.0.0.1:1',
      'https://hooks.example',
      `http://localhost:${port}`,
      'file:///etc/passwd',
    ],
    ...[`http://user@127.0.0.1:${port}`, 'http://169.254.169.254/latest/meta-data'],
  ]) {
    const { status, body } = await admin.query(`CREATE RELAY x ON TABLES todo TO '${url}'`)
    assert.deepEqual([status, body.code], [403, 'address_not_allowed'], url)
  }
  for (const [sql, code] of [
    ['ALTER RELAY none PAUSE', 'unknown_relay'],
    [`CREATE RELAY x ON TABLES none TO '${receiving.url}'`, 'unknown_table'],
    [`CREATE RELAY x ON TABLES todo TO '${receiving.url}' AS ROLE none`, 'unknown_role'],
  ] as const) {
    assert.equal((await admin.query(sql)).body.code, code, sql)
  }
})

test('two secrets count while one is rotated, and messages have a signature by each', async (t) => {
  const { receiving, run, admin } = await guarded(t)
  const first = (await run(`CREATE RELAY r ON TABLES todo TO '${receiving.url}'`)).rows[0].secret
  receiving.secret = first
  const second = (await run('ALTER RELAY r ROTATE SECRET KEEP 1 HOUR')).rows[0].secret
  assert.match(second, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(first, second)
  await run("INSERT INTO todo (id, owner) VALUES (1, 'ann')")
  await receiving.until(() => receiving.copyOf('todo').length === 1, 'taken by the first')
  receiving.secret = second
  await run("INSERT INTO todo (id, owner) VALUES (2, 'ann')")
  await receiving.until(() => receiving.copyOf('todo').length === 2, 'taken by the second')
  assert.equal(receiving.seen[0]?.signature.split(' ').length, 2)
  const refused = await admin.query('ALTER RELAY r ROTATE SECRET KEEP 8 DAYS')
  assert.equal(refused.body.code, 'out_of_range')
  const stranger = new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
  const [{ id, body, signature } = { id: '', body: '', signature: '' }] = receiving.seen
  const headers = { 'webhook-id': id, 'webhook-signature': signature, 'webhook-timestamp': '1' }
  assert.throws(() => stranger.verify(body, headers))
})

test('a secret is in the one answer that made it: in no SHOW, status, metric, log, audit, error or export', async (t) => {
  const { receiving, run, admin, server, said, token } = await guarded(t)
  const secrets: string[] = []
  const made = await run(`CREATE RELAY r ON TABLES todo TO '${receiving.url}'`)
  receiving.secret = made.rows[0].secret
  secrets.push(receiving.secret)
  secrets.push((await run('ALTER RELAY r ROTATE SECRET')).rows[0].secret)
  receiving.reply = (_, count) => (count === 1 ? { kind: 'answer', status: 500 } : { kind: 'pass' })
  await run("INSERT INTO todo (id, owner) VALUES (1, 'ann')")
  await receiving.until(() => receiving.copyOf('todo').length === 1, 'taken')
  const again = await admin.query(`CREATE RELAY r ON TABLES todo TO '${receiving.url}'`)
  assert.equal(again.body.code, 'already_exists')
  const texts = [said.join('\n'), again.text]
  for (const sql of ['SHOW RELAYS', 'SHOW CREATE TABLE todo', 'SHOW TOKENS', 'SHOW TABLES']) {
    texts.push((await admin.query(sql)).text)
  }
  for (const path of ['/v1/relays', '/metrics', '/v1/status', '/v1/statements', '/v1/running']) {
    texts.push((await server.send({ path, headers: admin.headers })).text)
  }
  const keyed = await admin.query(`CREATE RELAY k ON TABLES todo TO '${receiving.url}'`, {
    'idempotency-key': 'k',
  })
  texts.push(keyed.text)
  const out = join(await testFolder(t, 'export'), 'out')
  const { url } = await server.listen()
  const file = join(await testFolder(t, 'token'), 'token')
  writeFileSync(file, token, { mode: 0o600 })
  const { code, errors } = await percolite(['export', url, '--out', out, '--token-file', file])
  assert.equal(code, 0, errors)
  for (const name of readdirSync(out)) texts.push(readFileSync(join(out, name), 'utf8'))
  const relays = readFileSync(join(out, 'relays.sql'), 'utf8')
  assert.equal(createParser({ skipValidations: false }).parseScript(relays).length, 1)
  assert.ok(texts.length > 12 && said.length > 10, 'there is something to search')
  for (const text of texts) {
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(6, 40)), text.slice(0, 400))
    assert.ok(!/whsec_/.test(text), text.slice(0, 400))
  }
})

test('there are relaysMax relays, of relayTablesMax tables each', async (t) => {
  const { receiving, run, admin } = await guarded(t)
  const create = (name: string, tables = 'todo') =>
    `CREATE RELAY ${name} ON TABLES ${tables} TO '${receiving.url}'`
  const many = Array.from({ length: PLANNER_LIMITS.relayTablesMax + 1 }, () => 'todo').join(', ')
  const { body: tooMany } = await admin.query(create('r', many))
  assert.deepEqual([tooMany.code, tooMany.limit], ['limit_exceeded', 'relayTablesMax'])
  for (let number = 1; number <= STORAGE_LIMITS.relaysMax; number += 1) {
    await run(create(`r${number}`))
  }
  const { body } = await admin.query(create('more'))
  assert.deepEqual([body.code, body.limit], ['limit_exceeded', 'relaysMax'])
  await run('DROP RELAY r1')
  await run(create('more'))
})
