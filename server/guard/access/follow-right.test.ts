// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import { openStorage, systemClock } from '../../../storage/storage.ts'
import { auditedServer } from '../../../test/access/audited-server.ts'
import { rolesServer } from '../../../test/access/roles-server.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { admission } from '../../doors/http/admission.ts'
import { loadContract } from '../../doors/http/openapi/contract.ts'
import { ServerError } from '../../errors/server-error.ts'
import { RunningRequests } from '../../requests/prepared/running-requests.ts'
import { Access } from './access.ts'
import { CursorSecrets } from './cursor-secrets.ts'

describe('the right to follow', () => {
  test('is granted and taken by administrators, and shown by SHOW GRANTS and the principal', async (t) => {
    const { run, admin, client } = await rolesServer(t)
    const standby = await client('standby', 'FOLLOW')
    const rights = async () => (await standby.send({ path: '/v1/principal' })).body.rights
    const grants = () => admin.rows('SHOW GRANTS FOR standby')
    const shown = { role: 'standby', right: 'FOLLOW', scope: 'server', table: null }
    assert.deepEqual(await grants(), [{ ...shown, rule: null, by: null }])
    assert.deepEqual(await rights(), ['follow'])
    await run('REVOKE FOLLOW FROM standby')
    assert.deepEqual([await grants(), await rights()], [[], []])
    await run('GRANT FOLLOW, INSPECT TO standby; REVOKE ALL FROM standby')
    assert.deepEqual([await grants(), await rights()], [[], []])
  })

  test('is granted by nobody but those with ADMIN, and not with itself', async (t) => {
    const { client, admin } = await rolesServer(t)
    const ops = await client('ops', 'DEFINE, INSPECT, FOLLOW')
    assert.equal(await ops.refusal('GRANT FOLLOW TO ops'), 'not_permitted')
    assert.equal(await ops.refusal('REVOKE FOLLOW FROM ops'), 'not_permitted')
    const chief = await client('chief', 'ADMIN')
    await chief.run('CREATE ROLE standby; GRANT FOLLOW TO standby')
    assert.equal((await admin.rows('SHOW GRANTS FOR standby')).length, 1)
  })

  test('is of the whole server, and opens no table, no definition and no figure', async (t) => {
    const { client, admin } = await rolesServer(t)
    const standby = await client('standby', 'FOLLOW')
    assert.equal(await admin.refusal('GRANT FOLLOW ON note TO standby'), 'invalid_request')
    assert.equal(await admin.refusal('GRANT FOLLOW ON ALL TABLES TO standby'), 'invalid_request')
    assert.equal(await standby.refusal('GET * FROM note WHERE id = 1'), 'unknown_table')
    assert.equal(await standby.refusal('CREATE TABLE t (id INTEGER PRIMARY KEY)'), 'not_permitted')
    assert.equal(await standby.refusal('SHOW TOKENS'), 'not_permitted')
    assert.deepEqual(await standby.rows('SHOW TABLES'), [])
    assert.equal((await standby.send({ path: '/v1/status' })).status, 403)
  })

  test('is not of ADMIN nor of the role admin, which is not granted it either', async (t) => {
    const { client, admin } = await rolesServer(t)
    const chief = await client('chief', 'ADMIN')
    for (const who of [chief, admin]) {
      const { rights } = (await who.send({ path: '/v1/principal' })).body
      assert.deepEqual(rights, ['define', 'inspect', 'admin'])
    }
    assert.equal(await admin.refusal('GRANT FOLLOW TO admin'), 'invalid_request')
  })

  test('of a table or a column may still be the name', async (t) => {
    const server = await startTestServer(t)
    await server.rows('CREATE TABLE follow (follow INTEGER PRIMARY KEY)')
    await server.rows('INSERT INTO follow (follow) VALUES (1)')
    assert.deepEqual(await server.rows('GET follow FROM follow WHERE follow = 1'), [{ follow: 1 }])
  })

  test('is a change that the audit log tells', async (t) => {
    const { admin, events } = await auditedServer(t)
    await admin.rows('CREATE ROLE standby; GRANT FOLLOW TO standby; REVOKE FOLLOW FROM standby')
    const told = (await events()).filter(({ names }) => names?.rights !== undefined)
    assert.deepEqual(
      told.map(({ event, operation, names }) => [event, operation, names.role, names.rights]),
      [
        ['access_changed', 'grant', 'standby', ['follow']],
        ['access_changed', 'revoke', 'standby', ['follow']],
      ],
    )
  })

  test('may be demanded by an endpoint: then no other right opens it', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    t.after(() => storage.close())
    const { client, tokens } = await rolesServer(t, { deps: { storage } })
    const standby = await client('standby', 'FOLLOW')
    const chief = await client('chief', 'DEFINE, INSPECT, ADMIN')
    const open = await followedServer(t, storage, 'off')
    const guarded = await followedServer(t, storage, 'auto')
    const statusFor = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await guarded.inject({ url: '/followed', headers })).statusCode
    }
    assert.equal(await statusFor(standby.token), 200)
    assert.equal(await statusFor(chief.token), 403)
    assert.equal(await statusFor(tokens.token), 403)
    assert.equal((await guarded.inject('/followed')).statusCode, 401)
    assert.equal((await open.inject('/followed')).statusCode, 200)
  })
})

/** The door of a server over this store, with one endpoint, which declares the right in the contract. */
async function followedServer(
  t: { after(end: () => unknown): void },
  storage: Awaited<ReturnType<typeof openStorage>>,
  mode: 'off' | 'auto',
) {
  const clock = systemClock
  const cursorSecrets = new CursorSecrets(await storage.secret('cursor'), clock, storage.retention)
  const log = pino({ level: 'silent' })
  const access = await Access.open({ storage, clock, log, mode, cursorSecrets })
  const requests = new RunningRequests({ principalOf: (request) => access.of(request) })
  const [operation] = loadContract().document.operations
  assert.ok(operation)
  const declaration = { right: 'follow', budget: 'none' } as const
  const http = Fastify()
  t.after(() => http.close())
  const admit = admission([{ ...operation, id: 'followed', declaration }], { access, requests })
  http.addHook('onRequest', async (request) => await admit(request))
  http.setErrorHandler((error, _request, reply) => {
    assert.ok(error instanceof ServerError, String(error))
    reply.code(error.code === 'not_permitted' ? 403 : 401).send(error.fields)
  })
  http.get('/followed', { config: { operationId: 'followed' } }, async () => ({}))
  return http
}
