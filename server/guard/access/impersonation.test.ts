// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { withoutTokens } from '../../../storage/tables/access/access.ts'
import { auditedServer } from '../../../test/access/audited-server.ts'
import { jwtServer } from '../../../test/access/jwt-server.ts'
import { GRANTS, RandomStatements, TABLES } from '../../../test/access/random-statements.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type Answer, startTestServer } from '../../../test/server/test-server.ts'
import { type TokenClient, TokenServer } from '../../../test/server/token-server.ts'
import { loadContract } from '../../doors/http/openapi/contract.ts'

const PATH = '/v1/impersonations'
const TEN_MINUTES_MS = 600_000

/** The tables of `RandomStatements` with rows of ann and bob, and a role that may do all that there is. */
async function guardedServer(t: TestContext) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  for (const sql of [...TABLES, ...GRANTS, 'CREATE OBSERVER seen ON filtered (a)']) {
    await admin.run(sql)
  }
  for (const owner of ['ann', 'bob']) {
    for (let id = 0; id < 6; id += 1) {
      const key = owner === 'ann' ? id : id + 100
      await admin.run(
        `INSERT INTO keyed (owner, id, a, t) VALUES ('${owner}', ${id}, ${id}, 'x${id}')`,
      )
      await admin.run(
        `INSERT INTO filtered (id, owner, a, t) VALUES (${key}, '${owner}', ${id}, 'x')`,
      )
    }
  }
  await admin.run('CREATE ROLE chief')
  await admin.run('GRANT READ, WRITE, OBSERVE ON ALL TABLES TO chief')
  await admin.run('GRANT DEFINE, INSPECT, FOLLOW, ADMIN TO chief')
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 9 DAYS'))
  return { tokens, admin, ann }
}

async function ordered(by: TokenClient, json: object): Promise<Answer> {
  return await by.send({ method: 'POST', path: PATH, json })
}

async function seenAs(
  tokens: TokenServer,
  json: object,
  by = tokens.as(tokens.token),
): Promise<TokenClient> {
  const { status, body, text } = await ordered(by, json)
  assert.equal(status, 200, text)
  return tokens.as(body.token)
}

const code = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim()
/** Without stamps, and what they sign. */
const said = ({ status, text }: Answer) =>
  `${status} ${text.replaceAll(/\d{16}/g, '#').replaceAll(/4\.[0-9a-f]{32}[^"]*/g, 'cursor')}`

describe('an administrator who sees as a role', () => {
  test('sees what a holder of it sees, at each door, and nothing is changed by any statement', async (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
    t.diagnostic(`seed ${seed}`)
    const { tokens, admin, ann } = await guardedServer(t)
    const seen = await seenAs(tokens, { role: 'member', claims: { sub: 'ann' } })
    const { port } = await tokens.server.listen()
    const sockets = await Promise.all(
      [ann, seen].map(({ headers }) => openSocket(t, port, { headers })),
    )
    const statements = new RandomStatements(new SeededRandomness(seed))
    const all = async () =>
      JSON.stringify([
        await admin.rows('SCAN * FROM keyed'),
        await admin.rows('SCAN * FROM filtered'),
      ])
    const before = await all()
    let refused = 0
    for (let step = 0; step < 120; step += 1) {
      const table = statements.table()
      const sql = statements.reading(table)
      assert.equal(said(await seen.query(sql)), said(await ann.query(sql)), sql)
      const [of, as] = await Promise.all(sockets.map((socket) => socket.query(sql)))
      assert.deepEqual(as?.results, of?.results, sql)
      const path = `/v1/tables/${table}/rows`
      assert.equal(said(await seen.send({ path })), said(await ann.send({ path })), path)
      const writing = statements.writing(table, 'ann')
      const answer = await seen.query(writing)
      assert.notEqual(answer.status, 200, writing)
      if (answer.body.code === 'not_permitted') refused += 1
    }
    assert.ok(refused > 60, `${refused} writes refused by the right`)
    for (const path of ['/v1/tables', '/v1/tables/keyed', '/v1/tables/keyed/rows/ann,1']) {
      assert.equal(said(await seen.send({ path })), said(await ann.send({ path })), path)
    }
    assert.equal(await all(), before)
  })

  test('changes nothing by a role that may do all', async (t) => {
    const { tokens } = await guardedServer(t)
    const seen = await seenAs(tokens, { role: 'chief' })
    assert.equal((await seen.rows('SCAN * FROM filtered')).length, 12)
    assert.equal((await seen.send({ path: '/v1/status' })).status, 200)
    for (const sql of [
      "SET a = 1 ON keyed WHERE owner = 'ann' AND id = 1",
      "DELETE FROM keyed WHERE owner = 'ann' AND id = 1",
      'NOTIFY seen ON filtered WHERE id = 1',
      "GET * FROM keyed WHERE owner = 'ann' AND id = 1 FOR UPDATE",
      "BEGIN; SET a = 1 ON keyed WHERE owner = 'ann' AND id = 1; COMMIT",
      'CREATE TABLE t (id INTEGER PRIMARY KEY)',
      'DROP TABLE keyed',
      'ALTER TABLE keyed ADD COLUMN z INTEGER',
      'CREATE INDEX z ON keyed (t)',
      'DROP OBSERVER seen',
      'CREATE TOKEN z ROLE admin EXPIRES IN 1 DAY',
      'ROTATE TOKEN root',
      'GRANT ADMIN TO member',
      'ROTATE SECRET CURSOR',
      "ALTER STORE SET RETENTION = '2 days'",
    ]) {
      const answer = await seen.query(sql)
      assert.equal(code(answer), '403 not_permitted', `${sql}: ${answer.text}`)
      assert.match(answer.body.detail, /sees as the role chief and changes nothing/, sql)
    }
  })

  test('changes nothing by any operation of the contract, transaction or frame', async (t) => {
    const { tokens } = await guardedServer(t)
    const seen = await seenAs(tokens, { role: 'chief' })
    const row = '/v1/tables/keyed/rows/ann,1'
    const json = { owner: 'ann', id: 1, a: 1, t: 'z' }
    for (const sending of [
      { method: 'PUT', path: row, json: { a: 1, t: 'z' } },
      { method: 'PATCH', path: row, json: { a: 1 } },
      { method: 'DELETE', path: row },
      { method: 'POST', path: '/v1/tables/keyed/rows', json },
      { method: 'POST', path: '/v1/scripts', json: { sql: 'CREATE ROLE z' } },
      { method: 'POST', path: PATH, json: { role: 'member' } },
    ] as const) {
      const answer = await seen.send(sending)
      assert.equal(code(answer), '403 not_permitted', `${sending.method} ${sending.path}`)
    }
    for (const { id, method, path, declaration } of loadContract().document.operations) {
      if (!['define', 'follow', 'admin', 'write', 'observe'].includes(declaration.right)) continue
      if (path.includes('{table}')) continue
      const filled = path.replaceAll(/\{\w+\}/g, '1')
      const body =
        method === 'post' ? { json: { role: 'member', name: 'z', to: 'etcd:127.0.0.1:1' } } : {}
      const answer = await seen.send({
        method: method.toUpperCase() as 'POST',
        path: filled,
        ...body,
      })
      assert.ok([400, 403].includes(answer.status), `${id}: ${answer.text}`)
    }
    const opened = await seen.send({ method: 'POST', path: '/v1/transactions' })
    const { transaction } = opened.body
    const inside = { path: `/v1/transactions/${transaction}/query`, method: 'POST' } as const
    const set = "SET a = 1 ON keyed WHERE owner = 'ann' AND id = 1"
    assert.equal(code(await seen.send({ ...inside, json: { sql: set } })), '403 not_permitted')
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: seen.headers })
    socket.send({ type: 'observe', id: 'o', observer: 'seen' })
    assert.equal((await socket.about('o')).code, 'not_permitted')
  })

  test('gets no plan of a holder who may write, and leaves none behind', async (t) => {
    const { tokens, ann } = await guardedServer(t)
    const seen = await seenAs(tokens, { role: 'member', claims: { sub: 'ann' } })
    const set = "SET a = 1 ON keyed WHERE owner = 'ann' AND id = 1"
    for (let round = 0; round < 4; round += 1) {
      assert.equal((await ann.query(set)).status, 200)
      assert.equal(await seen.refusal(set), 'not_permitted')
    }
  })

  test('shows rules any claims, and gets no more than a token may hold', async (t) => {
    const { tokens, admin } = await guardedServer(t)
    await admin.run('CREATE ROLE team FOR JWT')
    await admin.run('GRANT READ ON filtered TO team WHERE a = token.level AND token.isOpen')
    const seen = (claims: object) => seenAs(tokens, { role: 'team', claims })
    const ids = async (client: TokenClient) =>
      (await client.rows('SCAN id FROM filtered')).map(({ id }) => id)
    assert.deepEqual(await ids(await seen({ level: 3, isOpen: true })), [3, 103])
    assert.deepEqual(await ids(await seen({ level: 3, isOpen: false })), [])
    assert.deepEqual(await ids(await seen({})), [])
    const codeOf = async (json: object, by = admin) => code(await ordered(by, json))
    assert.equal(await codeOf({ role: 'nobody' }), '404 unknown_role')
    for (const json of [
      { role: 'admin' },
      {},
      { role: 'team', claims: { sub: 'x'.repeat(4_000) } },
      { role: 'team', claims: { sub: null } },
      { role: 'team', claims: { sub: ['ann'] } },
      { role: 'team', claims: 'ann' },
      {
        role: 'team',
        claims: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`c${at}`, 1])),
      },
      { role: 'team', write: true },
    ]) {
      assert.equal(await codeOf(json), '400 invalid_request', JSON.stringify(json).slice(0, 60))
    }
    const open = await startTestServer(t)
    const { body } = await open.send({ method: 'POST', path: PATH, json: { role: 'team' } })
    assert.match(body.detail, /open to all/)
  })

  test('is shut out in ten minutes, or with the own token, right or role', async (t) => {
    const { tokens, admin } = await guardedServer(t)
    const { port } = await tokens.server.listen()
    const other = tokens.as(await tokens.made('CREATE TOKEN other ROLE admin EXPIRES IN 1 DAY'))
    const chief = tokens.as(await tokens.made('CREATE TOKEN chief ROLE chief EXPIRES IN 1 DAY'))
    const looks = async (client: TokenClient) => code(await client.query('SCAN id FROM keyed'))
    const order = { role: 'member', claims: { sub: 'ann' } }
    const [one, two, three] = [
      await seenAs(tokens, order, other),
      await seenAs(tokens, order, chief),
      await seenAs(tokens, order),
    ] as const
    const socket = await openSocket(t, port, { headers: one.headers })
    for (const client of [one, two, three]) assert.equal(await looks(client), '200')
    await admin.run('DROP TOKEN other')
    assert.equal(await looks(one), '401 unauthenticated')
    assert.equal((await socket.closed()).code, 4401)
    await admin.run('REVOKE ADMIN FROM chief')
    assert.equal(await looks(two), '401 unauthenticated')
    assert.equal(await looks(three), '200')
    await tokens.clock.advance(TEN_MINUTES_MS - 1)
    assert.equal(await looks(three), '200')
    await tokens.clock.advance(2)
    assert.equal(await looks(three), '401 token_expired')
    await admin.run('CREATE ROLE gone')
    await admin.run('GRANT READ ON ALL TABLES TO gone')
    const gone = await seenAs(tokens, { role: 'gone' })
    assert.equal(await looks(gone), '200')
    await admin.run('DROP ROLE gone')
    assert.equal(await looks(gone), '404 unknown_table')
    const late = await seenAs(tokens, order)
    await admin.run('ROTATE SECRET CURSOR')
    assert.equal(await looks(late), '401 unauthenticated')
  })

  test('cannot change what the token says, and is named where it is told of', async (t) => {
    const { tokens, admin } = await guardedServer(t)
    const { token } = await seenAs(tokens, { role: 'member', claims: { sub: 'ann' } })
    const [body = '', signature = ''] = token.slice(4).split('.')
    const says = Buffer.from(body, 'base64url').toString()
    const forged = Buffer.from(says.replace('"ann"', '"bob"')).toString('base64url')
    const texts = [
      `pci_${forged}.${signature}`,
      `pci_${body}.${signature.slice(0, -2)}`,
      `pci_${body}`,
      `pci_${body}.`,
      'pci_.',
      `pci_${Buffer.from('null').toString('base64url')}.${signature}`,
      `${token}x`,
    ]
    for (const text of texts) {
      const answer = await tokens.as(text).query('SCAN id FROM keyed')
      assert.equal(code(answer), '401 unauthenticated', text)
    }
    const { body: who } = await tokens.as(token).send({ path: '/v1/principal' })
    const { body: root } = await admin.send({ path: '/v1/principal' })
    assert.deepEqual(
      [who.id, who.role, who.rights],
      [root.id.replace('token:', 'as:'), 'member', []],
    )
  })

  test('is told of in the audit log, with the subject and no other claim', async (t) => {
    const { admin, tokens, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    await admin.rows('CREATE ROLE member; GRANT READ ON note TO member')
    const order = { role: 'member', claims: { sub: 'ann', team: 'red' } }
    const seen = await seenAs(tokens, order, admin)
    assert.equal(await seen.refusal('INSERT INTO note (id) VALUES (1)'), 'not_permitted')
    const told = (await events()).filter(({ event }) => /impersonated|refused/.test(event))
    const id = tokens.token.slice(4, 14)
    assert.deepEqual(
      told.map(({ event, principal, role, names }) => [event, principal, role, names]),
      [
        ['impersonated', `token:${id}`, 'admin', { role: 'member', subject: 'ann' }],
        ['refused', `as:${id}`, 'member', undefined],
      ],
    )
    assert.equal(withoutTokens(`a ${seen.token} b`), 'a pci_… b')
  })

  test('is an administrator with a token of the server, not with a JWT', async (t) => {
    const { issuer, tokens } = await jwtServer(t)
    await tokens.as(tokens.token).run('CREATE ROLE boss FOR JWT')
    await tokens.as(tokens.token).run('GRANT ADMIN TO boss')
    const boss = tokens.as(await issuer.token('ann', 'boss'))
    assert.equal(code(await ordered(boss, { role: 'member' })), '400 invalid_request')
    const seen = await seenAs(tokens, { role: 'member', claims: { sub: 'ann' } })
    assert.equal((await seen.query('SHOW TABLES')).status, 200)
  })
})
