// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { node24 } from '../../tools/other-runtimes.ts'
import { chromiumSkipReason, launchChromium } from '../browser/chromium.ts'
import { testFolder } from '../test-folder.ts'
import { packed, Stranger, serversPackages } from './stranger.ts'

// Two empty folders and the packed tarballs: a server in one, and in the other a program and a page that watch it.

const MINUTES_MAX = 5
const SHOWN_MS = 10_000

const startedMs = performance.now()
const folder = await testFolder({ after }, 'first-minutes')
const database = new Stranger(join(folder, 'database'), node24())
const app = new Stranger(join(folder, 'app'), node24())

const SCRIPT = `
import { connect } from '@percolite/client'
await using db = connect()
let arrays = 0
for await (const rows of db.live('SCAN id, balance FROM account USE PRIMARY KEY')) {
  console.log(JSON.stringify(rows))
  arrays += 1
  if (arrays === 2) break
  await db.sql\`SET balance = balance + \${5} ON account WHERE id = \${'bob'}\`
}
`

const PAGE = (url: string) => `<!doctype html>
<script type="importmap">{ "imports": { "@percolite/client": "/node_modules/@percolite/client/dist/client.js" } }</script>
<link rel="icon" href="data:,">
<ul></ul>
<script type="module">
import { connect } from '@percolite/client'
const db = connect({ url: ${JSON.stringify(url)} })
for await (const rows of db.live('SCAN id, balance FROM account USE PRIMARY KEY')) {
  document.querySelector('ul').replaceChildren(...rows.map(({ id, balance }) => {
    const line = document.createElement('li')
    line.textContent = id + ' has ' + balance
    return line
  }))
}
</script>
`

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Serves the files of a folder, as any web server would; resolves to its origin. */
async function serveFiles(t: TestContext, root: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    try {
      const body = await readFile(join(root, path === '/' ? 'index.html' : path))
      const type = path === '/' ? 'text/html' : TYPES[extname(path)]
      response.writeHead(200, { 'content-type': type ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

describe('from two empty folders', () => {
  it('there is a server, a table, a program and a page that see it live, and types, within minutes', async (t) => {
    await database.install([await packed(folder)], await serversPackages())
    await app.install([await packed(folder, 'client-sdk')])
    const origin = await serveFiles(t, app.folder)
    const flags = ['--port', '0', '--data', 'data', '--allow-origin', origin]
    const { url, stop } = await database.serve(t, 'serve', ...flags)
    for (const sql of [
      'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)',
      "INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)",
    ]) {
      const { code, errors } = await database.percolite('query', url, sql)
      assert.equal(code, 0, errors)
    }
    await app.write('watch.mjs', SCRIPT)
    const seen = await app.node('watch.mjs', { PERCOLITE_URL: url })
    const rows = (balance: number) =>
      `[{"id":"bob","balance":${balance}},{"id":"joe","balance":2}]\n`
    assert.equal(seen, rows(10) + rows(15))
    await checkTypes(url)
    await watchInBrowser(t, origin, url)
    assert.equal(await stop(), 0)
    const minutes = (performance.now() - startedMs) / 60_000
    t.diagnostic(`${minutes.toFixed(1)} minutes, the packing included`)
    assert.ok(minutes < MINUTES_MAX)
  })
})

/** The types of the live tables make a misspelt column an error of the compiler. */
async function checkTypes(url: string): Promise<void> {
  const { code, errors } = await database.percolite('types', url, '--out', '../app/db.ts')
  assert.equal(code, 0, errors)
  const program = (column: string) => `import { connect } from '@percolite/client'
import type { Schema } from './db.ts'
await connect<Schema>().table('account').patch('bob', { ${column}: 1 })
`
  await app.write('right.ts', program('balance'))
  await app.write('wrong.ts', program('blance'))
  assert.equal(await app.compiled('right.ts'), '')
  assert.match(await app.compiled('wrong.ts'), /^wrong\.ts\(3,\d+\): error .*'blance'/)
}

async function watchInBrowser(t: TestContext, origin: string, url: string): Promise<void> {
  const missing = chromiumSkipReason()
  if (missing !== false) return t.diagnostic(`no page was opened: ${missing}`)
  await app.write('index.html', PAGE(url))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ locale: 'en-US' })
    const faults: string[] = []
    page.on('console', (message) => faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(origin)
    await page.getByText('bob has 15').waitFor({ timeout: SHOWN_MS })
    await database.percolite('query', url, "SET balance = 99 ON account WHERE id = 'joe'")
    await page.getByText('joe has 99').waitFor({ timeout: SHOWN_MS })
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
}
