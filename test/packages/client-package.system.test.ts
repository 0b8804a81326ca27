// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

// `@percolite/client` as a stranger has it: packed, and installed into a folder that has nothing else.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What runs the programs of the stranger; `npm run test:packages` names the oldest that there is a promise for. */
const { PACKAGE_TEST_NODE = process.execPath } = process.env
const README = readFileSync(join(ROOT, 'client-sdk', 'README.md'), 'utf8')

const BUNDLE_BYTES_MAX = 45_000
const BUNDLE_GZIP_BYTES_MAX = 15_360

const run = promisify(execFile)
const folder = await testFolder({ after }, 'package')
const app = join(folder, 'app')
const installed = join(app, 'node_modules', '@percolite', 'client')
await packAndInstall()

async function packAndInstall(): Promise<void> {
  // A cache of its own, which is empty: nothing is to come from elsewhere.
  const npm = async (cwd: string, ...args: string[]) => {
    const options = ['--cache', join(folder, 'cache'), '--offline', '--loglevel=error']
    return await run('npm', [...args, ...options], { cwd, shell: process.platform === 'win32' })
  }
  await npm(ROOT, 'pack', '--workspace', 'client-sdk', '--pack-destination', folder)
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await mkdir(app)
  await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
  await npm(app, 'install', join(folder, tarball as string))
}

async function installedFiles(): Promise<string[]> {
  const entries = await readdir(installed, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
}

/** What a program prints that is compiled and run there, with the client's URL in the environment. */
async function runProgram(name: string, text: string, url = ''): Promise<string> {
  await writeFile(join(app, `${name}.ts`), text)
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '']
  await tsc(...options, '--skipLibCheck', '--outDir', 'out', `${name}.ts`)
  const env = { ...process.env, PERCOLITE_URL: url }
  return (await run(PACKAGE_TEST_NODE, [join('out', `${name}.js`)], { cwd: app, env })).stdout
}

async function tsc(...args: string[]): Promise<void> {
  const program = join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc')
  await run(process.execPath, [program, ...args], { cwd: app }).catch((error) => {
    throw new Error(`tsc ${args.join(' ')}\n${error.stdout}`)
  })
}

async function startServer(t: { after(clean: () => Promise<void>): void }): Promise<string> {
  const server = await ServerProcess.start(await testFolder(t, 'package-server'), [
    '--engine',
    'memory',
  ])
  t.after(async () => {
    await server.stop()
  })
  return server.url
}

test('the package has what it needs, and no test, no dependency and no script of this repository', async (t) => {
  const files = await installedFiles()
  const top = files.filter((path) => !/\.(ts|js|map)$/.test(path))
  assert.deepEqual(top.toSorted(), ['LICENSE', 'README.md', 'package.json'])
  assert.deepEqual(
    files.filter((path) => /test|scripted/.test(path)),
    [],
  )
  const { dependencies, exports } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  )
  assert.equal(dependencies, undefined)
  assert.deepEqual(await readdir(join(app, 'node_modules', '@percolite')), ['client'])
  for (const target of Object.values(exports).flatMap((one) => Object.values(Object(one)))) {
    if (String(target).startsWith('./'))
      assert.ok(files.includes(String(target).slice(2)), `${target}`)
  }
  const license = await readFile(join(installed, 'LICENSE'), 'utf8')
  assert.equal(license, await readFile(join(ROOT, 'LICENSE'), 'utf8'))
  t.diagnostic(`${files.length} files`)
})

test('every source map leads to a source that is in the package', async () => {
  const files = await installedFiles()
  const maps = files.filter((path) => path.endsWith('.map'))
  assert.ok(maps.length > 50)
  for (const path of maps) {
    const { sources } = JSON.parse(await readFile(join(installed, path), 'utf8'))
    for (const source of sources) {
      const found = join(dirname(path), source).replaceAll('\\', '/')
      assert.ok(files.includes(found), `${path} -> ${found}`)
    }
  }
})

test('no link of its page leads out of the package', () => {
  const links = [...README.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
  assert.deepEqual(
    links.filter((target) => !/^(https:|#)/.test(target)),
    [],
  )
})

test('publint has nothing to say of it', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  )
})

test('the example of its page is compiled, runs, and prints what it should', async (t) => {
  const example = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  const url = await startServer(t)
  const program = `${example.replace('http://127.0.0.1:4270', url)}\n`
  const output = await runProgram(
    'example',
    `declare const console: { log(row: unknown): void }\n${program}`,
  )
  assert.equal(output, "{ id: 'bob', balance: 3 }\n{ id: 'joe', balance: 9 }\n")
})

const PROGRAM = `
import { connect, PercoliteError, type Row } from '@percolite/client'
declare const console: { log(...words: unknown[]): void }
type Schema = { item: { row: { id: number; name: string }; key: [id: number] } }
await using db = connect<Schema>()
await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
await db.table('item').insert({ id: 1, name: 'first' })
let arrays = 0
for await (const rows of db.live('SCAN * FROM item USE PRIMARY KEY')) {
  console.log(rows.map(({ name }) => name).join())
  arrays += 1
  if (arrays === 2) break
  await db.sql\`INSERT INTO item (id, name) VALUES (\${2}, \${'second'})\`
}
const refused: unknown = await db.query<Row>('GET * FROM nothing WHERE id = 1').catch((error: unknown) => error)
if (refused instanceof PercoliteError) console.log(refused.code)
`

test('a program connects, writes, reads, watches and fails with it', async (t) => {
  const { stdout: version } = await run(PACKAGE_TEST_NODE, ['--version'])
  t.diagnostic(`Node.js ${version.trim()}`)
  const output = await runProgram('program', PROGRAM, await startServer(t))
  assert.equal(output, 'first\nfirst,second\nunknown_table\n')
})

/** What this project has of the package, for the stranger. */
async function linkPackage(name: string): Promise<void> {
  const place = join(app, 'node_modules', name)
  await mkdir(dirname(place), { recursive: true })
  await symlink(join(ROOT, 'node_modules', name), place, 'junction')
}

test('its hook is there for those that have React, and only for them', async () => {
  const text =
    "import { useLive } from '@percolite/client/react'\nif (typeof useLive !== 'function') throw 1\n"
  await assert.rejects(runProgram('hook', text), /Cannot find package 'react'/)
  await linkPackage('react')
  await runProgram('hook', text)
})

test('its dialect is there for those that have Kysely, and only for them', async () => {
  const text = `import { connect } from '@percolite/client'
import { PercoliteDialect } from '@percolite/client/kysely'
export const dialect = new PercoliteDialect({ db: connect({ url: 'http://127.0.0.1:1' }) })
`
  await assert.rejects(runProgram('dialect', text), /Cannot find (module|package) 'kysely'/)
  await symlink(
    join(ROOT, 'node_modules', 'kysely'),
    join(app, 'node_modules', 'kysely'),
    'junction',
  )
  await runProgram(
    'dialect',
    `${text}import { Kysely } from 'kysely'
const db = new Kysely<{ item: { id: number } }>({ dialect })
const { sql } = db.selectFrom('item').select('id').where('id', '=', 1).compile()
if (sql !== 'scan "id" from "item" where "id" = $1') throw new Error(sql)
`,
  )
})

const COLLECTION = `
import { connect } from '@percolite/client'
import { percoliteCollection } from '@percolite/client/tanstack-db'
import { createCollection } from '@tanstack/db'
declare const console: { log(...words: unknown[]): void }
await using db = connect()
await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
const items = createCollection(percoliteCollection<{ id: number; name: string }>({ db, table: 'item' }))
await items.preload()
await items.insert({ id: 1, name: 'first' }).isPersisted.promise
console.log(items.get(1)?.name, (await db.query('SCAN * FROM item')).rows.length)
await items.cleanup()
`

test('its collections are those of TanStack DB, where that is installed', async (t) => {
  await linkPackage('@tanstack/db')
  assert.equal(await runProgram('collection', COLLECTION, await startServer(t)), 'first 1\n')
})

for (const [resolution, module] of [
  ['bundler', 'esnext'],
  ['nodenext', 'nodenext'],
] as const) {
  test(`its types are found and whole with moduleResolution ${resolution}`, async () => {
    const name = `types-${resolution}.ts`
    await writeFile(
      join(app, name),
      `import { connect, type Database } from '@percolite/client'
import { PercoliteDialect } from '@percolite/client/kysely'
import { type Live, useLive } from '@percolite/client/react'
type Schema = { item: { row: { id: number }; key: [id: number] } }
export const db: Database<Schema> = connect<Schema>({ url: new URL('http://127.0.0.1:1') })
export const use = (): Live<{ id: number }> => useLive(db, 'SCAN id FROM item')
export const dialect = new PercoliteDialect({ db })
// @ts-expect-error There is no such table.
db.table('itme')
`,
    )
    // The declarations of the package are checked as well.
    await tsc('--exactOptionalPropertyTypes', ...declared(resolution, module), name)
  })

  test(`the rows of its collections have their types with moduleResolution ${resolution}`, async () => {
    const name = `collection-${resolution}.ts`
    await writeFile(
      join(app, name),
      `import { connect } from '@percolite/client'
import { percoliteCollection } from '@percolite/client/tanstack-db'
import { createCollection } from '@tanstack/db'
const db = connect<{ item: { row: { id: number }; key: [id: number] } }>()
const items = createCollection(percoliteCollection({ db, table: 'item' }))
export const id: number | undefined = items.get(1)?.id
// @ts-expect-error There is no such column.
items.get(1)?.name
`,
    )
    // Those of the library are not its affair.
    await tsc('--skipLibCheck', ...declared(resolution, module), name)
  })
}

/** Nothing of Node.js, and the oldest libraries. */
function declared(resolution: string, module: string): string[] {
  const libraries = ['--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
  const modules = ['--module', module, '--moduleResolution', resolution]
  return ['--noEmit', '--strict', ...libraries, ...modules]
}

async function bundled(text: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: app },
    bundle: true,
    minify: true,
    write: false,
    logLevel: 'error',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['react', '@tanstack/db'],
  })
  return Buffer.from(outputFiles[0]?.contents ?? [])
}

test('bundled for a browser it is small, and what is not used is left out', async (t) => {
  const whole = await bundled("export * from '@percolite/client'")
  const zipped = gzipSync(whole, { level: 9 })
  t.diagnostic(`${whole.length} bytes minified, ${zipped.length} compressed by gzip`)
  assert.ok(whole.length < BUNDLE_BYTES_MAX, `${whole.length} bytes`)
  assert.ok(zipped.length < BUNDLE_GZIP_BYTES_MAX, `${zipped.length} bytes`)
  assert.equal((await bundled("import '@percolite/client'")).length, 0)
  const hook = await bundled("export * from '@percolite/client/react'")
  t.diagnostic(`${hook.length} bytes for the hook alone`)
  assert.ok(hook.length < 4_000, `${hook.length} bytes`)
  const collections = await bundled("export * from '@percolite/client/tanstack-db'")
  t.diagnostic(`${collections.length} bytes for collections alone`)
  assert.ok(collections.length < 14_000, `${collections.length} bytes`)
})
