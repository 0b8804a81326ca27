// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { FULL_LENGTH } from '../run/rooms.ts'
import { CHIEF_TEST, type PlantedBug } from './planted-bug.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'

const HELP = `npm run test:access -- [--only NAME] [--list]

Runs the tests of access control once for each of the bugs that are planted for it, and prints which
are caught; exit code 1 when one is not. It takes about an hour.

  --only   those whose names begin with this
  --list   only prints their names`

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { values } = scriptFlags(HELP, {
  only: { type: 'string' },
  list: { type: 'boolean', default: false },
})
const bugs = PLANTED_BUGS.filter(({ name }) => name.startsWith(values.only ?? ''))
if (bugs.length === 0) endMisused(HELP, `There is no bug ${values.only}; --list names them.`)
if (values.list) {
  console.log(bugs.map(({ name, file }) => `${name.padEnd(28)} ${file}`).join('\n'))
  process.exit(0)
}

function testsIn(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      folder.endsWith('.test.ts')
        ? folder
        : readdirSync(`${ROOT}/${folder}`).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.test.ts'))
}

/** One test is enough. A file may fail because nothing could be planted. */
const FAILED = /^ *not ok \d+ - (?!.*\.test\.ts$)/m

/** Whether a test fails with the bug in the code. */
async function isCaught({ name, folders }: PlantedBug): Promise<boolean> {
  const plant = ['--import', './test/access/plant-bug.ts']
  const limits = [
    '--test-timeout=60000',
    '--test-concurrency=2',
    '--test-force-exit',
    '--test-reporter=tap',
  ]
  const child = spawn(process.execPath, [...plant, '--test', ...limits, ...testsIn(folders)], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...FULL_LENGTH,
      PLANTED_BUG: name,
      ...(folders.includes(CHIEF_TEST) && { PRINCIPALS_SEEDS: '1,2,3' }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
    if (FAILED.test(output)) child.kill()
  })
  const [code] = await once(child, 'close')
  // A bug that cannot be planted makes every file fail before its first test.
  if (/has not once|There is no bug/.test(output)) throw new Error(output)
  return code !== 0
}

const missed: string[] = []
for (const [at, bug] of bugs.entries()) {
  const { name } = bug
  const beganMs = performance.now()
  const caught = await isCaught(bug)
  if (!caught) missed.push(name)
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1)
  console.log(
    `${at + 1}/${bugs.length} ${name.padEnd(28)} ${caught ? 'caught' : 'MISSED'} ${seconds} s`,
  )
}
console.log(`${bugs.length - missed.length} of ${bugs.length} planted bugs are caught`)
if (missed.length > 0) process.exitCode = 1
