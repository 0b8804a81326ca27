// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../test-folder.ts'
import { nearestTests } from './nearest-tests.ts'
import { PROCESSOR_SECONDS_MAX, RANDOM_TESTS, ROOMS, roomOf } from './rooms.ts'
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
  assert.equal(roomOf('server/access/roles.test.ts'), 'server/access')
  assert.equal(roomOf('server/accessible.test.ts'), 'server')
  const seconds = Object.values(ROOMS).reduce((sum, one) => sum + one, 0)
  assert.ok(
    seconds <= PROCESSOR_SECONDS_MAX,
    `${seconds} s of ${PROCESSOR_SECONDS_MAX}: take as much from another room`,
  )
})

test('a quick run has the tests nearest to a change first, and says how many there are', () => {
  const { files, said } = nearestTests(ROOT, ['planner/keys/key-range.ts'], ordinary)
  assert.ok(files.includes('planner/keys/key-range.test.ts'), said)
  assert.ok(files.every((file) => ordinary.includes(file)))
  assert.match(said, /^1 files differ from main; \d+ test files .* the nearest \d+ run here/)
  assert.deepEqual(nearestTests(ROOT, ['docs/errors.md'], ordinary).files, [])
})

test('files of one process keep their hooks to themselves, and a failure names its file', async (t) => {
  const folder = await testFolder(t, 'run')
  const hooks =
    "import { afterEach, test } from 'node:test'\nafterEach(() => console.log('HOOK'))\n"
  writeFileSync(join(folder, 'a.mjs'), `${hooks}test('one', () => {})\n`)
  writeFileSync(
    join(folder, 'b.mjs'),
    "import { test } from 'node:test'\ntest('two', () => { throw new Error('x') })\n",
  )
  const files = ['a.mjs', 'b.mjs'].map((name) => join(folder, name))
  const group = new URL('group.ts', import.meta.url).href
  const program = join(folder, 'room.mjs')
  const call = JSON.stringify([files, join(folder, 'usage')]).slice(1, -1)
  writeFileSync(program, `import { runFiles } from '${group}'\nrunFiles(${call})\n`)
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const ran = spawnSync(process.execPath, ['--test-reporter=tap', program], {
    encoding: 'utf8',
    env,
  })
  assert.equal(ran.status, 1, ran.stdout)
  assert.match(ran.stdout, /^not ok 2 - .*b\.mjs/m)
  assert.match(ran.stdout, /^# pass 2\n# fail 2$/m)
  assert.equal(ran.stdout.match(/HOOK/g)?.length, 1)
})
