// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { testFolder } from '../../../../test/test-folder.ts'
import { StorageError } from '../../../errors.ts'
import { SqliteThread } from './thread.ts'

const SERVER = new URL('./thread-server.ts', import.meta.url).href
const ERRORS = new URL('../../../errors.ts', import.meta.url).href

/** A thread whose connection is none: it answers what it is asked, or does what it is told. */
const MODULE = `
  import { serveThread } from ${JSON.stringify(SERVER)}
  import { StorageError } from ${JSON.stringify(ERRORS)}
  serveThread((path) => {
    if (path === 'refused') {
      const cause = Object.assign(new Error('no such table'), { code: 'SQLITE_ERROR' })
      throw new StorageError('data_directory_unusable', 'It is unusable.', { at: 7 }, { cause })
    }
    if (path === 'dead') process.exit(3)
    let [open, rest] = [true, () => {}]
    return {
      opened: 'at ' + path,
      answer(request) {
        if (request === 'close') open = false
        if (request === 'fail') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
        if (request === 'exit') process.exit(3)
        if (request === 'break') rest = () => { throw new Error('it broke') }
        return request
      },
      afterAnswer: () => rest(),
      isOpen: () => open,
    }
  })`

async function start(t: TestContext, path = 'here') {
  const folder = await testFolder(t, 'thread')
  await writeFile(join(folder, 'thread.mjs'), MODULE)
  const deaths: unknown[] = []
  const died = Promise.withResolvers<void>()
  const thread = await SqliteThread.start<string, string>(
    pathToFileURL(join(folder, 'thread.mjs')),
    path,
    (cause) => {
      deaths.push(cause)
      died.resolve()
    },
  )
  return { thread, deaths, died: died.promise }
}

test('requests are answered in their order, and an error keeps the code of SQLite', async (t) => {
  const { thread, deaths } = await start(t)
  assert.equal(thread.opened, 'at here')
  const answers = await Promise.allSettled(['a', 'fail', 'b'].map((text) => thread.ask(text)))
  const [a, failed, b] = answers
  assert.deepEqual(
    [a, b].map((one) => one?.status === 'fulfilled' && one.value),
    ['a', 'b'],
  )
  const { message, code } = (failed as PromiseRejectedResult).reason
  assert.deepEqual([message, code], ['full', 'SQLITE_FULL'])
  const last = thread.ask('c')
  await thread.close('close')
  assert.equal(await last, 'c')
  assert.deepEqual(deaths, [])
})

test('a thread whose last request fails has ended all the same', async (t) => {
  const { thread, deaths } = await start(t)
  await thread.close('fail')
  await assert.rejects(thread.ask('after'), /ended/)
  assert.deepEqual(deaths, [])
})

test('what the thread throws instead of opening is thrown by whoever started it', async (t) => {
  await assert.rejects(start(t, 'refused'), (error: StorageError) => {
    assert.ok(error instanceof StorageError)
    assert.deepEqual([error.code, error.fields], ['data_directory_unusable', { at: 7 }])
    assert.deepEqual((error.cause as { code: string }).code, 'SQLITE_ERROR')
    return true
  })
  await assert.rejects(start(t, 'dead'), /ended \(code 3\)/)
})

for (const [how, request, said] of [
  ['ends', 'exit', /ended \(code 3\)/],
  ['throws between two requests', 'break', /it broke/],
] as const) {
  test(`a thread that ${how}: what waits for it is rejected, it is said once, and nothing hangs`, async (t) => {
    const { thread, deaths, died } = await start(t)
    const answers = Promise.allSettled([request, 'later'].map((text) => thread.ask(text)))
    await died
    const [, later] = await answers
    assert.equal(later?.status, 'rejected')
    await assert.rejects(thread.ask('after'), said)
    await thread.close('close')
    assert.equal(deaths.length, 1)
    assert.match(String(deaths[0]), said)
  })
}
