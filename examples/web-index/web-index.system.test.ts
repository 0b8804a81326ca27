// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../../test/server/server-process.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
/** The client from its sources, as `npm run example:web-index` has it. */
const FLAGS = ['-C', 'percolite:source']
const MODULE = fileURLToPath(new URL('./observers.ts', import.meta.url))

async function run(...args: string[]) {
  const child = spawn(process.execPath, [...FLAGS, MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exited,
  ])
  return { output, errors, status }
}

async function startServer(t: TestContext, ...flags: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-commands-'))
  const server = await ServerProcess.start(join(folder, 'data'), flags)
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return server.url
}

test('without a command everything is shown on a private server, and the check agrees', async () => {
  const { output, errors, status } = await run('--pages', '30', '--crawlers', '4', '--seed', '3')
  assert.equal(status, 0, output + errors)
  assert.match(output, /^crawled \d+ pages in .* with 4 crawlers$/m)
  assert.match(output, /^ {2}index_words +[1-9]\d* +\d+ +0$/m)
  assert.match(output, /^search bace guce: /m)
  assert.match(output, /^change http:\S+: found by "breaking news \w+" \d+ ms after its commit$/m)
  assert.match(output, /^search breaking news \w+: one page$/m)
  assert.match(output, /^check: every table equals a recomputation of everything$/m)
  assert.match(
    output,
    /^export: the receiver of the relay has these \d+ clusters, by \d+ messages$/m,
  )
})

test('the commands work on a server that was started with the observers', async (t) => {
  const url = await startServer(t, '--observers', MODULE)
  const early = await run('search', 'bace', '--url', url)
  assert.equal(early.status, 1)
  assert.match(early.errors, /^web-index: .*posting.* Load a web first\.\n$/)

  assert.equal((await run('load', '--pages', '20', '--url', url)).status, 0)
  const page = 'http://bace.example/bace-0'
  const changed = await run('change', page, 'Zebras', 'crossing', '--url', url)
  assert.match(changed.output, /^change http:\S+: found by "Zebras crossing" \d+ ms after/)
  const found = await run('search', 'ZEBRAS', '--url', url)
  assert.match(
    found.output,
    /^search zebras: one page\n {2}http:\/\/bace.example\/bace-0 {2}"Zebras/,
  )
  const checked = await run('check', '--url', url)
  assert.equal(checked.status, 0, checked.output)
})

test('a server that does not run the observers is told so', async (t) => {
  const url = await startServer(t)
  const { errors, status } = await run('load', '--pages', '3', '--url', url)
  assert.equal(status, 1)
  assert.match(
    errors,
    /^web-index: nobody runs track_dependencies: start the server with --observers/m,
  )
})

for (const [args, problem] of [
  [['--craler', '8'], "Unknown option '--craler'"],
  [['--pages', 'many'], '--pages is a number from 1 to 100000, not many'],
  [['check', '--url', 'there'], '--url is the url of a server, not "there"'],
  [['find'], 'there is no command "find": load, search, change or check'],
  [['search'], 'search needs a word at least'],
  [['check', 'twice'], 'check takes no "twice"'],
  [
    ['change', 'home'],
    'change needs the url of a page, such as http://site.example/page, not "home"',
  ],
] as const) {
  test(`"${args.join(' ')}" is one line and exit status 2`, async () => {
    const { errors, status } = await run(...args)
    assert.deepEqual([errors, status], [`web-index: ${problem}\n`, 2])
  })
}
