// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process'
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { scriptFlags } from './script-flags.ts'

const HELP = `npm run build

Compiles what npm publishes as percolite into dist/: the program, the threads and the process of the store, and the files that they read.
Packages are not bundled.`

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = `${ROOT}dist/`
const THREADS = 'storage/cells/sqlite/threads/'

/** By the name that each has in dist/. */
const ENTRIES = {
  percolite: 'cli/percolite.mjs',
  cli: 'cli/cli.ts',
  observers: 'server/live/observers/define-observer.ts',
  testing: 'server/testing.ts',
  'writer-thread': `${THREADS}writer-thread.ts`,
  'checkpointer-thread': `${THREADS}checkpointer-thread.ts`,
  'copier-process': `${THREADS}copier-process.ts`,
}
const COPIES = {
  'bigtable-descriptors.json': 'engines/bigtable/bigtable-descriptors.json',
}

scriptFlags(HELP, {})
await rm(OUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24.12',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
})
for (const [name, from] of Object.entries(COPIES)) await copyFile(ROOT + from, OUT + name)
execFileSync(process.execPath, [`${ROOT}tools/build-console.mjs`], { stdio: 'inherit' })
for (const name of ['observers', 'testing'] as const) {
  const { outputText } = ts.transpileDeclaration(await readFile(ROOT + ENTRIES[name], 'utf8'), {})
  await writeFile(`${OUT}${name}.d.ts`, outputText)
}
let bytes = 0
for (const name of await readdir(OUT)) bytes += (await stat(OUT + name)).size
console.log(`dist/ has ${Math.round(bytes / 1000)} kB`)
