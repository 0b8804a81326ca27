// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStorage } from '../../storage/storage.ts'
import { testFolder } from '../../test/test-folder.ts'
import { readCommand } from '../config.ts'
import { type HistoryConfig, runHistory } from './history-command.ts'

async function run(config: HistoryConfig) {
  let [output, errors] = ['', '']
  const code = await runHistory(config, {
    output: { write: (text) => (output += text) },
    errors: { write: (text) => (errors += text) },
  })
  return { code, output, errors }
}

async function newStore(t: TestContext): Promise<string> {
  const dataDirectory = join(await testFolder(t, 'history'), 'data')
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  await storage.close()
  return dataDirectory
}

test('the history is shown as text and as JSON, and renewed with a gap', async (t) => {
  const dataDirectory = await newStore(t)
  const shown = await run({ action: 'show', dataDirectory, json: true })
  assert.equal(shown.code, 0, shown.errors)
  const { id, from, gaps } = JSON.parse(shown.output)
  assert.deepEqual(gaps, [])
  const text = (await run({ action: 'show', dataDirectory, json: false })).output
  assert.match(text, new RegExp(`^history ${id}\nbegins at ${from} \\(20.*Z\\)\n$`))

  const renewed = await run({ action: 'renew', dataDirectory, json: false })
  assert.equal(renewed.code, 0, renewed.errors)
  assert.match(renewed.output, /has nothing after 0, before everything until/)
  const now = JSON.parse((await run({ action: 'show', dataDirectory, json: true })).output)
  assert.notEqual(now.id, id)
  assert.ok(now.from > from)
  assert.equal(now.gaps.length, 2)
})

test('a folder in use, or without a database, is refused and left alone', async (t) => {
  const dataDirectory = await newStore(t)
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const inUse = await run({ action: 'renew', dataDirectory, json: false })
  assert.equal(inUse.code, 1)
  assert.match(
    inUse.errors,
    /^percolite: .* is in use by process \d+\. Stop the server first; .*\n$/,
  )
  await storage.close()
  const missing = join(dataDirectory, 'nowhere')
  for (const action of ['show', 'renew'] as const) {
    const answer = await run({ action, dataDirectory: missing, json: false })
    assert.deepEqual([answer.code, answer.output], [1, ''])
    assert.match(answer.errors, /There is no store in/)
  }
  assert.ok(!existsSync(missing))
})

test('the command line says which folder, and what of it', () => {
  const read = (...args: string[]) => readCommand(['history', ...args], { PERCOLITE_DATA: './env' })
  const config = { action: 'renew', dataDirectory: './d', json: false }
  assert.deepEqual(read('renew', '--data', './d'), { kind: 'history', config })
  const fromEnvironment = { action: 'show', dataDirectory: './env', json: true }
  assert.deepEqual(read('show', '--json'), { kind: 'history', config: fromEnvironment })
  assert.deepEqual(read('--help'), { kind: 'help', command: 'history' })
  assert.throws(() => read(), { message: 'Nothing is asked of the history; it is show or renew.' })
  assert.throws(() => read('erase'), /"erase" is asked of the history; it is show or renew/)
  assert.throws(() => read('show', 'renew'), /"renew" is not asked for/)
  assert.throws(() => read('show', '--url', 'x'), /Unknown option '--url'/)
})
