// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStorage } from '../storage/storage.ts'
import { percolite } from '../test/cli/percolite.ts'
import { startTestServer } from '../test/server/test-server.ts'
import { testFolder } from '../test/test-folder.ts'

async function run(args: readonly string[]) {
  const { code, output, errors } = await percolite(['token', ...args])
  return { code, output: output.trim(), errors }
}

test('percolite token create makes a token that a server over the folder takes', async (t) => {
  const data = join(await testFolder(t, 'token'), 'data')
  const made = await run(['create', 'ops', '--days', '3', '--data', data])
  assert.deepEqual([made.code, made.errors], [0, ''])
  const flags = { data, engine: 'sqlite', auth: 'required' } as const
  const server = await startTestServer(t, { flags })
  const headers = { authorization: `Bearer ${made.output}` }
  assert.equal((await server.send({ path: '/v1/tables', headers })).status, 200)
  assert.equal((await server.get('/v1/tables')).status, 401)
})

test('a folder in use, a name that is taken and a wrong command line are refused', async (t) => {
  const data = join(await testFolder(t, 'token'), 'data')
  await run(['create', 'ops', '--data', data])
  const taken = await run(['create', 'ops', '--data', data])
  assert.deepEqual([taken.code, taken.output], [1, ''])
  assert.match(taken.errors, /There is a token ops already/)
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: data })
  t.after(() => storage.close())
  const locked = await run(['create', 'other', '--data', data])
  assert.match(locked.errors, /CREATE TOKEN/)
  for (const wrong of [
    [],
    ['drop', 'a'],
    ['create'],
    ['create', 'a;b'],
    ['create', 'a', '--days', '0'],
  ]) {
    assert.equal((await run(wrong)).code, 2, wrong.join())
  }
})
