// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const SUBJECT = 'ann-the-subject'
const CLAIM = 'the-claim-of-ann'

test('metrics and the log tell of no subject, no claim and no token but its id', async (t) => {
  let tokens: TokenServer | undefined
  const issuer = await JwtIssuer.create(t, () => (tokens?.clock.wallMicros() ?? 0) / 1_000)
  let logged = ''
  const log = pino(
    { level: 'debug' },
    {
      write: (line) => {
        logged += line
      },
    },
  )
  tokens = await TokenServer.startGuarded(t, issuer.flags, { log })
  const admin = tokens.as(tokens.token)
  for (const sql of [
    'CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))',
    'CREATE ROLE member FOR JWT',
    'GRANT READ, WRITE ON note TO member WHERE owner = token.sub OR owner = token.org',
  ]) {
    assert.equal((await admin.query(sql)).status, 200, sql)
  }
  const jwt = await issuer.token(SUBJECT, 'member', { org: CLAIM })
  const own = await tokens.made('CREATE TOKEN web ROLE member EXPIRES IN 1 DAY')
  const { port } = await tokens.server.listen()
  for (const token of [jwt, own]) {
    const client = tokens.as(token)
    const socket = await openSocket(t, port, { headers: client.headers })
    for (const sql of [
      'SCAN * FROM note USE PRIMARY KEY',
      "INSERT INTO note (owner, id) VALUES ('x', 1)",
      'SCAN * FROM nothing USE PRIMARY KEY',
    ]) {
      await client.query(sql)
      await socket.query(sql)
    }
    await socket.subscribe('s', 'SCAN * FROM note USE PRIMARY KEY')
    await client.send({ path: '/metrics' })
    await client.send({ path: `/v1/tables/${token}` })
    await client.send({ method: 'POST', path: '/v1/transactions', json: {} })
  }
  await admin.query(`CREATE BLOCK SUBJECT '${SUBJECT}'`)
  await admin.query('DROP TOKEN web')
  await tokens.as(jwt).query('SHOW TABLES')
  await tokens.as(own).query('SHOW TABLES')
  const metrics = (await admin.send({ path: '/metrics' })).text
  assert.match(metrics, /percolite_http_requests_total/)
  assert.match(logged, /answered/)
  const claims = jwt.split('.')[1] as string
  for (const secret of [CLAIM, claims, own, own.slice(15), tokens.token]) {
    assert.ok(!logged.includes(secret), `the log tells ${secret}`)
  }
  // Only the lines of the audit say who it was.
  const others = logged.split('\n').filter((line) => !line.includes('"audit":true'))
  assert.ok(!others.join('\n').includes(SUBJECT), 'the log tells the subject')
  for (const secret of [SUBJECT, CLAIM, claims, own, own.slice(15), tokens.token]) {
    assert.ok(!metrics.includes(secret), `metrics tell ${secret}`)
  }
})
