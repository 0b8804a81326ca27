// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'

/** A bank behind a proxy that closes the connection in place of some answers. */
async function bankBehind(t: TestContext, isLost: (path: string, body: string) => boolean) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const { url } = await server.listen()
  const proxy = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const { method = 'GET', url: path = '/', headers } = request
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      ...(body.length === 0 ? {} : { body }),
    })
    const text = await answer.text()
    if (isLost(path, body.toString())) request.socket.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => proxy.close().closeAllConnections())
  const { port } = proxy.address() as AddressInfo
  const run = (...lines: readonly string[]) =>
    percolite(['shell', `http://127.0.0.1:${port}`], {}, lines.join('\n'))
  const balance = async () => {
    const { body } = await server.query("GET balance FROM account WHERE id = 'bob'")
    return body.results[0].rows[0].balance
  }
  return { run, balance }
}

const SET = "SET balance = 1 ON account WHERE id = 'bob';"

describe('answers that are lost', () => {
  test('a COMMIT whose answer is lost is asked after, and has committed', async (t) => {
    const isLost = (_: string, body: string) => body.includes('COMMIT')
    const { run, balance } = await bankBehind(t, isLost)
    const { code, errors } = await run('BEGIN;', SET, 'COMMIT;', 'SHOW OBSERVERS;')
    assert.deepEqual([code, errors, await balance()], [0, '', 1])
  })

  test('where nobody can tell, that is said, and the exit code is 4', async (t) => {
    const isLost = (path: string, body: string) =>
      body.includes('COMMIT') || /^\/v1\/transactions\/[^/]+$/.test(path)
    const { run } = await bankBehind(t, isLost)
    const { code, errors } = await run('BEGIN;', 'COMMIT;', SET)
    assert.deepEqual([code, /^line 2: ERROR: {2}connection_failed/.test(errors)], [4, true])
  })

  test('a write outside of a transaction may have been done, which is exit code 4 too', async (t) => {
    const { run, balance } = await bankBehind(t, (_, body) => body.includes('SET'))
    const { code } = await run(SET)
    assert.deepEqual([code, await balance()], [4, 1])
  })
})
