// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { lockedPackages, packed, Stranger } from './stranger.ts'

// `@percolite/client` packed, on the runtimes and with the versions of React that its page names beside Node.js. They
// are installed into the folder of the test, because nothing else here needs them: Deno and Bun are 94 MB to fetch,
// once for each version, after which npm has them in its cache.

const { PACKAGE_TEST_NODE = process.execPath } = process.env
const PROGRAM_MS_MAX = 30_000

/** The arguments keep each from asking, and from fetching anything when a program starts. */
const RUNTIMES = [
  {
    name: 'Deno',
    lock: 'deno',
    program: 'node_modules/@deno/*/deno{,.exe}',
    args: ['run', '--no-prompt', '--cached-only', '--allow-net', '--allow-env=PERCOLITE_URL'],
  },
  {
    name: 'Bun',
    lock: 'bun',
    program: 'node_modules/@oven/*/bin/bun{,.exe}',
    args: ['run', '--no-install'],
  },
] as const

const REACTS = ['18.3.1', '19.3.1'] as const

const folder = await testFolder({ after }, 'client-runtimes')
const client = await packed(folder, 'client-sdk')
const run = promisify(execFile)

/** TypeScript, which both runtimes take as it is. It has to end by itself. */
const PROGRAM = `
import { connect, PercoliteError } from '@percolite/client'
type Schema = { item: { row: { id: number; name: string }; key: [id: number] } }
await using db = connect<Schema>()
await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
await db.transaction(async (tx) => {
  await tx.sql\`INSERT INTO item (id, name) VALUES (\${1}, \${'first'})\`
})
console.log(JSON.stringify((await db.query('SCAN * FROM item')).rows))
let arrays = 0
for await (const rows of db.live('SCAN * FROM item USE PRIMARY KEY')) {
  console.log(rows.map(({ name }) => name).join())
  arrays += 1
  if (arrays === 2) break
  await db.table('item').insert({ id: 2, name: 'second' })
}
const refused: unknown = await db.query('SCAN * FROM nothing').catch((error: unknown) => error)
if (refused instanceof PercoliteError) console.log(refused.code)
`

/** A component without elements: this much of a page React touches then. */
const COMPONENT = `
import { connect } from '@percolite/client'
import { useLive } from '@percolite/client/react'
import { createElement, StrictMode, version } from 'react'
import { createRoot } from 'react-dom/client'
const page = { HTMLIFrameElement: class {} }
globalThis.window = page
const element = { namespaceURI: 'http://www.w3.org/1999/xhtml', addEventListener: () => undefined }
const ownerDocument = { ...element, nodeType: 9, defaultView: page }
const root = createRoot({ ...element, nodeType: 1, nodeName: 'DIV', tagName: 'DIV', ownerDocument })
const db = connect()
await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
const shown = []
function Component() {
  const { rows, state } = useLive(db, 'SCAN id FROM item USE PRIMARY KEY')
  const text = state + ' ' + (rows?.length ?? '-')
  if (shown.at(-1) === text) return null
  shown.push(text)
  if (text === 'live 0') db.query('INSERT INTO item (id) VALUES (1)')
  if (text === 'live 1') setTimeout(end)
  return null
}
function end() {
  root.unmount()
  db.close()
  console.log(version + ': ' + shown.join(', '))
}
root.render(createElement(StrictMode, null, createElement(Component)))
`

async function serverUrl(t: TestContext): Promise<string> {
  const data = await testFolder(t, 'runtime-server')
  const server = await ServerProcess.start(data, ['--engine', 'memory'])
  t.after(async () => {
    await server.stop()
  })
  return server.url
}

/** The program of a runtime, installed; a text where it cannot be had. With CI=true it throws instead. */
async function installed(stranger: Stranger, { lock, program }: Installable) {
  try {
    // Its script would only link the program from where it is found here.
    await stranger.install([client], await lockedPackages(lock), '--ignore-scripts')
  } catch (error) {
    return missing(`npm ci of ${lock}: ${(error as Error).message.split('\n')[1] ?? ''}`)
  }
  for (const path of globSync(join(stranger.folder, program))) {
    // There may be several, of which some are for other processors.
    const version = await run(path, ['--version']).catch(() => undefined)
    if (version !== undefined) return { path }
  }
  return missing(`${lock} has no program for ${process.platform}-${process.arch}`)
}

type Installable = (typeof RUNTIMES)[number]

function missing(text: string): string {
  if (process.env.CI === 'true') throw new Error(text)
  return text
}

describe('the packed client', () => {
  for (const runtime of RUNTIMES) {
    it(`connects, writes, reads, watches and fails on ${runtime.name}, and the program ends`, async (t) => {
      const stranger = new Stranger(join(folder, runtime.name), process.execPath)
      const program = await installed(stranger, runtime)
      if (typeof program === 'string') return t.skip(program)
      await stranger.write('program.ts', PROGRAM)
      const { stdout } = await run(program.path, [...runtime.args, 'program.ts'], {
        cwd: stranger.folder,
        // Caches of its own; what else there is on the machine has no say.
        env: { HOME: stranger.folder, NO_COLOR: '1', PERCOLITE_URL: await serverUrl(t) },
        timeout: PROGRAM_MS_MAX,
      })
      assert.equal(stdout, '[{"id":1,"name":"first"}]\nfirst\nfirst,second\nunknown_table\n')
    })
  }

  for (const version of REACTS) {
    it(`has a hook that React ${version} mounts twice and shows each commit with`, async (t) => {
      const stranger = new Stranger(join(folder, `react-${version}`), PACKAGE_TEST_NODE)
      await stranger.install([client], await lockedPackages(`react-${version.split('.')[0]}`))
      await stranger.write('component.mjs', COMPONENT)
      const output = await stranger.node('component.mjs', { PERCOLITE_URL: await serverUrl(t) })
      assert.equal(output, `${version}: loading -, live 0, live 1\n`)
    })
  }
})
