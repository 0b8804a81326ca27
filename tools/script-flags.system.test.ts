// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { percolite } from '../test/cli/percolite.ts'

const TREE = fileURLToPath(new URL('..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** `node` with flags of its own, a program, and maybe a command of it. */
const NODE_CALL =
  /\b(?:node|run\.sh) (?:(?:--(?!test )[\w-]+(?:=\d+)?|-C [\w:]+) )*(\S+\.(?:ts|mjs))(?: (\w+))?$/

/** Each npm script that runs a program of this project, with the words that start that program. */
const programs = Object.entries(scripts as Record<string, string>).flatMap(([name, command]) => {
  const words = NODE_CALL.exec(command)
  const isCalled = words !== null && !words.includes('tools/ensure-deps.mjs')
  return isCalled ? [{ name, words: words.slice(1).filter((word) => word !== undefined) }] : []
})

const CLI = 'cli/cli.ts'
/** The first script of the command line starts it as npm does; the others are the same program with another command. */
const asProcess = programs.find(({ words }) => words[0] === CLI)?.name

type Called = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

async function call(name: string, words: readonly string[]): Promise<Called> {
  if (words[0] !== CLI || name === asProcess) return callProcess(words)
  const { code = null, output, errors } = await percolite(words.slice(1))
  return { status: code, stdout: output, stderr: errors }
}

function callProcess(words: readonly string[]): Called {
  // Each of them loads much of the project.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(TREE, 'node_modules', '.cache', 'node') }
  const args = ['-C', 'percolite:source', ...words]
  return spawnSync(process.execPath, args, { cwd: TREE, env, encoding: 'utf8', timeout: 60_000 })
}

test('every npm script that runs a program is found', () => {
  const names = programs.map(({ name }) => name)
  const expected = ['start', 'bench', 'generate', 'percolite', 'build:console', 'example:web-index']
  for (const name of expected) assert.ok(names.includes(name), name)
  const tests = Object.keys(scripts).filter((name) => name.startsWith('test:'))
  // The flags of these are those of Node's own test runner.
  assert.deepEqual(
    tests.filter((name) => !names.includes(name)),
    ['test:crash'],
  )
})

for (const [at, { name, words }] of programs.entries()) {
  test(`npm run ${name}: --help helps, and a flag that it does not have is no stack`, async () => {
    // One of the two, because they are the same flag and a program takes a second to load.
    const help = await call(name, [...words, at % 2 === 0 ? '--help' : '-h'])
    assert.deepEqual([help.status, help.stderr], [0, ''])
    assert.match(help.stdout, /npm (run |start)|^Usage: percolite /)
    const { status, stderr } = await call(name, [...words, '--no-such-flag'])
    assert.equal(status, 2)
    assert.doesNotMatch(stderr, /^ {4}at /m)
    assert.match(stderr, /\S/)
  })
}
