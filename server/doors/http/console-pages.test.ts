// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildConsole } from '../../../test/console/built-console.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const PAGE = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }
/** What browsers send for a link on a page of another site. */
const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

/** As it comes: `fetch` would unpack it. */
async function fetchRaw(url: string, accepted: string) {
  const [answer] = (await once(
    get(url, { headers: { 'accept-encoding': accepted } }),
    'response',
  )) as [IncomingMessage]
  const bytes = Buffer.concat(await answer.toArray())
  return { headers: answer.headers, bytes }
}

const built = buildConsole()
const script = built.files.find(({ from }) => from === 'console/console.tsx')?.name as string

describe('the pages of the console', () => {
  it('are where a browser is sent from the root, and no program is', async (t) => {
    const server = await startTestServer(t)
    const sent = await server.send({ path: '/', headers: PAGE })
    assert.deepEqual([sent.status, sent.headers.location], [302, '/console/'])
    const short = await server.get('/console')
    assert.deepEqual([short.status, short.headers.location], [308, '/console/'])
    const { status, body } = await server.get('/')
    assert.deepEqual([status, body.name, body.console], [200, 'percolite', '/console/'])
  })

  it('load nothing from elsewhere, run nothing inline, and are in no frame', async (t) => {
    const server = await startTestServer(t)
    const { text, headers } = await server.get('/console/')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.doesNotMatch(text, /style=|<style|<script>|(src|href)="(https?:)?\/\//)
    for (const { name } of built.files.filter((one) => one.name !== 'index.html'))
      assert.equal((await server.get(`/console/${name}`)).status, 200)
  })

  it('are kept by browsers as long as their names, and the page is not', async (t) => {
    const server = await startTestServer(t)
    const keptFor = async (path: string) => (await server.get(path)).headers['cache-control']
    assert.equal(await keptFor('/console/'), 'no-cache')
    assert.equal(await keptFor(`/console/${script}`), 'public, max-age=31536000, immutable')
    const missing = await server.get('/console/missing.js')
    assert.deepEqual(
      [missing.status, missing.body.code, missing.headers['cache-control']],
      [404, 'not_found', 'no-store'],
    )
    for (const path of [
      '/console/..%2fpackage.json',
      '/console/files.json',
      '/console/index.html',
      '/console/a/b',
    ]) {
      assert.equal((await server.get(path)).status, 404, path)
    }
  })

  it('come compressed as the browser takes it', async (t) => {
    const server = await startTestServer(t)
    const { url } = await server.listen()
    const path = `${url}/console/${script}`
    const plain = Buffer.from((await server.get(`/console/${script}`)).text)
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.1', 'gzip', gunzipSync],
      ['zstd', undefined, (bytes: Buffer) => bytes],
      ['br,'.repeat(1_000), undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { headers, bytes } = await fetchRaw(path, accepted)
      assert.equal(headers['content-encoding'], encoding, accepted)
      assert.equal(headers.vary, 'Accept-Encoding')
      assert.deepEqual(unpack(bytes), plain)
    }
  })

  it('need no token, and are not for hosts and pages of others', async (t) => {
    const { server } = await TokenServer.start(t)
    for (const path of ['/console', '/console/', `/console/${script}`]) {
      assert.ok((await server.get(path)).status < 400, path)
      const elsewhere = await server.send({ path, headers: { host: 'evil.example' } })
      assert.equal(elsewhere.status, 403, path)
      const framed = { ...LINK, 'sec-fetch-dest': 'iframe' }
      assert.equal((await server.send({ path, headers: framed })).status, 403, path)
      const linked = { ...LINK, 'sec-fetch-dest': 'document' }
      assert.ok((await server.send({ path, headers: linked })).status < 400, path)
    }
  })

  it('are not there with --no-console', async (t) => {
    const server = await startTestServer(t, { flags: { 'no-console': 'true' } })
    for (const path of ['/console', '/console/', `/console/${script}`]) {
      assert.equal((await server.get(path)).status, 404, path)
    }
    const { status, body } = await server.send({ path: '/', headers: PAGE })
    assert.deepEqual([status, 'console' in body], [200, false])
  })
})
