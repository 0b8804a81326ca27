// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../test-folder.ts'
import { endHanging } from './hanging.ts'
import { nearestTests } from './nearest-tests.ts'
import { PROCESSOR_SECONDS_MAX, RANDOM_TESTS, ROOMS, roomOf, slownessOf } from './rooms.ts'
import { byRoom, testFiles } from './test-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ordinary = testFiles(ROOT, false)

test('every test file is in one tier, and those of npm test have a room', () => {
  const system = testFiles(ROOT, true).filter((file) => !RANDOM_TESTS.includes(file))
  assert.ok(ordinary.length > 400 && system.length > 50)
  assert.deepEqual(
    ordinary.filter((file) => system.includes(file)),
    [],
  )
  assert.deepEqual([...byRoom(ordinary).keys()].toSorted(), Object.keys(ROOMS).toSorted())
  assert.deepEqual(
    RANDOM_TESTS.filter((file) => !ordinary.includes(file)),
    [],
  )
  assert.throws(() => byRoom(['elsewhere/a.test.ts']), /elsewhere\/a\.test\.ts has no room/)
})

test('a file belongs to the room with the longest name, and all rooms together keep to six minutes', () => {
  assert.equal(roomOf('server/guard/access/roles.test.ts'), 'server/guard/access')
  assert.equal(roomOf('server/accessible.test.ts'), 'server')
  const seconds = Object.values(ROOMS).reduce((sum, one) => sum + one, 0)
  assert.ok(
    seconds <= PROCESSOR_SECONDS_MAX,
    `${seconds} s of ${PROCESSOR_SECONDS_MAX}: take as much from another room`,
  )
})

test('a slow machine is slow for all rooms, and one room that has grown is no slow machine', () => {
  const times = (factor: number) =>
    Object.entries(ROOMS).map(([room, s]) => [room, s * factor] as const)
  assert.equal(slownessOf(new Map(times(2))).toFixed(3), '2.000')
  assert.equal(slownessOf(new Map(times(0.5))), 1)
  const grown = new Map([...times(1), ['parser', 1_000] as const])
  assert.equal(slownessOf(grown).toFixed(3), '1.000')
})

test('a quick run has the tests nearest to a change first, and says how many there are', () => {
  const { files, said } = nearestTests(ROOT, ['planner/keys/key-range.ts'], ordinary)
  assert.ok(files.includes('planner/keys/key-range.test.ts'), said)
  assert.ok(files.every((file) => ordinary.includes(file)))
  assert.match(said, /^1 files differ from main; \d+ test files .* the nearest \d+ run here/)
  const ofTree = ['test/docs.test.ts', 'test/pages.test.ts', 'test/source/tidy.test.ts']
  assert.deepEqual(nearestTests(ROOT, ['docs/errors.md'], ordinary).files, ofTree)
})

test('files of one process keep their hooks to themselves, and a failure names its file', async (t) => {
  const hooks =
    "import { afterEach, test } from 'node:test'\nafterEach(() => console.log('HOOK'))\n"
  const ran = await runRoom(t, {
    'a.mjs': `${hooks}test('one', () => {})\n`,
    'b.mjs': "import { test } from 'node:test'\ntest('two', () => { throw new Error('x') })\n",
  })
  assert.equal(ran.status, 1, ran.stdout)
  assert.match(ran.stdout, /^not ok 2 - .*b\.mjs/m)
  assert.match(ran.stdout, /^# pass 2\n# fail 2$/m)
  assert.equal(ran.stdout.match(/HOOK/g)?.length, 1)
})

test('a process that is kept alive after its tests says by what, and fails', async (t) => {
  const ran = await runRoom(t, {
    'a.mjs':
      "import { test } from 'node:test'\ntest('one', () => { setInterval(() => {}, 1e3) })\n",
  })
  assert.equal(ran.status, 1, ran.stdout)
  assert.match(ran.stderr, /kept alive by: .*Timeout/)
})

test('a process whose event loop stands still is killed, and its file named', async (t) => {
  const still = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
  const ran = await runRoom(t, {
    'a.mjs': `import { test } from 'node:test'\ntest('one', () => { ${still} })\n`,
  })
  assert.equal(ran.signal, 'SIGKILL', ran.stdout)
  assert.match(ran.said, /a\.mjs did not end within/)
})

/** Runs files, given by their names, as a room does: kept alive for 0.1 s, killed after 3 s. */
async function runRoom(t: TestContext, texts: Readonly<Record<string, string>>) {
  const folder = await testFolder(t, 'run')
  const files = Object.keys(texts).map((name) => join(folder, name))
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const group = new URL('group.ts', import.meta.url).href
  const program = join(folder, 'room.mjs')
  const call = [files, program, 100].map((value) => JSON.stringify(value)).join(', ')
  writeFileSync(program, `import { runFiles } from '${group}'\nrunFiles(${call})\n`)
  const said = t.mock.method(console, 'error', () => undefined)
  endHanging([program], 3_000, 100)
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const child = spawn(process.execPath, ['--test-reporter=tap', program], { env })
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ])
  return {
    status,
    signal,
    stdout,
    stderr,
    said: said.mock.calls.map((call) => call.arguments).join('\n'),
  }
}
