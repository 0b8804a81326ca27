// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStorage } from '../storage/storage.ts'
import { percolite } from '../test/cli/percolite.ts'
import { testFolder } from '../test/test-folder.ts'

async function run({
  action,
  dataDirectory,
  json,
}: {
  readonly action: string
  readonly dataDirectory: string
  readonly json: boolean
}) {
  return await percolite(['history', action, '--data', dataDirectory, ...(json ? ['--json'] : [])])
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
  assert.equal(inUse.code, 3)
  assert.match(
    inUse.errors,
    /^percolite: .* is in use by process \d+\. Stop the server first; .*\n$/,
  )
  await storage.close()
  const missing = join(dataDirectory, 'nowhere')
  for (const action of ['show', 'renew'] as const) {
    const answer = await run({ action, dataDirectory: missing, json: false })
    assert.deepEqual([answer.code, answer.output], [3, ''])
    assert.match(answer.errors, /There is no store in/)
  }
  assert.ok(!existsSync(missing))
})

test('the folder comes from the environment as well, and a wrong call is refused', async (t) => {
  const dataDirectory = await newStore(t)
  const shown = await percolite(['history', 'show'], { PERCOLITE_DATA: dataDirectory })
  assert.equal(shown.code, 0, shown.errors)
  for (const [args, expected] of [
    [[], /^percolite: Nothing is asked of the history; it is show or renew\.\n$/],
    [['erase'], /"erase" is asked of the history; it is show or renew/],
    [['show', 'renew'], /"renew" is not asked for/],
    [['show', '--url', 'x'], /Unknown option '--url'/],
  ] as const) {
    const { code, errors } = await percolite(['history', ...args])
    assert.equal(code, 2)
    assert.match(errors, expected)
  }
})
