// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

describe('GET /v1/principal', () => {
  it('says that no token is asked for, where none is', async (t) => {
    const server = await startTestServer(t)
    const { status, body } = await server.get('/v1/principal')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      tokenRequired: false,
      rights: ['define', 'inspect', 'follow', 'admin'],
    })
  })

  it('says of each token whose it is and what its role may do, and of no other', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE ROLE reporter')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT INSPECT TO operator')
    const admin = await told(tokens, tokens.token)
    const reporter = await told(tokens, await tokens.made(tokenOf('reporter')))
    const operator = await told(tokens, await tokens.made(tokenOf('operator')))
    assert.deepEqual([admin.role, admin.rights], ['admin', ['define', 'inspect', 'admin']])
    assert.deepEqual([reporter.role, reporter.rights], ['reporter', []])
    assert.deepEqual([operator.role, operator.rights], ['operator', ['inspect']])
    for (const one of [admin, reporter, operator]) {
      assert.equal(one.tokenRequired, true)
      assert.match(one.id, /^token:\w+$/)
      assert.ok(one.expires > tokens.clock.wallMicros())
    }
    assert.equal(new Set([admin.id, reporter.id, operator.id]).size, 3)
    const without = await tokens.server.get('/v1/principal')
    assert.deepEqual([without.status, without.body.code], [401, 'unauthenticated'])
  })

  it('knows of a right as soon as it is granted and taken', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE ROLE one')
    const token = await tokens.made(tokenOf('one'))
    const rights = async () => (await told(tokens, token)).rights
    await tokens.query('GRANT DEFINE TO one')
    assert.deepEqual(await rights(), ['define'])
    await tokens.query('REVOKE DEFINE FROM one')
    assert.deepEqual(await rights(), [])
  })
})

function tokenOf(role: string): string {
  return `CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`
}

async function told(tokens: TokenServer, token: string) {
  const { status, body, text } = await tokens.as(token).send({ path: '/v1/principal' })
  assert.equal(status, 200, text)
  return body
}
