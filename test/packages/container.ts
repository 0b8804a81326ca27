// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { testFolder } from '../test-folder.ts'
import { npmSettings, packed, ROOT } from './stranger.ts'

// deploy/Dockerfile: built and started where there is an engine for it, and else its steps, one after the other, here.

const BUILT_MS_MAX = 300_000
const READY_MS = 60_000
const IMAGE = 'percolite-test'

const folder = await testFolder({ after }, 'container')
const dockerfile = await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')
const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0

/** The arguments of the instructions of a name, each on one line. */
function instructions(name: string): readonly string[] {
  const joined = dockerfile.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ')
  return [...joined.matchAll(new RegExp(`^\\s*${name} (.*)$`, 'gm'))].map(
    ([, text]) => text as string,
  )
}

/** The words of an instruction in the form of JSON. */
function wordsOf(name: string): readonly string[] {
  const [text = ''] = instructions(name)
  return JSON.parse(text.slice(text.indexOf('[')))
}

test('the image has a server that is healthy, and whose token works', async (t) => {
  const { url, token, health } = hasEngine ? await startImage(t) : await startSteps(t)
  const deadline = Date.now() + READY_MS
  while (!(await health())) {
    assert.ok(Date.now() < deadline, 'it became healthy')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const headers = { authorization: `Bearer ${(await token()).trim()}` }
  const body = 'CREATE TABLE account (id TEXT PRIMARY KEY)'
  const refused = await fetch(`${url}/v1/query`, { method: 'POST', body })
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body, headers })
  assert.deepEqual([refused.status, answer.status], [401, 200])
})

async function startImage(t: TestContext) {
  t.diagnostic('by docker')
  const docker = (...words: string[]) =>
    promisify(execFile)('docker', words, { cwd: ROOT, timeout: BUILT_MS_MAX })
  await docker('build', '-f', 'deploy/Dockerfile', '-t', IMAGE, '.')
  const { stdout } = await docker('run', '--detach', '--publish', '127.0.0.1::4270', IMAGE)
  const id = stdout.trim()
  t.after(() => docker('rm', '--force', '--volumes', id))
  const { stdout: address } = await docker('port', id, '4270')
  const inside = (...words: string[]) => docker('exec', id, ...words)
  return {
    url: `http://${address.trim()}`,
    token: async () => (await inside('cat', '/data/admin-token')).stdout,
    health: () =>
      inside(...wordsOf('HEALTHCHECK')).then(
        () => true,
        () => false,
      ),
  }
}

async function startSteps(t: TestContext) {
  t.diagnostic('by its steps: no engine of containers answers')
  const [app, data] = [join(folder, 'app'), join(folder, 'data')]
  await mkdir(app)
  await mkdir(data, { mode: 0o700 })
  const { file } = await packed(join(folder, 'packed'))
  const env = { ...process.env, ...npmSettings(), NODE_ENV: 'production' }
  // The first one packs what is packed already, the last one links what npm has linked.
  const install = instructions('RUN').find((text) => text.includes('npm install'))
  assert.ok(install !== undefined)
  const script = install.replace('/tmp/percolite-*.tgz', file)
  await promisify(execFile)('sh', ['-ec', script], { cwd: app, env, timeout: BUILT_MS_MAX })
  const words = wordsOf('CMD').map((word) =>
    word.replace('/data', data).replace('0.0.0.0', '127.0.0.1'),
  )
  const program = join(app, 'node_modules', '.bin', ...wordsOf('ENTRYPOINT'))
  const server = spawn(program, [...words, '--port', '0'], { cwd: app, env })
  const ended = once(server, 'close')
  t.after(async () => {
    server.kill('SIGTERM')
    assert.equal((await ended)[0], 0)
  })
  let output = ''
  server.stdout.on('data', (chunk) => {
    output += chunk
  })
  server.stderr.on('data', (chunk) => {
    output += chunk
  })
  const address = () => /listening on (http:\S+?),/.exec(output)?.[1]
  while (address() === undefined) {
    assert.equal(server.exitCode, null, output)
    await Promise.race([once(server.stdout, 'data'), ended])
  }
  const url = address() as string
  const [node = '', ...check] = wordsOf('HEALTHCHECK')
  const health = () =>
    promisify(execFile)(
      node,
      check.map((word) => word.replace('http://127.0.0.1:4270', url)),
    ).then(
      () => true,
      () => false,
    )
  return { url, token: () => readFile(join(data, 'admin-token'), 'utf8'), health }
}
