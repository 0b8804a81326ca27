// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

const APP = 'https://app.example'
const flags = { 'allow-origin': APP }
const preflight = { 'access-control-request-method': 'POST' }

test('a page of an allowed origin may ask first, and read the answer', async (t) => {
  const server = await startTestServer(t, { flags })
  const asked = await server.send({
    method: 'OPTIONS',
    path: '/v1/query',
    headers: { origin: APP, ...preflight },
  })
  assert.equal(asked.status, 204)
  assert.equal(asked.headers['access-control-allow-origin'], APP)
  const { status, headers } = await server.send({
    method: 'POST',
    path: '/v1/query',
    json: { sql: 'SHOW TABLES' },
    headers: { origin: APP },
  })
  assert.equal(status, 200)
  assert.equal(headers['access-control-allow-origin'], APP)
  assert.equal(headers.vary, 'Origin')
})

test('a page of any other origin is refused before anything runs, the preflight too', async (t) => {
  const server = await startTestServer(t, { flags })
  for (const origin of ['https://evil.example', 'null']) {
    const asked = await server.send({
      method: 'OPTIONS',
      path: '/v1/query',
      headers: { origin, ...preflight },
    })
    assert.equal(asked.status, 403)
    // No browser asks before it sends this one.
    const sent = await server.send({
      method: 'POST',
      path: '/v1/query',
      text: 'CREATE TABLE t (id TEXT PRIMARY KEY)',
      headers: { origin, 'content-type': 'text/plain' },
    })
    assert.deepEqual([sent.status, sent.body.code], [403, 'origin_not_allowed'])
    assert.equal(sent.headers['access-control-allow-origin'], undefined)
  }
  assert.deepEqual((await server.get('/v1/tables')).body, { tables: [] })
})

test('the host is looked at in each request, whichever was asked for before', async (t) => {
  const server = await startTestServer(t)
  const statusFor = async (host: string) =>
    (await server.send({ path: '/v1/tables', headers: { host } })).status
  assert.equal(await statusFor('evil.example'), 403)
  assert.equal(await statusFor('localhost:4270'), 200)
  assert.equal(await statusFor('evil.example'), 403)
  assert.equal(await statusFor('localhost'), 200)
  assert.equal(await statusFor('evil.example'), 403)
})

test('the pages of the documentation load nothing from elsewhere', async (t) => {
  const server = await startTestServer(t)
  const { status, text, headers } = await server.get('/docs')
  assert.equal(status, 200)
  assert.doesNotMatch(text, /(src|href)="(https?:)?\/\//)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'self'/)
  assert.doesNotMatch(policy, /https|upgrade-insecure-requests/)
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => String(path))
  assert.ok(files.length > 3)
  for (const path of files) assert.equal((await server.get(path)).status, 200, path)
  const { body } = await server.get('/docs/json')
  assert.equal(body.info.title, 'Percolite')
})

test('a link of another page leads to pages only, however its path is written', async (t) => {
  const server = await startTestServer(t)
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const headers = { ...link, 'sec-fetch-dest': 'document' }
  const paths = { '/docs/': 200, '/v1/tables': 403, '/%761/tables': 403, '/v%31%2ftables': 404 }
  for (const [path, status] of Object.entries(paths)) {
    assert.equal((await server.send({ path, headers })).status, status, path)
    assert.ok((await server.send({ path })).status < 403 || status === 404, path)
  }
})

test('every answer forbids guessing its type, and HEAD answers where GET does', async (t) => {
  const server = await startTestServer(t)
  const { status, headers, text } = await server.send({ method: 'HEAD', path: '/healthz' })
  assert.deepEqual([status, text], [200, ''])
  assert.equal(headers['x-content-type-options'], 'nosniff')
  const { text: yaml } = await server.get('/openapi.yaml')
  assert.match(yaml, /^openapi: 3\.1/)
})

test('no answer is kept, shown in pages of others or told to others, but for the documentation', async (t) => {
  const server = await startTestServer(t)
  const told = async (path: string) => {
    const { headers } = await server.get(path)
    const names = ['cache-control', 'referrer-policy', 'cross-origin-resource-policy']
    return names.map((name) => headers[name])
  }
  const guarded = ['no-store', 'no-referrer', 'same-origin']
  for (const path of ['/healthz', '/v1/tables', '/metrics', '/nowhere', '/v1/status']) {
    assert.deepEqual(await told(path), guarded, path)
  }
  const { headers } = await server.query('SHOW TABLES')
  assert.equal(headers['cache-control'], 'no-store')
  for (const path of ['/docs/', '/openapi.json', '/openapi.yaml', '/llms.txt']) {
    assert.equal((await told(path))[0], 'no-cache', path)
  }
  for (const path of ['/docs/nowhere', '/openapi.txt', '/console/nowhere.js']) {
    assert.equal((await told(path))[0], 'no-store', path)
  }
})

test('--no-docs serves neither the contract nor its page', async (t) => {
  const server = await startTestServer(t, { flags: { 'no-docs': 'true' } })
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/json',
    '/openapi.yaml',
    '/openapi.json',
    '/llms.txt',
  ]) {
    assert.equal((await server.get(path)).status, 404, path)
  }
  assert.equal((await server.get('/v1/tables')).status, 200)
})
