// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { SignJWT, UnsecuredJWT } from 'jose'
import { jwtServer } from '../../../test/access/jwt-server.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import type { TokenServer } from '../../../test/server/token-server.ts'
import { readConfig } from '../../config.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const SCAN = 'SCAN id, owner FROM note USE PRIMARY KEY'

/** What an answer says of the token: 200, or the status and the code. */
async function said(tokens: TokenServer, token: string): Promise<string> {
  const { status, body } = await tokens.as(token).query(SCAN)
  return status === 200 ? '200' : `${status} ${body.code}`
}

describe('JWTs of an issuer', () => {
  test('are tokens of their subject, with the rows of its rule', async (t) => {
    const { issuer, tokens } = await jwtServer(t)
    const [ann, again, bob] = await Promise.all([
      issuer.token('ann'),
      issuer.token('ann', 'member', { jti: '2' }),
      issuer.token('bob'),
    ])
    assert.deepEqual(await tokens.as(ann).rows(SCAN), [{ id: 1, owner: 'ann' }])
    assert.deepEqual(await tokens.as(bob).rows(SCAN), [{ id: 1, owner: 'bob' }])
    const opened = await tokens.as(ann).send({ method: 'POST', path: '/v1/transactions', json: {} })
    const inside = { transaction: opened.body.transaction }
    assert.equal((await tokens.as(again).query(SCAN, inside)).status, 200, 'it is of the subject')
    assert.equal(await tokens.as(bob).refusal(SCAN, inside), 'unknown_transaction')
  })

  test('are refused for every reason in the same words', async (t) => {
    const { issuer, tokens, clock } = await jwtServer(t)
    const now = Math.floor(clock.wallMicros() / 1e6)
    const good = await issuer.token('ann')
    const claims = JSON.parse(Buffer.from(String(good.split('.')[1]), 'base64url').toString())
    const publicKey = Buffer.from(JSON.stringify(issuer.keySet.keys[0]))
    const header = (more: object) =>
      `${Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', ...more })).toString('base64url')}.${good.split('.').slice(1).join('.')}`
    const bad: Record<string, string | Promise<string>> = {
      unsigned: new UnsecuredJWT(claims).encode(),
      'signed with the public key as a secret': new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .sign(publicKey),
      'of another audience': issuer.token('ann', 'member', { aud: 'other' }),
      'of another issuer': issuer.token('ann', 'member', { iss: 'https://evil.example' }),
      'without an end': issuer.token('ann', 'member', { exp: undefined }),
      'without a beginning': issuer.token('ann', 'member', { iat: undefined }),
      'without a subject': issuer.token('ann', 'member', { sub: undefined }),
      'with an empty subject': issuer.token(''),
      'with a long subject': issuer.token('x'.repeat(300)),
      'that lives for long': issuer.token('ann', 'member', { exp: now + 90_000 }),
      'from the future': issuer.token('ann', 'member', { nbf: now + 600 }),
      'made in the future': issuer.token('ann', 'member', { iat: now + 600, exp: now + 700 }),
      'of an unknown key': issuer.token('ann', 'member', {}, { kid: 'nobody' }),
      'with a critical header': header({ crit: ['x'], x: 1 }),
      'with a key of its own': header({ jwk: issuer.keySet.keys[0] }),
      'of another type': issuer.token('ann', 'member', {}, { typ: 'secevent+jwt' }),
      'without a role': issuer.token('ann', 'member', { role: undefined }),
      'with a list of roles': issuer.token('ann', 'member', { role: ['member'] }),
      'of an administrator': issuer.token('ann', 'admin'),
      'of a role that is not for JWTs': issuer.token('ann', 'service'),
      'of a role that there is not': issuer.token('ann', '__proto__'),
      cut: good.slice(0, -2),
      empty: '..',
    }
    const bodies = new Set<string>()
    for (const [what, token] of Object.entries(bad)) {
      const { status, text } = await tokens.as(await token).query(SCAN)
      assert.equal(status, 401, `${what}: ${text}`)
      bodies.add(text)
      await clock.advance(10 * SECOND_MS)
    }
    assert.equal(bodies.size, 1)
    assert.match([...bodies][0] ?? '', /unauthenticated/)
    const long = await issuer.token('ann', 'member', { x: 'y'.repeat(9_000) })
    assert.equal((await tokens.as(long).query(SCAN)).status, 401)
  })

  test('end with their time, also where they were verified before', async (t) => {
    const { issuer, tokens, clock } = await jwtServer(t)
    const token = await issuer.token('ann')
    assert.equal(await said(tokens, token), '200')
    await clock.advance(HOUR_MS + 6 * SECOND_MS)
    assert.equal(await said(tokens, token), '401 token_expired')
    assert.equal(await said(tokens, `${token}x`), '401 unauthenticated')
    const fresh = await issuer.token('ann')
    assert.equal(await said(tokens, fresh), '200')
  })

  test('end with their key, at once after it was read again, and on open sockets', async (t) => {
    const { issuer, tokens, server } = await jwtServer(t)
    const { port } = await tokens.server.listen()
    const old = await issuer.token('ann')
    assert.equal(await said(tokens, old), '200')
    await issuer.rotate({ keep: true })
    const socket = await openSocket(t, port, { headers: tokens.as(old).headers })
    assert.equal(server.reloadFiles(), true)
    assert.equal(await said(tokens, old), '200')
    assert.equal((await socket.query(SCAN)).type, 'result')
    await writeFile(issuer.path, '{"keys": "none"}')
    server.reloadFiles()
    assert.equal(await said(tokens, old), '200', 'keys that cannot be read change nothing')
    await issuer.rotate()
    server.reloadFiles()
    assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
    assert.equal(await said(tokens, old), '401 unauthenticated')
    assert.equal(await said(tokens, await issuer.token('ann')), '200')
  })

  test('renew a socket for the same subject, role and what rules ask of it, and for no other', async (t) => {
    const { issuer, tokens, clock } = await jwtServer(t)
    const { port } = await tokens.server.listen()
    await tokens.query('GRANT WRITE ON note TO member WHERE text = token.team')
    const socket = await openSocket(t, port)
    const auth = async (token: string) => {
      socket.send({ type: 'auth', token })
      return await socket.next(({ type }) => type === 'authenticated')
    }
    const first = await auth(await issuer.token('ann', 'member', { team: 'a' }))
    assert.match(first.subject, /^jwt:https:\/\/id\.example\|ann$/)
    assert.equal((await socket.subscribe('s', SCAN)).type, 'subscribed')
    await clock.advance(SECOND_MS)
    const second = await auth(await issuer.token('ann', 'member', { team: 'a', uti: 'new' }))
    assert.notEqual(second.expiresAt, first.expiresAt)
    await tokens.query("INSERT INTO note (owner, id) VALUES ('ann', 2), ('bob', 2)")
    const { changes } = await socket.next(({ type }) => type === 'change')
    assert.deepEqual(
      changes.map(({ key }: { key: unknown[] }) => key),
      [['ann', 2]],
    )
    socket.send({ type: 'auth', token: await issuer.token('ann', 'member', { team: 'b' }) })
    assert.equal((await socket.closed()).code, 4403)
  })

  test('flags that do not go together are told', () => {
    const refused = (flags: object, words: RegExp) =>
      assert.throws(() => readConfig(flags), words, JSON.stringify(flags))
    const all = { 'jwt-issuer': 'i', 'jwt-audience': 'a', 'jwt-keys': '/keys.json' }
    refused({ 'jwt-issuer': 'i' }, /--jwt-audience and --jwt-keys is missing/)
    refused({ ...all, 'jwt-keys': 'http://id.example/keys' }, /by https only/)
    refused({ ...all, 'no-auth': 'true' }, /contradict/)
    assert.deepEqual(readConfig(all).jwt?.keys, { kind: 'file', path: '/keys.json' })
  })
})
