// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { endHanging } from './hanging.ts'
import { nearestTests } from './nearest-tests.ts'
import { FULL_LENGTH, ROOMS, slownessOf } from './rooms.ts'
import { byRoom, testFiles } from './test-files.ts'

const HELP = `npm test -- [FILE or FOLDER …] [--name PATTERN]
npm run test:quick
npm run test:system -- [FILE or FOLDER …]

npm test runs all tests that need nothing but npm, the files of a room in one process, and prints the processor time
of each room next to its budget. test:quick runs those of them that are nearest to the files that differ from main.
test:system runs those that need more, or longer: the files *.system.test.ts, each in a process of its own, and the
random tests at full length.

  --name   only tests whose names match this`

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GROUP = new URL('group.ts', import.meta.url).href
/** A room waits for a third of its time. */
const PROCESSES = availableParallelism() + 1
/** Above the others by so much, a room has grown. */
const FAR_ABOVE = 1.5

process.chdir(ROOT)
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules', '.cache', 'node')

const { values, positionals } = scriptFlags(
  HELP,
  { name: { type: 'string' } },
  { allowPositionals: true },
)
const [tier] = positionals
const isSystem = tier === 'system'
const beganMs = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'percolite-tests-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const chosen = chooseFiles()
const rooms = roomsOf(chosen)
if (isSystem) Object.assign(process.env, FULL_LENGTH)
const tests = run({
  files: rooms.map(({ program }) => program),
  concurrency: PROCESSES,
  execArgv: ['--single-threaded-gc'],
  ...(values.name !== undefined && { testNamePatterns: [values.name] }),
})
const counts = { passed: 0, failed: 0, skipped: 0 }
tests.on('test:summary', ({ success, file, counts: { tests: all, passed, skipped, todo } }) => {
  if (file !== undefined) return
  if (!success) process.exitCode = 1
  Object.assign(counts, { passed, failed: all - passed - skipped - todo, skipped })
})
endHanging(rooms.map(({ program }) => program))
tests.compose(new spec()).pipe(process.stdout)
process.once('beforeExit', () => {
  if (!isSystem) printProcessorTime()
  const { passed, failed, skipped } = counts
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
})

function chooseFiles(): string[] {
  const all = testFiles(ROOT, isSystem)
  if (tier === 'quick') {
    const { files, said } = nearestTests(ROOT, changedFiles(), all)
    console.log(said)
    return files
  }
  const paths = isSystem ? positionals.slice(1) : positionals
  const wanted = paths.map((path) => path.replace(/^\.\//, '').replace(/\/$/, ''))
  const unknown = wanted.filter((path) => !all.some((file) => isIn(file, path)))
  if (unknown.length > 0) endMisused(HELP, `There are no such tests in ${unknown.join(', ')}.`)
  return wanted.length === 0 ? all : all.filter((file) => wanted.some((path) => isIn(file, path)))
}

/** A program for each room; those that take longest come first, so that none is alone at the end. */
function roomsOf(all: readonly string[]) {
  const rooms = isSystem ? all.map((file): [string, string[]] => [file, [file]]) : [...byRoom(all)]
  rooms.sort(([a], [b]) => (ROOMS[b] ?? 0) - (ROOMS[a] ?? 0))
  return rooms.map(([room, files]) => {
    const program = join(folder, `${room.replaceAll('/', '-')}.mjs`)
    const call = [files, program].map((value) => JSON.stringify(value)).join(', ')
    writeFileSync(program, `import { runFiles } from '${GROUP}'\nrunFiles(${call})\n`)
    return { room, program, files: files.length }
  })
}

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`)
}

/** Files that differ from main, committed or not; of main itself, those that differ from its last commit. */
function changedFiles(): string[] {
  const git = (...words: string[]) => {
    const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
    return status === 0 ? stdout.split('\n').filter((line) => line !== '') : []
  }
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main')
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

function printProcessorTime(): void {
  const used = new Map(
    rooms.map(({ room, program }) => {
      const usage = `${program}.usage`
      return [room, existsSync(usage) ? Number(readFileSync(usage, 'utf8')) : 0]
    }),
  )
  const slowness = slownessOf(used)
  const lines = rooms.map(({ room, files }) => {
    const seconds = used.get(room) ?? 0
    const budget = ROOMS[room] ?? 0
    const isOver = seconds > budget * slowness * FAR_ABOVE
    // A room is measured by the others: how fast the machine is today is no fault of a test.
    if (isOver && process.env.CI) process.exitCode = 1
    const said = isOver ? '  FAR ABOVE ITS BUDGET (test/run/rooms.ts)' : ''
    return `${room.padEnd(28)}${String(files).padStart(5)}${seconds.toFixed(1).padStart(10)}${String(budget).padStart(8)}${said}`
  })
  const wall = (performance.now() - beganMs) / 1_000
  const total = [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
  console.log(`\n${'room'.padEnd(28)}files   seconds  budget   (of processor time)`)
  console.log(lines.join('\n'))
  console.log(`${total.toFixed(1)} s of processor time in ${wall.toFixed(1)} s`)
  console.log(`The rooms take ${slowness.toFixed(2)} times their budgets (median).`)
}
