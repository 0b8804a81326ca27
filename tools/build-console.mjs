// SPDX-License-Identifier: Apache-2.0

// Builds the page of the console into console/dist/, for the server to serve. It runs before `npm start` and is plain
// JavaScript for Node.js 18 and later, as that is: a shell may still know the machine's own old Node.js by then.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const HELP = `npm run build:console [-- --if-needed]

Builds the page of the console into console/dist/: scripts and styles with a hash in their names, each of them also
compressed, and files.json with their sizes.

  --if-needed  only when the sources are others than those of the last build; says what is missing and goes on
               where esbuild is not installed`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, 'console', 'dist')
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

const TARGET = ['chrome123', 'firefox128', 'safari17.5']

const [option] = process.argv.slice(2)
if (option === undefined) await buildConsole()
else if (option === '--if-needed') await buildIfNeeded()
else {
  const isHelp = ['-h', '--help'].includes(option)
  console[isHelp ? 'log' : 'error'](HELP)
  process.exitCode = isHelp ? 0 : 2
}

/** The start of a server does not depend on its console. */
async function buildIfNeeded() {
  try {
    if (builtFrom() === sourceHash()) return
    await buildConsole()
  } catch (error) {
    const isMissing = error?.code === 'ERR_MODULE_NOT_FOUND'
    const why = isMissing ? 'esbuild is not installed (npm ci --include=dev)' : error?.message
    process.stderr.write(`percolite: the console was not built: ${why}\n`)
  }
}

/** The hash of what the last build was made from; undefined where there is none. */
function builtFrom() {
  try {
    return JSON.parse(readFileSync(join(out, 'files.json'), 'utf8')).source
  } catch {
    return undefined
  }
}

/** By the contents of all that the page is made of, so that no change of branches or times builds it again. */
function sourceHash() {
  const hash = createHash('sha256')
  const add = (path) => hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  const walk = (folder) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!['dist', 'node_modules'].includes(entry.name)) walk(path)
      } else if (/\.(tsx?|css|html)$/.test(entry.name) && !entry.name.includes('.test.')) add(path)
    }
  }
  walk('console')
  walk('client-sdk')
  add('package-lock.json')
  add('tools/build-console.mjs')
  return hash.digest('hex')
}

async function buildConsole() {
  const source = sourceHash()
  const { build, transform } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['console/console.tsx', 'console/console.css'],
    outdir: out,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['percolite:source'],
    legalComments: 'none',
    plugins: [
      { name: 'foreign dialects', setup: leaveOutDialects },
      { name: 'style sheets of views', setup: (plugin) => makeStyleSheets(plugin, transform) },
    ],
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  const outputs = Object.entries(metafile.outputs).map(([path, facts]) => [basename(path), facts])
  const built = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
  const nameOf = (entry) => outputs.find(([, { entryPoint }]) => entryPoint === entry)[0]
  const page = readFileSync(join(root, 'console', 'index.html'), 'utf8')
    .replace('console.css', nameOf('console/console.css'))
    .replace('console.js', nameOf('console/console.tsx'))
  built.push({ name: 'index.html', contents: Buffer.from(page) })
  const files = built.map((file) => described(file, new Map(outputs).get(file.name)))
  writeAll(files, source)
  const sum = (size) => Math.round(files.reduce((all, { facts }) => all + facts[size], 0) / 1000)
  console.log(`console/dist/ has ${sum('bytes')} kB, ${sum('gzip')} kB by gzip`)
}

/**
 * The package of the editor has dialects that nothing uses. Each is made from a sum of texts, which esbuild keeps
 * because a sum could have an effect; a function that is called at once, and marked as having none, it leaves out.
 */
function leaveOutDialects({ onLoad }) {
  onLoad({ filter: /@codemirror.lang-sql.dist.index\.js$/ }, ({ path }) => {
    const made = /\/\*@__PURE__\*\/(SQLDialect\.define\(\{\n.*?\n\}\));/gs
    return { contents: readFileSync(path, 'utf8').replace(made, '/*@__PURE__*/(() => $1)();') }
  })
}

/**
 * What a view imports `with { type: 'css' }` is a constructed style sheet in the script of that view, as browsers make
 * one of such a module: it comes with the view and not with the page, and the policy of the page allows it.
 */
function makeStyleSheets({ onLoad }, transform) {
  onLoad({ filter: /\.css$/ }, async ({ path, with: { type } }) => {
    if (type !== 'css') return undefined
    const text = readFileSync(path, 'utf8')
    const { code } = await transform(text, { loader: 'css', minify: true, target: TARGET })
    const made = `const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(code)});`
    return { loader: 'js', contents: `${made} export default sheet` }
  })
}

/** A file with its compressed forms, and what files.json says of it. */
function described({ name, contents }, output) {
  const gzip = gzipSync(contents, { level: 9 })
  const brotli = brotliCompressSync(contents)
  const imports = (output?.imports ?? [])
    .filter(({ kind, external }) => kind === 'import-statement' && !external)
    .map(({ path }) => basename(path))
  const facts = {
    name,
    type: TYPES[/\.\w+$/.exec(name)[0]],
    bytes: contents.length,
    gzip: gzip.length,
    brotli: brotli.length,
    ...(output?.entryPoint === undefined ? {} : { from: output.entryPoint }),
    imports,
  }
  return {
    facts,
    forms: [
      [name, contents],
      [`${name}.gz`, gzip],
      [`${name}.br`, brotli],
    ],
  }
}

/** In a folder beside, which then takes the place: a server never finds a part of it. */
function writeAll(files, source) {
  const beside = `${out}.${process.pid}`
  mkdirSync(beside, { recursive: true })
  for (const { forms } of files) {
    for (const [name, contents] of forms) writeFileSync(join(beside, name), contents)
  }
  const facts = { source, files: files.map((file) => file.facts) }
  writeFileSync(join(beside, 'files.json'), `${JSON.stringify(facts, undefined, 2)}\n`)
  try {
    rmSync(out, { recursive: true, force: true })
    renameSync(beside, out)
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    // Another build of the same was quicker.
    if (builtFrom() !== source) throw error
  }
}
