// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withoutStamps } from '../readme-blocks.ts'
import { ServerProcess } from '../server/server-process.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const SCRIPT_MS_MAX = 60_000
const END_OF_BLOCK = '-- end of block --'

/** Statements or commands, with what is printed below them. */
const BLOCK = /```(sql|sh)\n([\s\S]*?)```\n(?:\n?)```(json|text)\n([\s\S]*?)```/g

/** A module that the server of the page is started with. */
const MODULE = /```ts\n(\/\/ \w+\.ts\n[\s\S]*?)```/

/** They import files of many rows. */
export const LONG_PAGES = ['guide/auction.md']

export function testPage(name: string): void {
  test(`docs/${name}`, async () => {
    const { written, run, blocks } = await runPage(new URL(name, DOCS))
    assert.ok(blocks >= 5, 'its blocks are found')
    assert.equal(written, run, 'run node test/guide/generate-guide.ts')
  })
}

/** Each page of the guide, and the one for those who know SQL, by its path below docs/. */
export function guidePages(): ReadonlyMap<string, URL> {
  const names = readdirSync(new URL('guide/', DOCS)).filter((name) => name.endsWith('.md'))
  const paths = [...names.map((name) => `guide/${name}`), 'coming-from-sql.md']
  return new Map(paths.map((path) => [path, new URL(path, DOCS)]))
}

/** A page as it is written, and with the output of each of its blocks, run by a server of their own. */
export async function runPage(
  path: URL,
): Promise<{ written: string; run: string; blocks: number }> {
  const written = readFileSync(path, 'utf8')
  const blocks = [...written.matchAll(BLOCK)]
  const commands = blocks.map(([, kind, text = '']) => commandsOf(kind, text))
  const outputs = await outputsOf(commands, MODULE.exec(written)?.[1])
  const run = written.replace(BLOCK, (whole: string, kind, text, form, before: string) => {
    const output = outputs.shift() ?? ''
    if (withoutStamps(output) === withoutStamps(before)) return whole
    return `\`\`\`${kind}\n${text}\`\`\`\n\n\`\`\`${form}\n${output.replace(/^\n+|\s+$/g, '')}\n\`\`\``
  })
  return { written, run, blocks: blocks.length }
}

/** An index is used as soon as it is built, which the next block may need. */
const UNTIL_BUILT =
  'while curl -s localhost:4270/v1/tables | grep -q \'"state":"building"\'; do sleep 0.02; done\n'

/** The command as an installed package has it. */
const PERCOLITE = 'percolite() { "$NODE" "$CLI" "$@"; }\n'
const CLI = fileURLToPath(new URL('../cli/cli.ts', DOCS))

function commandsOf(kind: string | undefined, text: string): string {
  if (kind === 'sh') return text
  const sent = `curl -s 'localhost:4270/v1/query?format=table' --data-binary @- <<'END'\n${text}END\n`
  return text.includes('INDEX') ? sent + UNTIL_BUILT : sent
}

async function outputsOf(
  commands: readonly string[],
  observers: string | undefined,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-guide-'))
  const flags = observers === undefined ? [] : ['--observers', moduleIn(folder, observers)]
  const server = await ServerProcess.start(undefined, ['--engine', 'memory', ...flags])
  try {
    const script = commands
      .join(`\necho '${END_OF_BLOCK}'\n`)
      .replaceAll('localhost:4270', server.url.replace('http://', ''))
    const env = { ...process.env, PERCOLITE_URL: server.url, NODE: process.execPath, CLI }
    const options = { timeout: SCRIPT_MS_MAX, cwd: folder, env }
    const { stdout } = await promisify(execFile)('bash', ['-c', PERCOLITE + script], options)
    return stdout.split(END_OF_BLOCK)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

/** The module in a folder in which `percolite/observers` can be imported: of this tree, which may not be built. */
function moduleIn(folder: string, text: string): string {
  const installed = join(folder, 'node_modules/percolite')
  mkdirSync(installed, { recursive: true })
  const exported = { './observers': './observers.js' }
  writeFileSync(
    join(installed, 'package.json'),
    JSON.stringify({ type: 'module', exports: exported }),
  )
  const source = new URL('../server/live/observers/define-observer.ts', DOCS)
  writeFileSync(join(installed, 'observers.js'), `export * from '${source}'\n`)
  const file = join(folder, 'observers.ts')
  writeFileSync(file, text)
  return file
}
