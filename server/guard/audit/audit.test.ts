// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, systemClock } from '../../../storage/storage.ts'
import { type AuditLine, auditedServer, linesOf } from '../../../test/access/audited-server.ts'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { AuditInLog } from './audit-sink.ts'

/** What an event is about; the rest of it has a test of its own. */
function shortOf({ event, operation, table, code, count, names }: AuditLine): string {
  const parts = [event, operation, table, code, count]
  const named = names === undefined ? [] : [JSON.stringify(names)]
  return [...parts.filter((part) => part !== undefined), ...named].join(' ')
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('the audit log tells', () => {
  test('of each change of access once, with its names, by whom, from where and when', async (t) => {
    const { admin, tokens, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    for (const sql of [
      'CREATE ROLE app',
      'GRANT READ, WRITE ON note TO app; GRANT READ ON note TO app WHERE id = 4711',
      'GRANT READ ON ALL TABLES TO app; GRANT INSPECT TO app; REVOKE ALL ON note FROM app',
      'CREATE TOKEN web ROLE app EXPIRES IN 1 DAY',
      'ALTER TOKEN web EXPIRES IN 1 HOUR; ROTATE TOKEN web KEEP 1 HOUR',
      'DROP TOKEN web; DROP ROLE app',
    ]) {
      await admin.rows(sql)
    }
    const [start, first, table, ...changes] = await events()
    const stop = changes.pop()
    assert.deepEqual([start.event, stop.event], ['server_started', 'server_stopped'])
    assert.deepEqual([first.operation, first.principal], ['createToken', undefined])
    assert.equal(table.event, 'definition_changed')
    const { tokenId } = changes[6].names
    assert.match(tokenId, /^[a-z2-7]{10}$/)
    assert.deepEqual(changes.map(shortOf), [
      'access_changed createRole {"role":"app","forJwt":false}',
      'access_changed grant note {"role":"app","rights":["read","write"],"hasRule":false}',
      'access_changed grant note {"role":"app","rights":["read"],"hasRule":true}',
      'access_changed grant {"role":"app","rights":["read"],"allTables":true,"hasRule":false}',
      'access_changed grant {"role":"app","rights":["inspect"],"hasRule":false}',
      'access_changed revoke note {"role":"app","rights":["all"]}',
      `access_changed createToken {"token":"web","role":"app","tokenId":"${tokenId}"}`,
      'access_changed alterToken {"token":"web"}',
      `access_changed rotateToken {"token":"web","tokenId":"${tokenId}"}`,
      'access_changed dropToken {"token":"web"}',
      'access_changed dropRole {"role":"app"}',
    ])
    for (const { principal, role, address, request, time, commitTimestamp } of changes) {
      assert.deepEqual(
        [principal, role, address],
        [`token:${tokens.token.slice(4, 14)}`, 'admin', '127.0.0.1'],
      )
      assert.match(request, /^[a-z0-9]+-\d+$/)
      assert.equal(time, '2026-01-01T00:00:00.000Z')
      assert.ok(commitTimestamp > first.commitTimestamp)
    }
  })

  test('of the first token that a start takes from its file, once', async (t) => {
    const folder = await testFolder(t, 'audit')
    const audit = join(folder, 'audit.log')
    const file = join(folder, 'token')
    const storage = await openGateway(new MemoryCellStore(), { ownsCellStore: true })
    for (let start = 0; start < 2; start += 1) {
      await startTestServer(t, { flags: { audit, 'admin-token-file': file }, deps: { storage } })
    }
    const token = readFileSync(file, 'utf8').trim()
    const told = linesOf(readFileSync(audit, 'utf8'))
    assert.deepEqual(told.map(shortOf), [
      `access_changed takeFirstToken {"role":"admin","tokenId":"${token.slice(4, 14)}"}`,
    ])
    assert.ok(told[0].commitTimestamp > 0)
  })

  test('of each definition by its kind and names, and of none that changes nothing', async (t) => {
    const { admin, events } = await auditedServer(t)
    const observers = () => admin.send({ path: '/v1/observers' })
    for (const sql of [
      "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT DEFAULT 'unseen')",
      'CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY)',
      'ALTER TABLE note ADD COLUMN more TEXT; CREATE INDEX byMore ON note (more)',
      'CREATE OBSERVER o ON note (text)',
      'ALTER OBSERVER o PAUSE; ALTER OBSERVER o RESUME; ALTER OBSERVER o REPLAY FROM 0',
      'DROP OBSERVER o; DROP INDEX byMore; ALTER TABLE note DROP COLUMN more; DROP TABLE note',
    ]) {
      await admin.query(sql)
      // ALTER would meet its being told of the rows that are there, and wait on a clock that stands still.
      while ((await observers()).text.includes('"backfilling":true')) await setImmediate()
    }
    await admin.query('CREATE TABLE note (id INTEGER')
    const told = (await events()).filter(({ event }) => event === 'definition_changed')
    assert.deepEqual(told.map(shortOf), [
      'definition_changed createTable note {}',
      'definition_changed addColumn note {"column":"more"}',
      'definition_changed createIndex note {"index":"byMore"}',
      'definition_changed createObserver note {"observer":"o"}',
      'definition_changed pauseObserver {"observer":"o"}',
      'definition_changed resumeObserver {"observer":"o"}',
      'definition_changed replayObserver {"observer":"o"}',
      'definition_changed dropObserver {"observer":"o"}',
      'definition_changed dropIndex {"index":"byMore"}',
      'definition_changed dropColumn note {"column":"more"}',
      'definition_changed dropTable note {}',
    ])
  })

  test('of a change once, however often its transaction met another, and never before its commit', async (t) => {
    const storage = await openGateway(new MemoryCellStore(), { ownsCellStore: true })
    const { admin, events } = await auditedServer(t, { deps: { storage, clock: systemClock } })
    const names = Array.from({ length: 12 }, (_, at) => `r${at}`)
    const made = await Promise.all(names.map((name) => admin.query(`CREATE ROLE ${name}`)))
    const attempts = made.map(({ body }) => body.attempts ?? 0)
    assert.ok(Math.max(...attempts) > 1, 'some of them have to conflict')
    const there = (await admin.rows('SHOW ROLES')).map(({ role }) => role)
    const told = (await events()).filter(({ operation }) => operation === 'createRole')
    const ours = told.map((line) => line.names.role).sort()
    assert.deepEqual(ours, there.filter((name) => name !== 'admin').sort())
  })

  test('of refusals at every door, once each', async (t) => {
    const { admin, tokens, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE ROLE app')
    await admin.rows('GRANT READ ON note TO app; GRANT WRITE ON note TO app WHERE id = 1')
    const app = tokens.as(await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'))
    await admin.rows('INSERT INTO note (id) VALUES (1)')
    await app.query('INSERT INTO note (id) VALUES (2)')
    await app.query('CREATE TABLE more (id INTEGER PRIMARY KEY)')
    await app.send({
      method: 'POST',
      path: '/v1/query?format=table',
      text: 'SHOW TOKENS',
      headers: { 'content-type': 'text/plain' },
    })
    await app.send({ path: '/v1/check' })
    await app.send({ method: 'POST', path: '/v1/tables/note/rows', json: { id: 3 } })
    await app.send({ method: 'PUT', path: '/v1/tables/note/rows/4', json: {} })
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, bearer(app.token))
    assert.equal((await socket.query('INSERT INTO note (id) VALUES (5)')).code, 'rule_violated')
    assert.equal((await socket.subscribe('s', 'SCAN * FROM note')).type, 'subscribed')
    await admin.rows('REVOKE READ ON note FROM app')
    await socket.next(({ type, id }) => type === 'error' && id === 's')
    const told = (await events()).filter(({ event }) => event === 'refused')
    assert.deepEqual(told.map(shortOf), [
      'refused query note rule_violated',
      'refused query not_permitted',
      'refused query not_permitted',
      'refused checkStore not_permitted',
      'refused insertRows note rule_violated',
      'refused putRow note rule_violated',
      'refused query note rule_violated',
      'refused subscribe note not_permitted',
    ])
    for (const { principal, role } of told) {
      assert.deepEqual([principal, role], [`token:${app.token.slice(4, 14)}`, 'app'])
    }
    assert.deepEqual([told[1].right, told[2].right, told[7].right], ['define', 'admin', 'read'])
  })

  test('of a stream of rows and one of changes that REVOKE ends', async (t) => {
    const { admin, tokens, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); CREATE ROLE app')
    await admin.rows('GRANT READ ON note TO app; GRANT DEFINE TO app')
    const app = tokens.as(await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'))
    const { url } = await tokens.server.listen()
    const opened = await fetch(`${url}/v1/changes?sql=SCAN+*+FROM+note`, { headers: app.headers })
    const reader = opened.body?.getReader()
    await reader?.read()
    await admin.rows('GRANT WRITE ON note TO app; REVOKE READ ON note FROM app')
    let text = ''
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += Buffer.from(next.value as Uint8Array).toString()
    }
    assert.match(text, /not_permitted/)
    const told = (await events()).filter(({ event }) => event === 'refused')
    assert.deepEqual(told.map(shortOf), ['refused getChanges note not_permitted'])
  })

  test('of who looked at cells and had the store checked', async (t) => {
    const { admin, events } = await auditedServer(t)
    await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    assert.equal((await admin.send({ path: '/v1/tables/note/cells/77665544' })).status, 200)
    assert.equal((await admin.send({ path: '/v1/check' })).status, 200)
    assert.equal((await admin.send({ path: '/v1/tables/none/cells/1' })).status, 404)
    const told = (await events()).filter(({ event }) => event === 'inspected')
    assert.deepEqual(told.map(shortOf), ['inspected getCells note', 'inspected checkStore'])
  })

  test('of the start with its flags, and of the end', async (t) => {
    const keys = 'https://me:hidden@id.example/keys?key=hidden'
    const flags = { 'jwt-issuer': 'https://id.example', 'jwt-audience': 'a', 'jwt-keys': keys }
    const { events } = await auditedServer(t, { issuer: { flags } })
    const [start, ...rest] = await events()
    assert.equal(start.event, 'server_started')
    assert.equal(start.flags['jwt-keys'], 'https://id.example/keys')
    assert.equal(rest.at(-1).event, 'server_stopped')
  })
})

describe('failed authentication', () => {
  test('is told ten times a minute of an address, then counted, over HTTP and sockets', async (t) => {
    const { tokens, text, events } = await auditedServer(t)
    const { port } = await tokens.server.listen()
    for (let tries = 0; tries < 6; tries += 1) {
      assert.equal((await tokens.as(`wrong${tries}`).query('SHOW TABLES')).status, 401)
    }
    for (const frame of [
      { type: 'auth', token: 'wrong' },
      { type: 'cancel', id: '1' },
    ]) {
      const socket = await openSocket(t, port)
      socket.send(frame)
      assert.equal((await socket.closed()).code, 4401)
    }
    for (let tries = 0; tries < 500; tries += 1) await tokens.server.get('/v1/tables')
    const alone = () => linesOf(text()).filter(({ event }) => event === 'authentication_failed')
    await tokens.clock.advance(60_000)
    while (alone().length < 11) await tokens.clock.advance(1_000) // A look may have been late.
    assert.deepEqual(alone()[10].count, 498)
    await tokens.server.get('/v1/tables')
    const told = (await events()).filter(({ event }) => event === 'authentication_failed')
    assert.deepEqual(
      told.map(({ operation, code, count, address }) => [operation, code, count, address]),
      [
        ...Array(6).fill(['query', 'unauthenticated', undefined, '127.0.0.1']),
        ['auth', 'unauthenticated', undefined, '127.0.0.1'],
        ['cancel', 'unauthenticated', undefined, '127.0.0.1'],
        ...Array(2).fill(['listTables', 'unauthenticated', undefined, '127.0.0.1']),
        [undefined, undefined, 498, '127.0.0.1'],
        ['listTables', 'unauthenticated', undefined, '127.0.0.1'],
      ],
    )
  })

  test('is also a token that came too often, and one that has expired', async (t) => {
    const { tokens, admin, events } = await auditedServer(t)
    const short = await tokens.made('CREATE TOKEN short ROLE admin EXPIRES IN 1 MINUTE')
    await tokens.clock.advance(61_000)
    await tokens.as(short).query('SHOW TABLES')
    for (let tries = 0; tries < 12; tries += 1) await tokens.as('wrong').query('SHOW TABLES')
    assert.equal((await admin.query('SHOW TABLES')).status, 200)
    const told = (await events()).filter(({ event }) => event === 'authentication_failed')
    assert.deepEqual([told[0].code, told[9].code], ['token_expired', 'unauthenticated'])
    assert.equal(told[10].count, 3)
  })
})

/** Where a reader of lines or a terminal would be misled. */
const SUBJECT = 'u1 "}\n{"event":"server_stopped"}\r\u2028\u2029\u001b[2J\u007f\u009b2J\u202e\ufeff'

describe('neither the audit log nor the log has', () => {
  test('a secret, a row, a key, a parameter, a claim or the text of a statement', async (t) => {
    const issuer = await JwtIssuer.create(t, () => Date.UTC(2026, 0, 1))
    const chunks: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => chunks.push(line) })
    const { admin, tokens, text, events } = await auditedServer(t, { issuer, deps: { log } })
    await admin.rows(
      "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT DEFAULT 'secretDefault', org TEXT)",
    )
    await admin.rows('CREATE ROLE member FOR JWT; GRANT READ ON note TO member')
    await admin.rows("GRANT WRITE ON note TO member WHERE org = 'secretRule'")
    const made = [
      await tokens.made('CREATE TOKEN web ROLE member EXPIRES IN 1 DAY'),
      await tokens.made('ROTATE TOKEN web KEEP 1 HOUR'),
      await issuer.token(SUBJECT, 'member', { org: 'secretClaim' }),
    ]
    for (const token of made) {
      const client = tokens.as(token)
      await client.query('INSERT INTO note (id, text) VALUES ($1, $2)', {
        params: [77665544, 'secretParameter'],
      })
      await client.query("INSERT INTO note (id, text) VALUES (77665544, 'secretRow'")
      await client.send({
        method: 'PUT',
        path: '/v1/tables/note/rows/77665544',
        json: { text: 'secretRow' },
        headers: { 'idempotency-key': 'secretKey' },
      })
      await client.send({ path: '/v1/check?token=secretInPath' })
    }
    await admin.send({ path: '/v1/tables/note/cells/77665544' })
    await tokens.as('pct_secretWrong').query('SHOW TABLES')
    const lines = await events()
    const all = text() + chunks.join('')
    const hashes = [tokens.token, ...made].flatMap((token) => {
      const digest = createHash('sha256').update(token).digest()
      return [digest.toString('hex'), digest.toString('base64')]
    })
    for (const secret of [tokens.token, ...made, ...hashes, '77665544', 'secret', 'INSERT']) {
      assert.ok(!all.includes(secret), secret)
    }
    assert.ok(lines.some(({ principal }) => principal === `jwt:https://id.example|${SUBJECT}`))
  })

  test('a character that ends a line, moves a cursor or turns a text round', async (t) => {
    const issuer = await JwtIssuer.create(t, () => Date.UTC(2026, 0, 1))
    const { tokens, text, events } = await auditedServer(t, { issuer })
    await tokens.query('CREATE ROLE member FOR JWT')
    const quoted = SUBJECT.replaceAll("'", "''")
    assert.equal((await tokens.query(`CREATE BLOCK SUBJECT '${quoted} blocked'`)).status, 200)
    await tokens.as(await issuer.token(SUBJECT)).query('SHOW TOKENS')
    const lines = await events()
    assert.equal(lines.filter(({ event }) => event === 'refused').length, 1)
    const [block] = lines.filter(({ operation }) => operation === 'createBlock')
    assert.deepEqual(
      [block.event, block.names],
      ['access_changed', { subject: `${SUBJECT} blocked` }],
    )
    assert.equal(lines.filter(({ event }) => event === 'server_stopped').length, 1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    assert.doesNotMatch(text(), /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufeff]/)
  })
})

describe('without --audit', () => {
  test('the log has a line for each event, which can be told from others', async (t) => {
    const lines: string[] = []
    const log = pino({ level: 'info', base: null }, { write: (line: string) => lines.push(line) })
    const server = await startTestServer(t, { deps: { log } })
    await server.listen()
    await server.rows('CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY')
    await server.query('SHOW TABLES')
    await server.server.close()
    const told = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === true)
    assert.deepEqual(
      told.map(shortOf).map((text) => text.replace(/ \{.*/, '')),
      [
        'server_started',
        'access_changed createToken',
        'authentication_failed query unauthenticated',
        'server_stopped',
      ],
    )
  })

  test('what JSON does not escape is spelled in it', () => {
    const lines: string[] = []
    const log = pino({ level: 'info', base: null }, { write: (line: string) => lines.push(line) })
    new AuditInLog(log).write({ event: 'refused', principal: SUBJECT })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    assert.doesNotMatch(lines.join(''), /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufeff]/)
    assert.match(JSON.parse(lines[0] as string).principal, /\\u2028/)
  })
})

describe('a thousand bad requests', () => {
  test('make at most ten lines of log', async (t) => {
    const lines: string[] = []
    const log = pino({ level: 'info', base: null }, { write: (line: string) => lines.push(line) })
    const tokens = await TokenServer.start(t, { deps: { log } })
    const { port } = await tokens.server.listen()
    const { server } = tokens
    const admin = tokens.as(tokens.token)
    lines.length = 0
    const bad: ReadonlyArray<() => Promise<unknown>> = [
      () => admin.query('THIS IS NO STATEMENT'),
      () => admin.query('GET * FROM none WHERE id = 1'),
      () => admin.send({ method: 'POST', path: '/v1/query', text: '{"sql":' }),
      () => admin.send({ method: 'POST', path: '/v1/query', json: { sql: 1 } }),
      () => admin.send({ path: '/v1/nowhere' }),
      () => admin.send({ method: 'DELETE', path: '/v1/tables' }),
      () => admin.send({ path: '/v1/tables', headers: { origin: 'https://evil.example' } }),
      () => server.query('SHOW TABLES'),
      () => server.send({ path: '/v1/tables', headers: { host: 'evil.example' } }),
      () => noHttp(port),
      async () => {
        const socket = await openSocket(t, port)
        socket.socket.send('no frame')
        await socket.closed()
      },
    ]
    for (let sent = 0; sent < 1_000; sent += 1) await bad[sent % bad.length]?.()
    assert.ok(lines.length <= 10, lines.join(''))
    assert.ok(lines.every((line) => JSON.parse(line).event === 'authentication_failed'))
  })
})

/** Sends what is no request, and resolves when the server has closed the connection. */
async function noHttp(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.end('THIS IS NO HTTP\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
}
