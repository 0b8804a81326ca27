// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { otherRuntimes, type Runtime } from './other-runtimes.ts'
import { scriptFlags } from './script-flags.ts'

const HELP = `npm run test:sdk -- [--node 22] [--flapping-seconds 20] [test …]

The SDK and its tests, compiled as they would be published, on each version of Node.js that the SDK is promised for.
The servers of the tests run on the Node.js of this project. Tests are named without .test.ts.

  --node              only this version
  --flapping-seconds  for how long a server that is killed and shed is under the client (20)`

const TREE = fileURLToPath(new URL('..', import.meta.url))
const RUNTIMES = join(TREE, 'tools', 'sdk-runtimes')
const COMPILED = join(TREE, 'node_modules', '.cache', 'sdk-tests')

const { values: flags, positionals } = scriptFlags(
  HELP,
  { 'flapping-seconds': { type: 'string', default: '20' }, node: { type: 'string' } },
  { allowPositionals: true },
)

const runtimes = [
  ...otherRuntimes(),
  { name: `node-${major(process.version)}`, node: process.execPath },
]
const chosen = runtimes.filter(
  ({ name }) => flags.node === undefined || name === `node-${flags.node}`,
)
if (chosen.length === 0) fail(`there is no Node.js ${flags.node} here: only ${namesOf(runtimes)}`)

compile()
for (const runtime of chosen) testOn(runtime)
console.log(`The tests of the SDK passed on ${namesOf(chosen)}.`)

function compile(): void {
  rmSync(COMPILED, { recursive: true, force: true })
  const tsc = join(TREE, 'node_modules', '.bin', 'tsc')
  run(tsc, ['--project', RUNTIMES], { cwd: TREE, env: process.env })
  writeFileSync(join(COMPILED, 'package.json'), '{"type": "module"}\n')
}

function testOn({ name, node }: Runtime): void {
  console.log(`\n${name}: ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
  const wanted = positionals.length === 0 ? ['*'] : positionals
  const files = wanted.flatMap((one) =>
    globSync(join(COMPILED, 'client-sdk', '**', `${one}.test.js`)),
  )
  const options = [
    '--test',
    '--test-concurrency=2',
    '--test-timeout=180000',
    '--test-reporter=spec',
  ]
  const env = {
    ...process.env,
    SDK_TEST_SERVER_NODE: process.execPath,
    SDK_TEST_SERVER_TREE: TREE,
    // A server is started for many of the tests.
    NODE_COMPILE_CACHE: join(TREE, 'node_modules', '.cache', 'node'),
    SDK_FLAPPING_SECONDS: flags['flapping-seconds'],
  }
  run(node, [...options, ...files.toSorted()], { cwd: TREE, env })
}

function run(command: string, args: readonly string[], options: Options): void {
  const { status, error } = spawnSync(command, args, { ...options, stdio: 'inherit' })
  if (status !== 0) fail(`${command} ${args[0]} failed: ${error?.message ?? `exit code ${status}`}`)
}

type Options = { readonly cwd: string; readonly env: NodeJS.ProcessEnv }

function namesOf(some: readonly Runtime[]): string {
  return some.map(({ name }) => name).join(', ')
}

function major(version: string): string {
  return version.slice(1).split('.')[0] as string
}

function fail(words: string): never {
  console.error(`test:sdk: ${words}`)
  process.exit(1)
}
