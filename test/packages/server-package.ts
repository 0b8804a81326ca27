// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { otherRuntimes } from '../../tools/other-runtimes.ts'
import { testFolder } from '../test-folder.ts'
import { packed, ROOT, Stranger, serversPackages } from './stranger.ts'

// `percolite` as a stranger has it: packed, installed with its dependencies into an empty folder, and started there.

const INSTALLED_BYTES_MAX = 70e6

const folder = await testFolder({ after }, 'packages')
const [server, client] = [await packed(folder), await packed(folder, 'client-sdk')]
const runtimes = otherRuntimes()
const node24 = runtimes.find(({ name }) => name.includes('24'))?.node ?? process.execPath
const stranger = new Stranger(join(folder, 'app'), node24)
await stranger.install([server, client], await serversPackages())
const installed = join(stranger.folder, 'node_modules', 'percolite')

async function bytesIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

test('the package has the compiled program, its contract and its pages, and no sources and no tests', async () => {
  const files = (await readdir(installed, { recursive: true })).map((path) =>
    path.replaceAll('\\', '/'),
  )
  const kinds = new Set(
    files
      .filter((path) => /\.\w+$/.test(path))
      .map((path) => /[^/]*$/.exec(path)?.[0].replace(/.*?\./, '.')),
  )
  for (const path of [
    'LICENSE',
    'README.md',
    'openapi.yaml',
    'openapi.gen.json',
    'deploy/haproxy.cfg',
    'deploy/nginx.conf',
    'docs/commands.md',
    'docs/llms.txt',
    'dist/percolite.js',
    'console/dist/files.json',
    'templates/base/dev.ts',
    'templates/tasks/test/app.test.ts',
  ]) {
    assert.ok(files.includes(path), path)
  }
  assert.deepEqual(
    files
      .filter((path) => /(?<!\.d)\.ts$|\btest/.test(path) && !path.startsWith('docs/'))
      // Those of templates are what an app is made of.
      .filter((path) => !path.startsWith('dist/testing.') && !path.startsWith('templates/')),
    [],
    [...kinds].join(),
  )
  const shipped = await readFile(join(installed, 'openapi.yaml'), 'utf8')
  assert.equal(shipped, await readFile(join(ROOT, 'openapi.yaml'), 'utf8'))
})

test('it is small with all that it needs, has nothing more, and runs nothing when it is installed', async (t) => {
  const bytes = await bytesIn(join(stranger.folder, 'node_modules'))
  t.diagnostic(`${Math.round(bytes / 1e6)} MB installed`)
  assert.ok(bytes < INSTALLED_BYTES_MAX, `${bytes} bytes`)
  await stranger.npm('ls', '--all')
  const { scripts = {} } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const script of ['preinstall', 'install', 'postinstall'])
    assert.ok(!(script in scripts), script)
})

test('publint has nothing to say of it', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  )
})

test('it lists its commands, and says what is wrong with a call', async () => {
  const help = await stranger.percolite()
  assert.deepEqual([help.code, help.errors], [0, ''])
  assert.match(help.output, /^Usage: percolite <command>/)
  const wrong = await stranger.percolite('serve', '--prot', '1')
  assert.equal(wrong.code, 2)
  assert.match(wrong.errors, /Did you mean --port\? percolite serve --help lists the flags\.\n$/)
})

test('an older Node.js is told which one is needed', async (t) => {
  const old = runtimes.find(({ name }) => name.includes('22'))
  if (old === undefined) return t.skip('there is no older one here')
  const { code, errors } = await new Stranger(stranger.folder, old.node).percolite('serve')
  assert.equal(code, 2)
  assert.match(errors, /^percolite: it needs Node\.js 24\.12 or later, and this is v22/)
})

const WATCH = `
import { connect } from '@percolite/client'
await using db = connect()
for await (const rows of db.live('SCAN id FROM trade')) {
  if (rows.length < 3) continue
  console.log('three trades')
  break
}
`

for (const node of new Set([node24, process.execPath])) {
  const version = node === node24 ? 'Node.js 24' : 'the Node.js of this project'
  test(`percolite demo on ${version} trades, and the client sees it live`, async (t) => {
    const other = new Stranger(stranger.folder, node)
    const { url, stop, errors } = await other.serve(t, 'demo', '--port', '0')
    await other.write(
      'watch.mjs',
      WATCH.replace('SCAN id FROM trade', 'SCAN id FROM trade USE PRIMARY KEY'),
    )
    assert.equal(await other.node('watch.mjs', { PERCOLITE_URL: url }), 'three trades\n')
    assert.equal(await stop(), 0)
    assert.equal(errors(), '')
  })
}

const OBSERVERS = `
import { defineObserver } from 'percolite/observers'
export const double = defineObserver({
  observer: 'double',
  run: (tx, { key: [id], row }) => tx.query('SET twice = :twice ON double WHERE id = :id', { id, twice: 2 * row.n }),
})
`
const WRITE = `
import { connect } from '@percolite/client'
await using db = connect()
await db.query('CREATE TABLE single (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)')
await db.query('CREATE TABLE double (id INTEGER PRIMARY KEY, twice INTEGER NOT NULL)')
await db.query('CREATE OBSERVER double ON single (n)')
await db.query('INSERT INTO single (id, n) VALUES (1, 21)')
for await (const [row] of db.live('SCAN twice FROM double USE PRIMARY KEY')) {
  if (row === undefined) continue
  console.log(row.twice)
  break
}
`

test('percolite serve keeps rows on disk, runs observers, and has them after a restart', async (t) => {
  await stranger.write('observers.mjs', OBSERVERS)
  await stranger.write('write.mjs', WRITE)
  const flags = ['serve', '--port', '0', '--data', 'data', '--observers', 'observers.mjs']
  const first = await stranger.serve(t, ...flags)
  assert.equal(await stranger.node('write.mjs', { PERCOLITE_URL: first.url }), '42\n')
  const docs = await fetch(`${first.url}/docs/`)
  assert.equal(docs.status, 200)
  const page = await (await fetch(`${first.url}/console/`)).text()
  const [, script] = /src="([^"]+)"/.exec(page) ?? []
  assert.equal((await fetch(`${first.url}/console/${script}`)).status, 200)
  assert.equal(await first.stop(), 0)
  const checked = await stranger.percolite('check', '--data', 'data')
  assert.equal(checked.code, 0, checked.errors)
  for (const args of [
    ['backup', '--data', 'data', '--out', 'copies/first'],
    ['check', '--backup', 'copies/first'],
    ['restore', 'copies/first', '--data', 'restored'],
    ['check', '--data', 'restored'],
  ]) {
    const { code, errors } = await stranger.percolite(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${errors}`)
  }
  const second = await stranger.serve(t, ...flags)
  const answer = await fetch(`${second.url}/v1/tables/double/rows/1`)
  assert.deepEqual(await answer.json(), { id: 1, twice: 42 })
  assert.equal(await second.stop(), 0)
})

test('an engine over the network says which packages it needs, and starts none without them', async () => {
  const { code, errors } = await stranger.percolite(
    'serve',
    '--engine',
    'etcd',
    '--etcd',
    '127.0.0.1:1',
  )
  assert.equal(code, 2)
  assert.match(
    errors,
    /needs packages that are not installed: npm install --no-save @grpc\/grpc-js@/,
  )
})

test('percolite mcp says which package it needs', async () => {
  const { code, errors } = await stranger.percolite('mcp', '--url', 'http://127.0.0.1:9')
  assert.equal(code, 2)
  assert.match(
    errors,
    /needs a package that is not installed: npm install --no-save @modelcontextprotocol\/server@\d/,
  )
})
