// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { percolite } from '../test/cli/percolite.ts'

/** A server that was started again while it moved its database, or just after. */
async function moveAt(t: TestContext, phase: 'none' | 'done', ...args: readonly string[]) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ phase, rows: 0, bytes: 0 }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return await percolite(['move', '--from', url, '--to', 'etcd:127.0.0.1:9', ...args])
}

test('percolite move ends where the server was started again and moves no more', async (t) => {
  const { code, output, errors } = await moveAt(t, 'none')
  assert.deepEqual([code, output], [1, ''])
  assert.match(errors, /^none: .*\npercolite: The server was started again .*goes on where it was/)
})

test('percolite move ends where the server has moved, and was started again', async (t) => {
  const { code, output } = await moveAt(t, 'done')
  assert.deepEqual([code, /^moved; .*no report\n$/.test(output)], [0, true], output)
  const json = await moveAt(t, 'done', '--json')
  assert.deepEqual([json.code, json.output], [0, '{}\n'])
})
