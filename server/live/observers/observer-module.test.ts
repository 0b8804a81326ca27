// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { testFolder } from '../../../test/test-folder.ts'
import { loadObservers } from './observer-module.ts'

const DEFINE = JSON.stringify(new URL('./define-observer.ts', import.meta.url).href)

async function moduleOf(t: TestContext, text: string): Promise<string> {
  const folder = await testFolder(t, 'observers')
  const path = join(folder, 'observers.ts')
  await writeFile(path, `import { defineObserver } from ${DEFINE}\n${text}`)
  return path
}

test('all exports of a module are observers, whatever their names', async (t) => {
  const path = await moduleOf(
    t,
    `export default defineObserver({ observer: 'a', run: async () => {} })
     export const b = defineObserver<{ id: number }>({ observer: 'b', run() {}, workers: 2 })`,
  )
  const observers = await loadObservers(path)
  assert.deepEqual(
    observers.map(({ observer, workers }) => [observer, workers]),
    [
      ['b', 2],
      ['a', undefined],
    ],
  )
})

for (const [scenario, text, expected] of [
  ['exports nothing', 'void defineObserver', /exports no observer/],
  ['exports something else', 'export const limit = 3', /"limit" was not made by defineObserver/],
  ['has no function', "export const a = { observer: 'a' }", /"run" of observer a is not/],
  ['asks for no workers', "export const a = { observer: 'a', run() {}, workers: 0 }", /"workers"/],
  [
    'has two of one name',
    `export const a = defineObserver({ observer: 'x', run() {} })
     export const b = defineObserver({ observer: 'x', run() {} })`,
    /observer x is exported twice/,
  ],
  ['throws', "throw new Error('no such key\\nsecret')", /cannot be loaded: Error: no such key$/],
  ['is no TypeScript', 'export const = 1', /cannot be loaded: SyntaxError/],
  ['defines a wrong one', "export const a = defineObserver({ observer: '' })", /TypeError: Its/],
] as const) {
  test(`a module that ${scenario} is refused in one line`, async (t) => {
    const path = await moduleOf(t, text)
    await assert.rejects(loadObservers(path), (error: Error) => {
      assert.equal(error.name, 'UsageError')
      assert.match(error.message, expected)
      assert.doesNotMatch(error.message, /\n/)
      return true
    })
  })
}

test('a module that is not there is refused', async () => {
  await assert.rejects(
    loadObservers('/nowhere/observers.ts'),
    /--observers .*: .* cannot be loaded/,
  )
})
